// What Paddle refuses before a run, or does by rules that its gradient does not have, is refused by name.
// RUN: for n in 1 2 3; do awk -v n=$n 'BEGIN { RS = "// -----\n" } NR == n' %s > %t.$n.pir; done
// RUN: not pir-run %t.1.pir --input=x=6x2x6xf32 2>&1 | FileCheck %s --check-prefix=GOES
// RUN: not pir-run %t.2.pir --input=x=2x4x3x3x3xf32 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not pir-run %t.3.pir --input=x=6xf32 2>&1 | FileCheck %s --check-prefix=TWICE
// GOES: error: "pd_op.slice" axis 2 goes, and has extent 6 where 1 is expected
// RANK: error: "pd_op.temporal_shift" expects rank(x) == 4
// TWICE: unsupported: pd_op.set_value_with_tensor: axis 0 is named twice
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2,6]} : () -> tensor<6x2x6xf32>
  (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
  (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
  (%o) = "pd_op.slice" (%x, %s, %e) {axes:[1],decrease_axis:[2],infer_flags:[1]} : (tensor<6x2x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<6x1xf32>
  (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<6x1xf32>) -> tensor<6x1xf32>
}
// -----
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,3,3,3]} : () -> tensor<2x4x3x3x3xf32>
  (%o) = "pd_op.temporal_shift" (%x) {data_format:"NCHW",seg_num:2,shift_ratio:0.25} : (tensor<2x4x3x3x3xf32>) -> tensor<2x4x3x3x3xf32>
  (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x4x3x3x3xf32>) -> tensor<2x4x3x3x3xf32>
}
// -----
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6]} : () -> tensor<6xf32>
  (%v) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
  (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,1]} : () -> tensor<2xi64>
  (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,5]} : () -> tensor<2xi64>
  (%t) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,2]} : () -> tensor<2xi64>
  (%o) = "pd_op.set_value_with_tensor" (%x, %v, %s, %e, %t) {axes:[0,-1],decrease_axes:[],none_axes:[]} : (tensor<6xf32>, tensor<1xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6xf32>
  (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<6xf32>) -> tensor<6xf32>
}
