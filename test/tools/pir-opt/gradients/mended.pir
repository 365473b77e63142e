// Gradients, and results beside them, that differences have shown to be wrong.
// RUN: pir-opt %s --split-input-file --check-gradients | FileCheck %s
// CHECK-COUNT-11: {{[1-9]}} ok (largest relative difference {{[0-9.]*}}e-{{[0-9]*}}), 0 beyond, 0 not smooth
// CHECK-NOT: BEYOND
// The determinant of complex matrices: the conjugate of the result was missing.
{
    (%0) = "pd_op.data" () {dtype:complex64,name:"x",place:Place(undefined:0),shape:[2,3,3]} : () -> tensor<2x3x3xc64>
    (%1) = "pd_op.det" (%0) {} : (tensor<2x3x3xc64>) -> tensor<2xc64>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2xc64>) -> 
}
// -----
// Transposed complex triangular systems: x had the conjugate of its gradient.
{
    (%0) = "pd_op.data" () {dtype:complex64,name:"x",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xc64>
    (%1) = "pd_op.data" () {dtype:complex64,name:"y",place:Place(undefined:0),shape:[3,2]} : () -> tensor<3x2xc64>
    (%2) = "pd_op.triangular_solve" (%0, %1) {transpose:true,unitriangular:true,upper:true} : (tensor<3x3xc64>, tensor<3x2xc64>) -> tensor<3x2xc64>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<3x2xc64>) -> 
}
// -----
// Pooling that is both adaptive and global has windows as many as x is long; the gradient had one.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2,4,4,4]} : () -> tensor<2x2x4x4x4xf32>
    (%1) = "pd_op.pool3d" (%0) {adaptive:true,ceil_mode:false,data_format:"NCDHW",exclusive:true,global_pooling:true,kernel_size:[2,2,2],padding_algorithm:"EXPLICIT",paddings:[0,0,0],pooling_type:"avg",strides:[1,1,1]} : (tensor<2x2x4x4x4xf32>) -> tensor<2x2x4x4x4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2x2x4x4x4xf32>) -> 
}
// -----
// The gradient of lp_pool2d took channels-last data for channels-first.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,4,3]} : () -> tensor<2x4x4x3xf32>
    (%1) = "pd_op.lp_pool2d" (%0) {adaptive:false,ceil_mode:false,data_format:"NHWC",exclusive:true,global_pooling:false,kernel_size:[2,2],norm_type:2,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<2x4x4x3xf32>) -> tensor<2x2x2x3xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2x2x2x3xf32>) -> 
}
// -----
// The second gradient of a quotient in which x broadcasts read the sum that is the gradient of x.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%c) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%q) = "pd_op.scale" (%1, %c) {bias:3,bias_after_scale:true} : (tensor<4x3xf32>, tensor<1xf32>) -> tensor<4x3xf32>
    (%2) = "pd_op.divide" (%0, %q) {} : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%4, %5) = "pd_op.divide_grad" (%0, %q, %2, %3) {axis:-1} : (tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<3xf32>, tensor<4x3xf32>
    () = "builtin.shadow_output" (%4) {output_name:"dx"} : (tensor<3xf32>) -> 
    () = "builtin.shadow_output" (%5) {output_name:"dy"} : (tensor<4x3xf32>) -> 
}
// -----
// Of a transform over more than three axes the factor left out the fourth.
{
    (%0) = "pd_op.data" () {dtype:complex64,name:"x",place:Place(undefined:0),shape:[2,2,3,2,3]} : () -> tensor<2x2x3x2x3xc64>
    (%1) = "pd_op.fft_c2r" (%0) {axes:[0,1,2,3,4],forward:false,last_dim_size:0,normalization:"backward"} : (tensor<2x2x3x2x3xc64>) -> tensor<2x2x3x2x4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2x2x3x2x4xf32>) -> 
}
// -----
// A bias of float64 was rounded to float32.
{
    (%0) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf64>
    (%1) = "pd_op.data" () {dtype:float64,name:"w",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf64>
    (%2) = "pd_op.data" () {dtype:float64,name:"b",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf64>
    (%3, %4, %5) = "pd_op.fused_rms_norm_quant" (%0, <<NULL VALUE>>, <<NULL VALUE>>, %1, %2) {begin_norm_axis:1,epsilon:0.5,quant_max_bound:0,quant_min_bound:0,quant_round_type:0,quant_scale:-1} : (tensor<3x4xf64>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<4xf64>, tensor<4xf64>) -> tensor<3x4xf64>, <<NULL TYPE>>, tensor<3xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<3x4xf64>) -> 
}
// -----
// Rows with a negative weight are in the sum, and were not in the gradient.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,2],value:-0.5} : () -> tensor<2x2xf32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2,2],value:1} : () -> tensor<2x2xi32>
    (%3) = "pd_op.moe_combine_no_weight" (%0, %1, %2) {epsilon:1e-15} : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2x3xf32>) -> 
}
// -----
// An axis of one element mirrors nothing: what the grid names there was 0.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,1,3]} : () -> tensor<1x2x1x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,2,2,2],value:0.25} : () -> tensor<1x2x2x2xf32>
    (%2) = "pd_op.grid_sample" (%0, %1) {align_corners:true,mode:"nearest",padding_mode:"reflection"} : (tensor<1x2x1x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<1x2x2x2xf32>) -> 
}
// -----
// Windows of pool2d that are both adaptive and global.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%1) = "pd_op.pool2d" (%0, %k) {adaptive:true,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:true,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[1,1]} : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2x4x4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<1x2x4x4xf32>) -> 
}
// -----
// A list that nobody reads, the states of an RNN, has a gradient of zeros.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,2,3]} : () -> tensor<4x2x3xf32>
    (%s) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1,2,3]} : () -> tensor<1x2x3xf32>
    (%a) = "pd_op.data" () {dtype:float32,name:"wx",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xf32>
    (%b) = "pd_op.data" () {dtype:float32,name:"wh",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xf32>
    (%c) = "pd_op.data" () {dtype:float32,name:"bx",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%d) = "pd_op.data" () {dtype:float32,name:"bh",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%m) = "pd_op.data" () {dtype:uint8,name:"dropout",place:Place(undefined:0),shape:[0]} : () -> tensor<0xu8>
    (%p) = "builtin.combine" (%s) {} : (tensor<1x2x3xf32>) -> vec[tensor<1x2x3xf32>]
    (%w) = "builtin.combine" (%a, %b, %c, %d) {} : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> vec[tensor<3x3xf32>,tensor<3x3xf32>,tensor<3xf32>,tensor<3xf32>]
    (%1, %2, %3, %4) = "pd_op.rnn" (%0, %p, %w, <<NULL VALUE>>, %m) {dropout_prob:0,hidden_size:3,input_size:3,is_bidirec:false,is_test:true,mode:"RNN_TANH",num_layers:1,seed:0} : (tensor<4x2x3xf32>, vec[tensor<1x2x3xf32>], vec[tensor<3x3xf32>,tensor<3x3xf32>,tensor<3xf32>,tensor<3xf32>], <<NULL TYPE>>, tensor<0xu8>) -> tensor<4x2x3xf32>, tensor<0xf32>, vec[tensor<1x2x3xf32>], tensor<0xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<4x2x3xf32>) -> 
}
