// An op whose result nobody reads does not count, even if it could not run: Paddle traces what an integer result of unique becomes as floats,
// and leaves it out when it runs the program.
// RUN: pir-run %s --pipeline=kernels --input=x=3xi64=0 --print | FileCheck %s
// RUN: pir-run %s --pipeline=compile --input=x=3xi64=0 --print | FileCheck %s
// RUN: sed 's/fetch" (%n)/fetch" (%w)/' %s > %t.pir
// RUN: not pir-run %t.pir --input=x=3xi64=0 2>&1 | FileCheck %s --check-prefix=READ
// CHECK: [0, 0, 0]
// READ:  "pd_op.swish" operand x: expects float32 or float64 or bfloat16, found int64
{
    (%x) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xi64>
    (%u, %i, %v, %c) = "pd_op.unique" (%x) {axis:[],dtype:int64,is_sorted:true,return_counts:false,return_index:false,return_inverse:false,stop_gradient:[true,true,true,true]} : (tensor<3xi64>) -> tensor<-1xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%w) = "pd_op.swish" (%u) {stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%n) = "pd_op.add" (%x, %x) {stop_gradient:[true]} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
    (%f) = "pd_op.fetch" (%n) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<3xi64>) -> tensor<3xi64>
}
