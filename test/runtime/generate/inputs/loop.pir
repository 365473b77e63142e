{
    (%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<1x-1xi64>
    (%most) = "pd_op.data" () {dtype:int64,name:"most",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi64>
    (%none) = "pd_op.data" () {dtype:int64,name:"none",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<1x-1xi64>
    (%p) = "pd_op.data" () {dtype:float32,name:"p",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xf32>
    (%table) = "pd_op.data" () {dtype:float32,name:"table",place:Place(undefined:0),shape:[16,8]} : () -> tensor<16x8xf32>
    (%scores) = "pd_op.data" () {dtype:float32,name:"scores",place:Place(undefined:0),shape:[8,16]} : () -> tensor<8x16xf32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%axes) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%zero) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%one) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%first) = "pd_op.embedding" (%ids, %table) {padding_idx:-1,sparse:false} : (tensor<1x-1xi64>, tensor<16x8xf32>) -> tensor<1x-1x8xf32>
    (%go) = "pd_op.less_than" (%zero, %most) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%n, %c, %m) = "pd_op.while" (cond=%go, inputs=%zero, %first, %none) {
    ^%i, %cache, %made
        (%state) = "pd_op.mean" (%cache, %axes) {keepdim:false} : (tensor<1x-1x8xf32>, tensor<1xi64>) -> tensor<1x8xf32>
        (%logits) = "pd_op.matmul" (%state, %scores) {transpose_x:false,transpose_y:false} : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
        (%probs) = "pd_op.softmax" (%logits) {axis:-1} : (tensor<1x16xf32>) -> tensor<1x16xf32>
        (%share, %id, %ts, %ti) = "pd_op.top_p_sampling" (%probs, %p, <<NULL VALUE>>, <<NULL VALUE>>) {k:0,mode:"truncated",seed:-1} : (tensor<1x16xf32>, tensor<1x1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x1xf32>, tensor<1x1xi64>, <<NULL TYPE>>, <<NULL TYPE>>
        (%row) = "pd_op.embedding" (%id, %table) {padding_idx:-1,sparse:false} : (tensor<1x1xi64>, tensor<16x8xf32>) -> tensor<1x1x8xf32>
        (%all_list) = "builtin.combine" (%cache, %row) {} : (tensor<1x-1x8xf32>, tensor<1x1x8xf32>) -> vec[tensor<1x-1x8xf32>,tensor<1x1x8xf32>]
        (%all) = "pd_op.concat" (%all_list, %axis) {} : (vec[tensor<1x-1x8xf32>,tensor<1x1x8xf32>], tensor<1xi32>) -> tensor<1x-1x8xf32>
        (%ids2_list) = "builtin.combine" (%made, %id) {} : (tensor<1x-1xi64>, tensor<1x1xi64>) -> vec[tensor<1x-1xi64>,tensor<1x1xi64>]
        (%ids2) = "pd_op.concat" (%ids2_list, %axis) {} : (vec[tensor<1x-1xi64>,tensor<1x1xi64>], tensor<1xi32>) -> tensor<1x-1xi64>
        (%next) = "pd_op.add" (%i, %one) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%again) = "pd_op.less_than" (%next, %most) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%again, %next, %all, %ids2) {} : (tensor<1xb>, tensor<1xi64>, tensor<1x-1x8xf32>, tensor<1x-1xi64>) ->
    }
    (%f0) = "pd_op.fetch" (%m) {col:0,name:"made"} : (tensor<1x-1xi64>) -> tensor<1x-1xi64>
    (%f1) = "pd_op.fetch" (%c) {col:1,name:"cache"} : (tensor<1x-1x8xf32>) -> tensor<1x-1x8xf32>
}
