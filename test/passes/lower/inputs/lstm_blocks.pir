{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,8,5],stop_gradient:[false]} : () -> tensor<3x8x5xf32>
    (%h) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,8,8],stop_gradient:[false]} : () -> tensor<2x8x8xf32>
    (%c) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2,8,8],stop_gradient:[false]} : () -> tensor<2x8x8xf32>
    (%wx0) = "pd_op.data" () {dtype:float32,name:"wx0",place:Place(undefined:0),shape:[32,5],stop_gradient:[false]} : () -> tensor<32x5xf32>
    (%wh0) = "pd_op.data" () {dtype:float32,name:"wh0",place:Place(undefined:0),shape:[32,8],stop_gradient:[false]} : () -> tensor<32x8xf32>
    (%wx1) = "pd_op.data" () {dtype:float32,name:"wx1",place:Place(undefined:0),shape:[32,8],stop_gradient:[false]} : () -> tensor<32x8xf32>
    (%wh1) = "pd_op.data" () {dtype:float32,name:"wh1",place:Place(undefined:0),shape:[32,8],stop_gradient:[false]} : () -> tensor<32x8xf32>
    (%bx0) = "pd_op.data" () {dtype:float32,name:"bx0",place:Place(undefined:0),shape:[32],stop_gradient:[false]} : () -> tensor<32xf32>
    (%bh0) = "pd_op.data" () {dtype:float32,name:"bh0",place:Place(undefined:0),shape:[32],stop_gradient:[false]} : () -> tensor<32xf32>
    (%bx1) = "pd_op.data" () {dtype:float32,name:"bx1",place:Place(undefined:0),shape:[32],stop_gradient:[false]} : () -> tensor<32xf32>
    (%bh1) = "pd_op.data" () {dtype:float32,name:"bh1",place:Place(undefined:0),shape:[32],stop_gradient:[false]} : () -> tensor<32xf32>
    (%u) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],stop_gradient:[true],value:0} : () -> tensor<0xu8>
    (%st) = "builtin.combine" (%h, %c) {stop_gradient:[false]} : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> vec[tensor<2x8x8xf32>,tensor<2x8x8xf32>]
    (%wl) = "builtin.combine" (%wx0, %wh0, %wx1, %wh1, %bx0, %bh0, %bx1, %bh1) {stop_gradient:[false]} : (tensor<32x5xf32>, tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> vec[tensor<32x5xf32>,tensor<32x8xf32>,tensor<32x8xf32>,tensor<32x8xf32>,tensor<32xf32>,tensor<32xf32>,tensor<32xf32>,tensor<32xf32>]
    (%out, %drop, %state, %reserve) = "pd_op.rnn" (%x, %st, %wl, <<NULL VALUE>>, %u) {dropout_prob:0,hidden_size:8,input_size:5,is_bidirec:false,is_test:false,mode:"LSTM",num_layers:2,seed:0,stop_gradient:[false,true,false,true]} : (tensor<3x8x5xf32>, vec[tensor<2x8x8xf32>,tensor<2x8x8xf32>], vec[tensor<32x5xf32>,tensor<32x8xf32>,tensor<32x8xf32>,tensor<32x8xf32>,tensor<32xf32>,tensor<32xf32>,tensor<32xf32>,tensor<32xf32>], <<NULL TYPE>>, tensor<0xu8>) -> tensor<3x8x8xf32>, tensor<0xu8>, vec[tensor<2x8x8xf32>,tensor<2x8x8xf32>], tensor<0xf32>
    (%sq) = "pd_op.multiply" (%out, %out) {stop_gradient:[false]} : (tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    (%axes) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%loss) = "pd_op.mean" (%sq, %axes) {keepdim:false,stop_gradient:[false]} : (tensor<3x8x8xf32>, tensor<0xi64>) -> tensor<f32>
    (%f) = "pd_op.fetch" (%loss) {col:0,name:"loss",stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
