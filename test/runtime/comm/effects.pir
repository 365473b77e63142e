// Collective operators stay, in their order and with their number, whatever passes do: equal ones are not merged, unused ones not dropped, ones on
// constants not folded. Operators that exchange nothing are as others.
// RUN: pir-opt %s --passes=cse,dce,fold,canonicalize | FileCheck %s
// RUN: pir-opt %s --pipeline=compile | FileCheck %s --check-prefix=LOWERED
// CHECK: pd_op.send_v2
// CHECK-NEXT: pd_op.recv_v2
// CHECK: pd_op.all_reduce"
// CHECK-NEXT: pd_op.all_reduce"
// CHECK-NEXT: pd_op.barrier
// CHECK-NOT: pd_op.c_split
// LOWERED: send_v2
// LOWERED: recv_v2
// LOWERED: all_reduce
// LOWERED: all_reduce
// LOWERED: barrier
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],stop_gradient:[true],value:1} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {dynamic_shape:false,peer:0,ring_id:0,use_calc_stream:true} : (tensor<2xf32>) -> 
    (%2) = "pd_op.recv_v2" () {dtype:float32,dynamic_shape:false,out_shape:[2],peer:0,ring_id:0,stop_gradient:[true],use_calc_stream:true} : () -> tensor<2xf32>
    (%3) = "pd_op.all_reduce" (%1) {reduce_type:0,ring_id:0,stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.all_reduce" (%1) {reduce_type:0,ring_id:0,stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.barrier" (%0) {ring_id:0,stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.c_split" (%0) {nranks:2,rank:0,ring_id:0,stop_gradient:[true],use_model_parallel:true} : (tensor<2xf32>) -> tensor<1xf32>
    (%7) = "pd_op.add" (%2, %4) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.fetch" (%7) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
