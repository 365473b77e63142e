// A list that is absent, and a cutoff without an element, are refused where a run needs them.
// RUN: not pir-run %s --input=x=3x2xf32 --input=z=0xf32 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: sed '/multi_dot/d; s/(%list)/(%a)/' %s > %t.pir && not pir-run %t.pir --pipeline=kernels --input=x=3x2xf32=random --input=z=0xf32 2>&1 | FileCheck %s --check-prefix=CUTOFF
// RUN: sed '/multi_dot/d; s/^    .*pd_op.lstsq.*/    (%%zero) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>\n    (%%list) = "pd_op.concat" (<<NULL VALUE>>, %%zero) {} : (<<NULL TYPE>>, tensor<1xi32>) -> tensor<3x2xf32>/' %s > %t.join.pir
// RUN: not pir-run %t.join.pir --pipeline=compile --input=x=3x2xf32 --input=z=0xf32 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN: pd_op.concat: members do not fill axis 0
// LIST: :12:5: error: unsupported: "pd_op.multi_dot" of a list that no combine makes
// CUTOFF: pd_op.lstsq: rcond: expects one element, found none
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,2]} : () -> tensor<3x2xf32>
    (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[0]} : () -> tensor<0xf32>
    (%list) = "pd_op.multi_dot" (<<NULL VALUE>>) {} : (<<NULL TYPE>>) -> tensor<3x2xf32>
    (%a, %b, %c, %d) = "pd_op.lstsq" (%x, %x, %z) {driver:"gels"} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<0xf32>) -> tensor<2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>
    () = "builtin.shadow_output" (%list) {output_name:"y"} : (tensor<3x2xf32>) -> 
}
