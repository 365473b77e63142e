// Norms and optimizers that have no kernel for integers refuse them: their inverse roots would be integers on the way.
// RUN: not pir-opt %s --split-input-file --passes=check 2>&1 | FileCheck %s
// CHECK: error: "pd_op.rms_norm" operand x
// CHECK: error: "pd_op.add_group_norm_silu" operand x
// CHECK: error: "pd_op.skip_layernorm" operand x
// CHECK: error: "pd_op.fused_bias_residual_layernorm" operand x
// CHECK: error: "pd_op.fused_fc_elementwise_layernorm" operand y
// CHECK: error: "pd_op.decayed_adagrad" operand param
// CHECK: error: "pd_op.ftrl" operand learning_rate
// CHECK: error: "pd_op.decayed_adagrad" operand grad
{
    (%x) = "pd_op.data" () {dtype:int8,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xi8>
    (%y, %v) = "pd_op.rms_norm" (%x, <<NULL VALUE>>) {epsilon:2,normalized_shape:[3]} : (tensor<2x3xi8>, <<NULL TYPE>>) -> tensor<2x3xi8>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%v) {col:0,name:"v"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int8,name:"x",place:Place(undefined:0),shape:[2,4,3,3]} : () -> tensor<2x4x3x3xi8>
    (%y, %r, %m, %v) = "pd_op.add_group_norm_silu" (%x, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {activation:"",data_format:"NCHW",epsilon:1e-05,groups:2} : (tensor<2x4x3x3xi8>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4x3x3xi8>, tensor<2x4x3x3xi8>, tensor<2x2xf32>, tensor<2x2xf32>
    (%f) = "pd_op.fetch" (%m) {col:0,name:"m"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xi64>
    (%s) = "pd_op.data" () {dtype:int64,name:"s",place:Place(undefined:0),shape:[4]} : () -> tensor<4xi64>
    (%y) = "pd_op.skip_layernorm" (%x, %x, %s, %s) {begin_norm_axis:1,epsilon:0} : (tensor<2x4xi64>, tensor<2x4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<2x4xi64>
    (%f) = "pd_op.fetch" (%y) {col:0,name:"y"} : (tensor<2x4xi64>) -> tensor<2x4xi64>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xi32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%y, %r, %m, %v) = "pd_op.fused_bias_residual_layernorm" (%x, <<NULL VALUE>>, <<NULL VALUE>>, %w, %w) {begin_norm_axis:1,epsilon:1,quant_max_bound:0,quant_min_bound:0,quant_round_type:0,quant_scale:-1,residual_alpha:1} : (tensor<2x4xi32>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xi32>, tensor<2x4xi32>, tensor<2xf32>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%y) {col:0,name:"y"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%y) = "pd_op.data" () {dtype:int64,name:"y",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xi64>
    (%o, %m, %v) = "pd_op.fused_fc_elementwise_layernorm" (%x, %w, %y, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {activation_type:"",begin_norm_axis:1,epsilon:1,x_num_col_dims:1} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<2x4xi64>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi32>
    (%g) = "pd_op.data" () {dtype:int32,name:"g",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi32>
    (%m) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2.14748e+09} : () -> tensor<1xi32>
    (%p, %n) = "pd_op.decayed_adagrad" (%x, %m, %m, %g) {decay:0.95,epsilon:1e-06} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>, tensor<1xi32>
    (%f) = "pd_op.fetch" (%n) {col:0,name:"n"} : (tensor<1xi32>) -> tensor<1xi32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%r) = "pd_op.data" () {dtype:bool,name:"r",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%p, %s, %l) = "pd_op.ftrl" (%x, %x, %x, %x, %r) {l1:0.125,l2:0,lr_power:-0.5} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xb>) -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%p) {col:0,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf64>
    (%g) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%p, %n) = "pd_op.decayed_adagrad" (%x, %g, %g, %x) {decay:0.95,epsilon:1e-06} : (tensor<2xf64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf64>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%p) {col:0,name:"p"} : (tensor<2xf64>) -> tensor<2xf64>
}
