{
    (%0) = "pd_op.data" () {dtype:float32,name:"learning_rate_0",persistable:[true],place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<f32>
    (%1) = "pd_op.fetch" (%0) {col:0,name:"rate",persistable:[true]} : (tensor<f32>) -> tensor<f32>
}
