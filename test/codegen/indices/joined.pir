// What is joined has equal extents along the other axes, or the run is refused.
// RUN: rm -rf %t && pir-run %s --input=x=5x40xf32=random:1 --input=y=5x40xf32=random:2 --cache=%t
// RUN: not pir-run %s --input=x=3x40xf32=random:1 --input=y=5x40xf32=random:2 --cache=%t 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=7x40xf32=random:1 --input=y=5x40xf32=random:2 2>&1 | FileCheck %s
// CHECK: error: "{{.*}}pd_op.concat{{.*}}": shapes do not fit together: an extent is {{3|7}} and must be 5
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,40]} : () -> tensor<-1x40xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[5,40]} : () -> tensor<5x40xf32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%3) = "builtin.combine" (%0, %1) {} : (tensor<-1x40xf32>, tensor<5x40xf32>) -> vec[tensor<-1x40xf32>,tensor<5x40xf32>]
    (%4) = "pd_op.concat" (%3, %2) {} : (vec[tensor<-1x40xf32>,tensor<5x40xf32>], tensor<1xi32>) -> tensor<-1x80xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<-1x80xf32>) -> tensor<-1x80xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<-1x80xf32>) -> tensor<-1x80xf32>
}
