// Boxes, steps and turns at places that are extents of another tensor: as a list and as a tensor. An index that runs along with a loop stays,
// and what it loads is masked; a box that leaves its tensor is refused by called and compiled ops alike.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=x=20x64xf32=random:1 --input=y=5x7xf32=random:2 --input=w=3xf32=random:3
// DEFINE: %{until} = ungrouped
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s %{in} --expect-dir=%t
// RUN: pir-run %s "--pipeline=%{until},group{few=0},dce,bind" %{in} --expect-dir=%t
// DEFINE: %{bad} = --input=x=20x64xf32=random:1 --input=y=15x7xf32=random:2 --input=w=3xf32=random:3
// RUN: not pir-run %s --pipeline=kernels %{bad} 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pir-run %s "--pipeline=%{until},group{few=0},dce,bind" %{bad} 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: pd_op.crop: index out of range of operand 0
// RUN: pir-opt %s "--passes=%{until},group{few=0}" --emit=loops --target=x86-64-v4 | FileCheck %s
// CHECK: group {{.*}}pd_op.crop, pd_op.exp
// CHECK: trap 1 where not(((ramp16([[I:v[0-9]+]], 1) + x16([[D:dim[0-9]+]].given)) < x16(64)))
// CHECK: [[M:v[0-9]+]]: bx16 = and(
// CHECK: b0.f32x16({{.*}} + [[D]].given) where [[M]])
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64]} : () -> tensor<-1x64xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%t1) = "pd_op.shape64" (%y) {} : (tensor<-1x-1xf32>) -> tensor<2xi64>
    (%t2) = "pd_op.shape64" (%w) {} : (tensor<-1xf32>) -> tensor<1xi64>
    (%t3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%t4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%t5) = "pd_op.slice" (%t1, %t3, %t4) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%t6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%t7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%t8) = "pd_op.slice" (%t1, %t6, %t7) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%t9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,48]} : () -> tensor<2xi64>
    (%t10) = "builtin.combine" (%t5, %t8) {} : (tensor<i64>, tensor<i64>) -> vec[tensor<i64>,tensor<i64>]
    (%t11) = "pd_op.crop" (%x, %t9, %t10) {} : (tensor<-1x64xf32>, tensor<2xi64>, vec[tensor<i64>,tensor<i64>]) -> tensor<8x48xf32>
    (%t12) = "pd_op.exp" (%t11) {} : (tensor<8x48xf32>) -> tensor<8x48xf32>
    (%t13) = "pd_op.crop" (%x, %t9, %t1) {} : (tensor<-1x64xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<8x48xf32>
    (%t14) = "pd_op.exp" (%t13) {} : (tensor<8x48xf32>) -> tensor<8x48xf32>
    (%t15) = "pd_op.roll" (%x, %t2) {axis:[1]} : (tensor<-1x64xf32>, tensor<1xi64>) -> tensor<-1x64xf32>
    (%t16) = "pd_op.tanh" (%t15) {} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%t17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%t18) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%t19) = "pd_op.slice" (%t2, %t17, %t18) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%t20) = "builtin.combine" (%t19) {} : (tensor<i64>) -> vec[tensor<i64>]
    (%t21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[18,60]} : () -> tensor<2xi64>
    (%t22) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,3]} : () -> tensor<2xi64>
    (%t23) = "pd_op.strided_slice" (%x, %t1, %t21, %t22) {axes:[0,1]} : (tensor<-1x64xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<-1x-1xf32>
    (%t24) = "pd_op.exp" (%t23) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%t25) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1]} : () -> tensor<2xi64>
    (%t26) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[18,60]} : () -> tensor<2xi64>
    (%t27) = "pd_op.slice" (%x, %t1, %t26) {axes:[0,1],decrease_axis:[],infer_flags:[-1,-1]} : (tensor<-1x64xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<-1x-1xf32>
    (%t28) = "pd_op.exp" (%t27) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%t29) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%t30) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%t31) = "pd_op.slice" (%x, %t29, %t30) {axes:[0],decrease_axis:[],infer_flags:[1]} : (tensor<-1x64xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x64xf32>
    (%t32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64]} : () -> tensor<1xi64>
    (%t33) = "builtin.combine" (%t2, %t32) {} : (tensor<1xi64>, tensor<1xi64>) -> vec[tensor<1xi64>,tensor<1xi64>]
    (%t34) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t35) = "pd_op.concat" (%t33, %t34) {} : (vec[tensor<1xi64>,tensor<1xi64>], tensor<1xi32>) -> tensor<2xi64>
    (%t36) = "pd_op.expand" (%t31, %t35) {} : (tensor<1x64xf32>, tensor<2xi64>) -> tensor<-1x64xf32>
    (%t37) = "pd_op.exp" (%t36) {} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%t38) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t39) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[32]} : () -> tensor<1xi64>
    (%t40) = "builtin.combine" (%t38, %t39) {} : (tensor<1xi64>, tensor<1xi64>) -> vec[tensor<1xi64>,tensor<1xi64>]
    (%t41) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t42) = "pd_op.concat" (%t40, %t41) {} : (vec[tensor<1xi64>,tensor<1xi64>], tensor<1xi32>) -> tensor<2xi64>
    (%t43) = "pd_op.reshape" (%x, %t42) {} : (tensor<-1x64xf32>, tensor<2xi64>) -> tensor<-1x32xf32>
    (%t44) = "pd_op.exp" (%t43) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%t45) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%t46) = "pd_op.reshape" (%t1, %t45) {} : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
    (%t47) = "pd_op.cast" (%t46) {dtype:int64} : (tensor<2xi64>) -> tensor<2xi64>
    (%t48) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t49) = "pd_op.gather" (%x, %t47, %t48) {} : (tensor<-1x64xf32>, tensor<2xi64>, tensor<1xi32>) -> tensor<2x64xf32>
    (%t50) = "pd_op.exp" (%t49) {} : (tensor<2x64xf32>) -> tensor<2x64xf32>
    (%o0) = "pd_op.fetch" (%t12) {col:0,name:"by_a_list"} : (tensor<8x48xf32>) -> tensor<8x48xf32>
    (%o1) = "pd_op.fetch" (%t14) {col:1,name:"by_extents"} : (tensor<8x48xf32>) -> tensor<8x48xf32>
    (%o2) = "pd_op.fetch" (%t16) {col:2,name:"rolled"} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%o3) = "pd_op.fetch" (%t24) {col:3,name:"strided"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%o4) = "pd_op.fetch" (%t28) {col:4,name:"sliced"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%o5) = "pd_op.fetch" (%t37) {col:5,name:"expanded"} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%o6) = "pd_op.fetch" (%t44) {col:6,name:"reshaped"} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%o7) = "pd_op.fetch" (%t50) {col:7,name:"gathered"} : (tensor<2x64xf32>) -> tensor<2x64xf32>
}
