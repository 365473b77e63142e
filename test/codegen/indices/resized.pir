// Positions that a scale decides may be too large for an integer.
// RUN: not pir-run %s --input=x=1x2x8x8xf32=random --input=scale=@%S/inputs/scale_tiny.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=1x2x8x8xf32=random --input=scale=@%S/inputs/scale_tiny.npy --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.bilinear_interp: index out of range of operand 0
// RUN: pir-run %s --input=x=1x2x8x8xf32=random --input=scale=@%S/inputs/scale_two.npy
{
(%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,8,8]} : () -> tensor<1x2x8x8xf32>
(%1) = "pd_op.data" () {dtype:float32,name:"scale",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
(%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[16,16]} : () -> tensor<2xi64>
(%4) = "pd_op.bilinear_interp" (%0, %2, <<NULL VALUE>>, %1) {align_corners:false,align_mode:1,data_format:"NCHW",interp_method:"bilinear",out_d:-1,out_h:16,out_w:16,scale:[]} : (tensor<1x2x8x8xf32>, tensor<2xi64>, <<NULL TYPE>>, tensor<2xf32>) -> tensor<1x2x16x16xf32>
(%10) = "pd_op.fetch" (%4) {col:0,name:"out"} : (tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
}
