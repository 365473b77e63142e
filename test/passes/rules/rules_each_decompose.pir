// RUN: pir-opt %s --split-input-file --verify-each --passes=decompose_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=DECOMPOSE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=decompose_skipped_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=DECOMPOSESKIPPED --allow-empty

// Programs drawn for rules that no other test shows: each fires on one, and leaves one alone. That the numbers stay is
// checked by --check-rules, which draws them alike.
// DECOMPOSE: // decompose.drr:{{[0-9]+}} swiglu_halves{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.swiglu" (%0, <<NULL VALUE>>) {} : (tensor<4x4xf32>, <<NULL TYPE>>) -> tensor<4x2xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} log_softmax{{[:[]}}
// DECOMPOSE: // decompose.drr:{{[0-9]+}} wide[log_softmax]:
{
    (%0) = "pd_op.data" () {dtype:float16,name:"a",place:Place(cpu),shape:[4]} : () -> tensor<4xf16>
    (%1) = "pd_op.log_softmax" (%0) {axis:0} : (tensor<4xf16>) -> tensor<4xf16>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<4xf16>) -> tensor<4xf16>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} lerp{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%3) = "pd_op.lerp" (%0, %1, %2) {} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<4xf32>) -> tensor<4xf32>
}
// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} heaviside{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%2) = "pd_op.heaviside" (%0, %1) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<4xf32>) -> tensor<4xf32>
}
// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} mean_wide{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"a",place:Place(cpu),shape:[5]} : () -> tensor<5xbf16>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false} : (tensor<5xbf16>, tensor<1xi64>) -> tensor<bf16>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<bf16>) -> tensor<bf16>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} mean_dynamic_2{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[]} : () -> tensor<f32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,0]} : () -> tensor<2xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false} : (tensor<f32>, tensor<2xi64>) -> tensor<f32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<f32>) -> tensor<f32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} numel{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[5,1]} : () -> tensor<5x1xf32>
    (%1) = "pd_op.numel" (%0) {} : (tensor<5x1xf32>) -> tensor<i64>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<i64>) -> tensor<i64>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} squared_l2_norm{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:int32,name:"a",place:Place(cpu),shape:[3]} : () -> tensor<3xi32>
    (%1) = "pd_op.squared_l2_norm" (%0) {} : (tensor<3xi32>) -> tensor<1xi32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<1xi32>) -> tensor<1xi32>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} unstack{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:int32,name:"a",place:Place(cpu),shape:[-1,3,3,6]} : () -> tensor<-1x3x3x6xi32>
    (%1) = "pd_op.unstack" (%0) {axis:2,num:3} : (tensor<3x3x3x6xi32>) -> vec[tensor<3x3x6xi32>,tensor<3x3x6xi32>,tensor<3x3x6xi32>]
    (%2, %3, %4) = "builtin.split" (%1) {} : (vec[tensor<3x3x6xi32>,tensor<3x3x6xi32>,tensor<3x3x6xi32>]) -> tensor<3x3x6xi32>, tensor<3x3x6xi32>, tensor<3x3x6xi32>
    (%5) = "pd_op.fetch" (%2) {col:1,name:"out1"} : (tensor<3x3x6xi32>) -> tensor<3x3x6xi32>
    (%6) = "pd_op.fetch" (%3) {col:2,name:"out2"} : (tensor<3x3x6xi32>) -> tensor<3x3x6xi32>
    (%7) = "pd_op.fetch" (%4) {col:3,name:"out3"} : (tensor<3x3x6xi32>) -> tensor<3x3x6xi32>
}
// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} meshgrid_2{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[6]} : () -> tensor<6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<6xf32>, tensor<2xf32>) -> vec[tensor<6xf32>,tensor<2xf32>]
    (%3) = "pd_op.meshgrid" (%2) {} : (vec[tensor<6xf32>,tensor<2xf32>]) -> vec[tensor<6x2xf32>,tensor<6x2xf32>]
    (%4, %5) = "builtin.split" (%3) {} : (vec[tensor<6x2xf32>,tensor<6x2xf32>]) -> tensor<6x2xf32>, tensor<6x2xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"out0"} : (tensor<6x2xf32>) -> tensor<6x2xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"out1"} : (tensor<6x2xf32>) -> tensor<6x2xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} huber_loss{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%2, %3) = "pd_op.huber_loss" (%0, %1) {delta:0.5} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<4xf32>) -> tensor<4xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"out1"} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_weighted_normalized{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, %2) {ignore_index:1,normalize:true} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} norm_wide{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"a",place:Place(cpu),shape:[3,1,5,4]} : () -> tensor<3x1x5x4xbf16>
    (%1, %2, %3) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<3x1x5x4xbf16>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<3x1x5x4xbf16>, tensor<3xf32>, tensor<3xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<3xf32>) -> tensor<3xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"out1"} : (tensor<3xf32>) -> tensor<3xf32>
    (%6) = "pd_op.fetch" (%1) {col:2,name:"out2"} : (tensor<3x1x5x4xbf16>) -> tensor<3x1x5x4xbf16>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} clip_dynamic_cast{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float64,name:"x",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf64>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%2) = "pd_op.clip" (%0, %1, %1) {} : (tensor<-1x3xf64>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x3xf64>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x3xf64>) -> tensor<-1x3xf64>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} mean_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,1,2,3]} : () -> tensor<4xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false} : (tensor<-1x-1x-1x-1xf32>, tensor<4xi64>) -> tensor<f32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<f32>) -> tensor<f32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} wide{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf16>
    (%1) = "pd_op.hardswish" (%0) {} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%2) = "pd_op.leaky_relu" (%1) {negative_slope:0.1} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<2x3xf16>) -> tensor<2x3xf16>
}

// -----
// DECOMPOSESKIPPED: // decompose.drr:{{[0-9]+}} masked_fill{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"b",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xb>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%3) = "pd_op.masked_fill" (%0, %1, %2) {} : (tensor<4x4xf32>, tensor<4x4xb>, tensor<4x4xf32>) -> tensor<4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// DECOMPOSESKIPPED-NOT: // decompose.drr:{{[0-9]+}} masked_fill{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"b",place:Place(cpu),shape:[-1,4]} : () -> tensor<-1x4xb>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%3) = "pd_op.masked_fill" (%0, %1, %2) {} : (tensor<4x4xf32>, tensor<4x4xb>, tensor<4x4xf32>) -> tensor<4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// DECOMPOSESKIPPED: // decompose.drr:{{[0-9]+}} dropout_test{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%2, %3) = "pd_op.dropout" (%0, <<NULL VALUE>>, %1) {fix_seed:false,is_test:true,mode:"upscale_in_train",seed:0} : (tensor<2xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2xf32>, tensor<2xu8>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// DECOMPOSESKIPPED: // decompose.drr:{{[0-9]+}} dropout_test_downscaled{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[5]} : () -> tensor<5xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%2, %3) = "pd_op.dropout" (%0, <<NULL VALUE>>, %1) {fix_seed:false,is_test:true,mode:"downgrade_in_infer",seed:0} : (tensor<5xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<5xf32>, tensor<5xu8>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<5xf32>) -> tensor<5xf32>
}

// -----
// DECOMPOSESKIPPED: // decompose.drr:{{[0-9]+}} dropout_downscaled_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%2, %3) = "pd_op.dropout" (%0, <<NULL VALUE>>, %1) {fix_seed:false,is_test:false,mode:"downgrade_in_infer",seed:0} : (tensor<-1x-1x-1x-1xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xu8>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} lerp_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:0.3} : () -> tensor<f32>
    (%3) = "pd_op.lerp" (%0, %1, %2) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>, tensor<f32>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} kldiv_loss{{[:[]}}
// DECOMPOSE: // decompose.drr:{{[0-9]+}} kldiv_loss_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.kldiv_loss" (%0, %1) {log_target:false,reduction:"none"} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, <<NULL VALUE>>) {ignore_index:-100,normalize:false} : (tensor<-1x3xf32>, tensor<-1x3xf32>, <<NULL TYPE>>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_weighted_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, %2) {ignore_index:-100,normalize:false} : (tensor<-1x3xf32>, tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_normalized_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, <<NULL VALUE>>) {ignore_index:-100,normalize:true} : (tensor<-1x3xf32>, tensor<-1x3xf32>, <<NULL TYPE>>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_weighted_normalized_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, %2) {ignore_index:-100,normalize:true} : (tensor<-1x3xf32>, tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// Labels that may be fewer are counted anew.
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} sigmoid_cross_entropy_normalized_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%3) = "pd_op.sigmoid_cross_entropy_with_logits" (%0, %1, <<NULL VALUE>>) {ignore_index:-100,normalize:true} : (tensor<-1x3xf32>, tensor<-1x3xf32>, <<NULL TYPE>>) -> tensor<-1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} meshgrid_3_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%3) = "builtin.combine" (%0, %1, %2) {} : (tensor<-1xf32>, tensor<-1xf32>, tensor<-1xf32>) -> vec[tensor<-1xf32>,tensor<-1xf32>,tensor<-1xf32>]
    (%4) = "pd_op.meshgrid" (%3) {} : (vec[tensor<-1xf32>,tensor<-1xf32>,tensor<-1xf32>]) -> vec[tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>]
    (%5, %6, %7) = "builtin.split" (%4) {} : (vec[tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>]) -> tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%8) = "pd_op.fetch" (%6) {col:0,name:"out0"} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
}

// -----
// DECOMPOSE: // decompose.drr:{{[0-9]+}} instance_norm_dynamic_batch{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3,4,5]} : () -> tensor<-1x3x4x5xf32>
    (%1, %2, %3) = "pd_op.instance_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {epsilon:1e-05} : (tensor<-1x3x4x5xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x3x4x5xf32>, tensor<-1xf32>, tensor<-1xf32>
    (%4) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<-1x3x4x5xf32>) -> tensor<-1x3x4x5xf32>
}

// -----
// DECOMPOSE-NOT: // decompose.drr:{{[0-9]+}} instance_norm_dynamic_batch{{[:[]}}
// DECOMPOSE: // decompose.drr:{{[0-9]+}} instance_norm_dynamic{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,3,-1,5]} : () -> tensor<-1x3x-1x5xf32>
    (%1, %2, %3) = "pd_op.instance_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {epsilon:1e-05} : (tensor<-1x3x-1x5xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x3x-1x5xf32>, tensor<-1xf32>, tensor<-1xf32>
    (%4) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<-1x3x-1x5xf32>) -> tensor<-1x3x-1x5xf32>
}
