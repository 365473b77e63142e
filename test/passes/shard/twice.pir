// Two ops of one name: equal reads are one value; parts of it that differ are refused, before a record is read.
// RUN: python3 %S/parameters.py %s %t.pdiparams && pir-run %s --params=%t.pdiparams --print | FileCheck %s
// CHECK: y: float32[4]
// RUN: sed '/(%1) =/s/"w"}/"w",part_first:[1099511627776],whole_shape:[4398046511104]}/' %s > %t.pir
// RUN: not pir-run %t.pir --params=%t.pdiparams 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: "builtin.parameter" another op takes a different part of parameter 'w'
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<4xf32>) ->
}
