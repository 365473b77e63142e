// Ops that write over their operands and compute element by element are compiled with what goes before and after them: readers in front of the
// write have the old value, those behind it the new one. A scan in place stays called, and nothing is moved past it.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=p=64x48xf32=random:1 --input=g=64x48xf32=random:2 --input=v=64x48xf32=random:3 --input=r=1xf32=0.1
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s --pipeline=compile %{in} --expect-dir=%t
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// CHECK-NOT: _(phi_kernel)
// CHECK:     "cinn_op.group"
// CHECK-DAG: "pd_op.momentum_"
// CHECK-DAG: "pd_op.relu_"
// CHECK:     "cumsum_(phi_kernel)"
// CHECK-NOT: _(phi_kernel)
// CHECK:     "cinn_op.group"
{
    (%p) = "pd_op.data" () {dtype:float32,name:"p",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%g) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%v) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%r) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%before) = "pd_op.tanh" (%p) {} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%scaled) = "pd_op.multiply" (%g, %before) {} : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
    (%q, %w, %m) = "pd_op.momentum_" (%p, %scaled, %v, %r, <<NULL VALUE>>) {mu:0.9,multi_precision:false,regularization_coeff:0.01,regularization_method:"l2_decay",rescale_grad:1.0,use_nesterov:true} : (tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<1xf32>, <<NULL TYPE>>) -> tensor<64x48xf32>, tensor<64x48xf32>, <<NULL TYPE>>
    (%after) = "pd_op.exp" (%p) {} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%h) = "pd_op.relu_" (%scaled) {} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%late) = "pd_op.add" (%scaled, %after) {} : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
    (%sum) = "pd_op.cumsum_" (%v, %axis) {exclusive:false,flatten:false,reverse:false} : (tensor<64x48xf32>, tensor<1xi32>) -> tensor<64x48xf32>
    (%last) = "pd_op.subtract" (%v, %late) {} : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
    (%o1) = "pd_op.fetch" (%q) {col:0,name:"q"} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%o2) = "pd_op.fetch" (%w) {col:1,name:"w"} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%o3) = "pd_op.fetch" (%late) {col:2,name:"late"} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%o4) = "pd_op.fetch" (%last) {col:3,name:"last"} : (tensor<64x48xf32>) -> tensor<64x48xf32>
    (%o5) = "pd_op.fetch" (%before) {col:4,name:"before"} : (tensor<64x48xf32>) -> tensor<64x48xf32>
}
