// Lists that are joined, stacked and summed, and those that ops divide: of one member and of more than a loop chooses among, along axes from
// the end and axes that only the run shows, read by several ops, member by member, and joined with what was moved. The numbers are those of called ops.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=x=4x6xf32=random:1 --input=y=4x6xf32=random:2 --input=a=1xi32 --input=z=6x4xf32=random:4
// DEFINE: %{until} = ungrouped
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s %{in} --expect-dir=%t
// RUN: pir-run %s "--pipeline=%{until},group{few=0},dce,bind" %{in} --expect-dir=%t
// RUN: for n in 3 8 15 30; do pir-run %s "--pipeline=%{until},group{few=0,refuse=lower,at=$n},dce,bind" %{in} --expect-dir=%t || exit 1; done
// RUN: pir-opt %s "--passes=%{until},group{few=0}" --explain 2>&1 >/dev/null | FileCheck %s
// CHECK: "pd_op.concat" is not compiled: unsupported: a list of this length
// CHECK: "pd_op.concat" is not compiled: its list is read by others or made elsewhere
// CHECK: "pd_op.concat" is not compiled: only running it shows how large its result is
// CHECK: "pd_op.stack" is not compiled: its list is read by others or made elsewhere
// CHECK: "pd_op.add_n" is not compiled: its list is read by others or made elsewhere
// CHECK-NOT: "pd_op.data" is not compiled
// RUN: pir-opt %s "--passes=%{until},group{few=0}" | FileCheck %s --check-prefix=SUM
// SUM:      cinn_op.group
// SUM:        "builtin.combine" (%[[X:[0-9]+]], %{{[0-9]+}}, %[[X]])
// SUM-NEXT:   "pd_op.add_n"
// SUM-NEXT:   "pd_op.exp"
// SUM-NEXT:   "cf.yield"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,6]} : () -> tensor<4x6xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,6]} : () -> tensor<4x6xf32>
    (%t1) = "builtin.combine" (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>]
    (%t2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t3) = "pd_op.concat" (%t1, %t2) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi32>) -> tensor<260x6xf32>
    (%t4) = "pd_op.exp" (%t3) {} : (tensor<260x6xf32>) -> tensor<260x6xf32>
    (%t5) = "builtin.combine" (%x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y, %x, %y) {} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>]
    (%t6) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%t7) = "pd_op.concat" (%t5, %t6) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi32>) -> tensor<4x384xf32>
    (%t8) = "pd_op.exp" (%t7) {} : (tensor<4x384xf32>) -> tensor<4x384xf32>
    (%t9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-2]} : () -> tensor<1xi64>
    (%t10) = "pd_op.cast" (%t9) {dtype:int32} : (tensor<1xi64>) -> tensor<1xi32>
    (%t11) = "builtin.combine" (%x, %y) {} : (tensor<4x6xf32>, tensor<4x6xf32>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>]
    (%t12) = "pd_op.concat" (%t11, %t10) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi32>) -> tensor<8x6xf32>
    (%t13) = "pd_op.exp" (%t12) {} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    (%a) = "pd_op.data" () {dtype:int32,name:"a",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi32>
    (%t14) = "pd_op.concat" (%t11, %a) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi32>) -> tensor<-1x-1xf32>
    (%t15) = "pd_op.exp" (%t14) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%t16) = "builtin.combine" (%x) {} : (tensor<4x6xf32>) -> vec[tensor<4x6xf32>]
    (%t17) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%t18) = "pd_op.concat" (%t16, %t17) {} : (vec[tensor<4x6xf32>], tensor<1xi32>) -> tensor<4x6xf32>
    (%t19) = "pd_op.exp" (%t18) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t20) = "pd_op.stack" (%t16) {axis:1} : (vec[tensor<4x6xf32>]) -> tensor<4x1x6xf32>
    (%t21) = "pd_op.exp" (%t20) {} : (tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    (%t22) = "pd_op.stack" (%t11) {axis:-1} : (vec[tensor<4x6xf32>,tensor<4x6xf32>]) -> tensor<4x6x2xf32>
    (%t23) = "pd_op.exp" (%t22) {} : (tensor<4x6x2xf32>) -> tensor<4x6x2xf32>
    (%t24) = "pd_op.tanh" (%x) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t25) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2,3]} : () -> tensor<3xi64>
    (%t26) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%t27) = "pd_op.split" (%t24, %t25, %t26) {} : (tensor<4x6xf32>, tensor<3xi64>, tensor<1xi32>) -> vec[tensor<4x1xf32>,tensor<4x2xf32>,tensor<4x3xf32>]
    (%t28) = "builtin.slice" (%t27) {index:1} : (vec[tensor<4x1xf32>,tensor<4x2xf32>,tensor<4x3xf32>]) -> tensor<4x2xf32>
    (%t29) = "builtin.slice" (%t27) {index:2} : (vec[tensor<4x1xf32>,tensor<4x2xf32>,tensor<4x3xf32>]) -> tensor<4x3xf32>
    (%t30) = "pd_op.exp" (%t28) {} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    (%t31) = "builtin.slice" (%t27) {index:0} : (vec[tensor<4x1xf32>,tensor<4x2xf32>,tensor<4x3xf32>]) -> tensor<4x1xf32>
    (%t32) = "pd_op.add" (%t30, %t31) {} : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    (%t33) = "pd_op.sin" (%t29) {} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    (%t34) = "pd_op.abs" (%x) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t35) = "pd_op.unbind" (%t34) {axis:1} : (tensor<4x6xf32>) -> vec[tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>]
    (%t36, %t37, %t38, %t39, %t40, %t41) = "builtin.split" (%t35) {} : (vec[tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>]) -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    (%t42) = "pd_op.add" (%t37, %t40) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%t43) = "pd_op.exp" (%t42) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%t44) = "pd_op.ceil" (%x) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t45) = "pd_op.unstack" (%t44) {axis:0,num:4} : (tensor<4x6xf32>) -> vec[tensor<6xf32>,tensor<6xf32>,tensor<6xf32>,tensor<6xf32>]
    (%t46, %t47, %t48, %t49) = "builtin.split" (%t45) {} : (vec[tensor<6xf32>,tensor<6xf32>,tensor<6xf32>,tensor<6xf32>]) -> tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    (%t50) = "pd_op.multiply" (%t46, %t49) {} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    (%t51) = "pd_op.exp" (%t50) {} : (tensor<6xf32>) -> tensor<6xf32>
    (%t52) = "pd_op.floor" (%x) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t53) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1.0} : () -> tensor<1xi32>
    (%t54) = "pd_op.split_with_num" (%t52, %t53) {num:3} : (tensor<4x6xf32>, tensor<1xi32>) -> vec[tensor<4x2xf32>,tensor<4x2xf32>,tensor<4x2xf32>]
    (%t55, %t56, %t57) = "builtin.split" (%t54) {} : (vec[tensor<4x2xf32>,tensor<4x2xf32>,tensor<4x2xf32>]) -> tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
    (%t58) = "pd_op.subtract" (%t55, %t57) {} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    (%t59) = "pd_op.exp" (%t58) {} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    (%t60) = "builtin.combine" (%x, %y, %x) {} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>]
    (%t61) = "pd_op.add_n" (%t60) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>,tensor<4x6xf32>]) -> tensor<4x6xf32>
    (%t62) = "pd_op.exp" (%t61) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%t63) = "pd_op.add_n" (%t16) {} : (vec[tensor<4x6xf32>]) -> tensor<4x6xf32>
    (%t64) = "pd_op.sin" (%t63) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[6,4]} : () -> tensor<6x4xf32>
    (%t65) = "pd_op.transpose" (%z) {perm:[1,0]} : (tensor<6x4xf32>) -> tensor<4x6xf32>
    (%t66) = "builtin.combine" (%x, %t65) {} : (tensor<4x6xf32>, tensor<4x6xf32>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>]
    (%t67) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%t68) = "pd_op.concat" (%t66, %t67) {} : (vec[tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi32>) -> tensor<4x12xf32>
    (%t69) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,0,3]} : () -> tensor<3xi64>
    (%t70) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t71) = "pd_op.gather" (%t68, %t69, %t70) {} : (tensor<4x12xf32>, tensor<3xi64>, tensor<1xi32>) -> tensor<3x12xf32>
    (%t72) = "pd_op.flip" (%t68) {axis:[1]} : (tensor<4x12xf32>) -> tensor<4x12xf32>
    (%o0) = "pd_op.fetch" (%t4) {col:0,name:"many"} : (tensor<260x6xf32>) -> tensor<260x6xf32>
    (%o1) = "pd_op.fetch" (%t8) {col:1,name:"as_many_as_can_be"} : (tensor<4x384xf32>) -> tensor<4x384xf32>
    (%o2) = "pd_op.fetch" (%t13) {col:2,name:"axis_from_the_end"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    (%o3) = "pd_op.fetch" (%t15) {col:3,name:"axis_of_the_run"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%o4) = "pd_op.fetch" (%t19) {col:4,name:"one"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%o5) = "pd_op.fetch" (%t21) {col:5,name:"one_stacked"} : (tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    (%o6) = "pd_op.fetch" (%t23) {col:6,name:"stacked_last"} : (tensor<4x6x2xf32>) -> tensor<4x6x2xf32>
    (%o7) = "pd_op.fetch" (%t32) {col:7,name:"member"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    (%o8) = "pd_op.fetch" (%t33) {col:8,name:"last_member"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    (%o9) = "pd_op.fetch" (%t43) {col:9,name:"unbound"} : (tensor<4xf32>) -> tensor<4xf32>
    (%o10) = "pd_op.fetch" (%t51) {col:10,name:"unstacked"} : (tensor<6xf32>) -> tensor<6xf32>
    (%o11) = "pd_op.fetch" (%t59) {col:11,name:"split_from_the_end"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    (%o12) = "pd_op.fetch" (%t62) {col:12,name:"sum"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%o13) = "pd_op.fetch" (%t64) {col:13,name:"sum_of_one"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    (%o14) = "pd_op.fetch" (%t71) {col:14,name:"gathered"} : (tensor<3x12xf32>) -> tensor<3x12xf32>
    (%o15) = "pd_op.fetch" (%t72) {col:15,name:"flipped"} : (tensor<4x12xf32>) -> tensor<4x12xf32>
}
