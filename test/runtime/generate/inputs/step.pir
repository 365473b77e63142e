{
    (%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<1x-1xi64>
    (%cache) = "pd_op.data" () {dtype:float32,name:"cache",place:Place(undefined:0),shape:[1,-1,8]} : () -> tensor<1x-1x8xf32>
    (%table) = "pd_op.data" () {dtype:float32,name:"table",place:Place(undefined:0),shape:[16,8]} : () -> tensor<16x8xf32>
    (%scores) = "pd_op.data" () {dtype:float32,name:"scores",place:Place(undefined:0),shape:[8,16]} : () -> tensor<8x16xf32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%axes) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%rows) = "pd_op.embedding" (%ids, %table) {padding_idx:-1,sparse:false} : (tensor<1x-1xi64>, tensor<16x8xf32>) -> tensor<1x-1x8xf32>
    (%all_list) = "builtin.combine" (%cache, %rows) {} : (tensor<1x-1x8xf32>, tensor<1x-1x8xf32>) -> vec[tensor<1x-1x8xf32>,tensor<1x-1x8xf32>]
    (%all) = "pd_op.concat" (%all_list, %axis) {} : (vec[tensor<1x-1x8xf32>,tensor<1x-1x8xf32>], tensor<1xi32>) -> tensor<1x-1x8xf32>
    (%state) = "pd_op.mean" (%all, %axes) {keepdim:false} : (tensor<1x-1x8xf32>, tensor<1xi64>) -> tensor<1x8xf32>
    (%logits) = "pd_op.matmul" (%state, %scores) {transpose_x:false,transpose_y:false} : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    (%f0) = "pd_op.fetch" (%logits) {col:0,name:"logits"} : (tensor<1x16xf32>) -> tensor<1x16xf32>
    (%f1) = "pd_op.fetch" (%all) {col:1,name:"all"} : (tensor<1x-1x8xf32>) -> tensor<1x-1x8xf32>
}
