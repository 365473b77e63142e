// Ten edges all go from row 1 to row 1; other rows stay 0, whether rows have 64 bits or 32. Rows that are not there are refused, and no edge gives zeros.
// RUN: pir-run %s --input=x=3x2xf32=0 --input=e=10xi64=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=3x2xf32=0 --input=e=0xi64=0 --pipeline=kernels --print | FileCheck --check-prefix=NONE %s
// RUN: not pir-run %s --input=x=1x2xf32=0 --input=e=10xi64=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=ROW %s
// CHECK: out: float32[3,2]
// CHECK-NEXT: {{\[\[}}0, 0],
// CHECK-NEXT: {{\[}}10, 10],
// CHECK-NEXT: {{\[}}0, 0]]
// CHECK-NEXT: narrow: float32[3,2]
// CHECK-NEXT: {{\[\[}}0, 0],
// CHECK-NEXT: {{\[}}10, 10],
// CHECK-NEXT: {{\[}}0, 0]]
// CHECK-NEXT: weighed: float32[3,2]
// CHECK-NEXT: {{\[\[}}0, 0],
// CHECK-NEXT: {{\[}}20, 20],
// CHECK-NEXT: {{\[}}0, 0]]
// NONE: out: float32[3,2]
// NONE-NEXT: {{\[\[}}0, 0],
// NONE-NEXT: {{\[}}0, 0],
// NONE-NEXT: {{\[}}0, 0]]
// ROW: pd_op.send_u_recv: row 1 of 1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"e",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xi64>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%4) = "pd_op.add" (%0, %2) {stop_gradient:[true]} : (tensor<-1x2xf32>, tensor<1xf32>) -> tensor<-1x2xf32>
    (%5) = "pd_op.add" (%1, %3) {stop_gradient:[true]} : (tensor<-1xi64>, tensor<1xi64>) -> tensor<-1xi64>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%7, %8) = "pd_op.send_u_recv" (%4, %5, %5, %6) {reduce_op:"SUM",stop_gradient:[true,true]} : (tensor<-1x2xf32>, tensor<-1xi64>, tensor<-1xi64>, tensor<1xi64>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%9) = "pd_op.fetch" (%7) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%10) = "pd_op.cast" (%5) {dtype:int32,stop_gradient:[true]} : (tensor<-1xi64>) -> tensor<-1xi32>
    (%11, %12) = "pd_op.send_u_recv" (%4, %10, %10, %6) {reduce_op:"SUM",stop_gradient:[true,true]} : (tensor<-1x2xf32>, tensor<-1xi32>, tensor<-1xi32>, tensor<1xi64>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%13) = "pd_op.fetch" (%11) {col:1,name:"narrow",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%17) = "pd_op.cast" (%5) {dtype:float32,stop_gradient:[true]} : (tensor<-1xi64>) -> tensor<-1xf32>
    (%18) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%19) = "pd_op.unsqueeze" (%17, %18) {stop_gradient:[true]} : (tensor<-1xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%14, %15) = "pd_op.send_ue_recv" (%4, %19, %10, %10, %6) {message_op:"ADD",reduce_op:"SUM",stop_gradient:[true,true]} : (tensor<-1x2xf32>, tensor<-1x1xf32>, tensor<-1xi32>, tensor<-1xi32>, tensor<1xi64>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%16) = "pd_op.fetch" (%14) {col:2,name:"weighed",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
