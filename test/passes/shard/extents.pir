// What a program states of a parameter's extents in the file.
// RUN: python3 %S/parameters.py %s %t.pdiparams
// A part may have no elements, and so no place in the record.
// RUN: sed '/(%0) =/s/"w"}/"w",part_first:[0,0],whole_shape:[4,4]}/;s/tensor<4x4xf32>/tensor<0x2xf32>/g' %s > %t.pir && pir-run %t.pir --params=%t.pdiparams --print | FileCheck %s
// CHECK: y: float32[0,2]
// The file's extents have as many elements as those of the parameter.
// RUN: sed '/(%0) =/s/{p/{file_shape:[4,4],p/;s/tensor<4x4xf32>/tensor<1000x1000xf32>/g' %s > %t.pir && not pir-run %t.pir --params=%t.pdiparams 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: "builtin.parameter" file_shape has another number of elements than the parameter
// RUN: sed '/(%0) =/s/{p/{file_shape:[4,4],p/;s/tensor<4x4xf32>/tensor<2x8xf32>/g' %s > %t.pir && pir-opt %t.pir --params=%t.pdiparams -o %t.out.pir
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x4xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<4x4xf32>) ->
}
