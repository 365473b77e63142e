{
    (%rows) = "pd_op.data" () {dtype:float32,name:"rows",place:Place(undefined:0),shape:[-1,24]} : () -> tensor<-1x24xf32>
    (%most) = "pd_op.data" () {dtype:int32,name:"most",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xi32>
    (%empty) = "pd_op.data" () {dtype:float32,name:"empty",place:Place(undefined:0),shape:[2,1,1,-1,8]} : () -> tensor<2x1x1x-1x8xf32>
    (%zero) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1,1],value:0} : () -> tensor<1x1xi32>
    (%one) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1,1],value:1} : () -> tensor<1x1xi32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%flat) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%none) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,8],value:0} : () -> tensor<1x8xf32>
    (%go) = "pd_op.less_than" (%zero, %most) {} : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xb>
    (%n, %c, %o) = "pd_op.while" (cond=%go, inputs=%zero, %empty, %none) {
    ^%i, %cache, %last
        (%at) = "pd_op.reshape" (%i, %flat) {} : (tensor<1x1xi32>, tensor<1xi64>) -> tensor<1xi32>
        (%x) = "pd_op.gather" (%rows, %at, %axis) {} : (tensor<-1x24xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x24xf32>
        (%out, %after, %beam) = "pd_op.masked_multihead_attention_" (%x, %cache, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, %i, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {compute_dtype:"default",out_scale:-1,quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,use_neox_rotary_style:false} : (tensor<1x24xf32>, tensor<2x1x1x-1x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<1x1xi32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x8xf32>, tensor<2x1x1x-1x8xf32>, <<NULL TYPE>>
        (%sum) = "pd_op.add" (%last, %out) {} : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
        (%next) = "pd_op.add" (%i, %one) {} : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
        (%again) = "pd_op.less_than" (%next, %most) {} : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xb>
        () = "cf.yield" (%again, %next, %after, %sum) {} : (tensor<1x1xb>, tensor<1x1xi32>, tensor<2x1x1x-1x8xf32>, tensor<1x8xf32>) ->
    }
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"out"} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    (%f1) = "pd_op.fetch" (%c) {col:1,name:"cache"} : (tensor<2x1x1x-1x8xf32>) -> tensor<2x1x1x-1x8xf32>
}
