// `mul` of extents that no reshape could find reads back as the op that does all of it. A gradient that is passed on is copied.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel | cmp - %t.pdmodel
// RUN: pir-run %t.pdmodel --input=x=2x3xf32=random:1 --input=y=3x4xf32=random:2
// CHECK: (%[[P:[0-9]+]]) = "pd_op.matmul_with_flatten" (%{{[0-9]+}}, %{{[0-9]+}}) {{.*}}x_num_col_dims:1,y_num_col_dims:1
// CHECK: "pd_op.assign" (%[[P]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%2) = "pd_op.matmul_with_flatten" (%0, %1) {stop_gradient:[true],x_num_col_dims:1,y_num_col_dims:1} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%3) = "pd_op.set_value_grad" (%2) {stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"f",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
