// An inner dim that only the run shows must fit the other operand: it does, or the run is refused.
// RUN: pir-run %s --input=x=2x40xf32=random --input=w=40x80xf32=random
// RUN: not pir-run %s --input=x=2x50xf32=random --input=w=40x80xf32=random 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=2x2xf32=random --input=w=40x80xf32=random 2>&1 | FileCheck %s
// CHECK: error: "{{.*}}pd_op.{{.*}}": shapes do not fit together: an extent is 40 and must be {{50|2}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[40,80],stop_gradient:[false]} : () -> tensor<40x80xf32>
    (%2) = "pd_op.matmul" (%0, %1) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<-1x-1xf32>, tensor<40x80xf32>) -> tensor<-1x80xf32>
    (%3) = "pd_op.relu" (%2) {stop_gradient:[false]} : (tensor<-1x80xf32>) -> tensor<-1x80xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0",persistable:[true],stop_gradient:[false]} : (tensor<-1x80xf32>) -> tensor<-1x80xf32>
}
