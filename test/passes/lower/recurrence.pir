// A recurrent network becomes a product over all steps and a scan whose step is one product and the gates: for each
// layer and direction. One whose weights are inputs stays.
// RUN: pir-opt %s --passes=recurrence | FileCheck %s
// RUN: sed 's/"builtin.parameter" () {parameter_name:"w0"}/"pd_op.data" () {dtype:float32,name:"w0",place:Place(undefined:0),shape:[12,5]}/' %s | pir-opt - --passes=recurrence | FileCheck --check-prefix=FED %s
// CHECK: "pd_op.less_than"
// CHECK: [[GX:%[0-9]+]]) = "pd_op.add"
// CHECK: "cinn_op.scan" ([[GX]], {{.*}}reverse:false,sequences:2,states:1
// CHECK-NEXT: "pd_op.matmul" ({{.*}}, [[W1:%[0-9]+]]) {transpose_x:false,transpose_y:true}
// CHECK-COUNT-2: "pd_op.sigmoid"
// CHECK: "pd_op.tanh"
// CHECK-COUNT-2: "pd_op.where"
// CHECK: "cf.yield"
// CHECK: "cinn_op.scan"{{.*}}reverse:true,sequences:2,states:1
// CHECK: "pd_op.concat"
// CHECK: "pd_op.stack"
// CHECK-NOT: pd_op.rnn
// FED: pd_op.rnn
// FED-NOT: cinn_op.scan
{
    (%0) = "builtin.parameter" () {parameter_name:"w0"} : () -> tensor<12x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w1"} : () -> tensor<12x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<12xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,2,4]} : () -> tensor<2x2x4xf32>
    (%5) = "pd_op.data" () {dtype:int64,name:"lengths",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%6) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%7) = "builtin.combine" (%4) {} : (tensor<2x2x4xf32>) -> vec[tensor<2x2x4xf32>]
    (%8) = "builtin.combine" (%0, %1, %0, %1, %2, %2, %2, %2) {} : (tensor<12x5xf32>, tensor<12x4xf32>, tensor<12x5xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> vec[tensor<12x5xf32>,tensor<12x4xf32>,tensor<12x5xf32>,tensor<12x4xf32>,tensor<12xf32>,tensor<12xf32>,tensor<12xf32>,tensor<12xf32>]
    (%9, %10, %11, %12) = "pd_op.rnn" (%3, %7, %8, %5, %6) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:true,is_test:true,mode:"GRU",num_layers:1,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<2x2x4xf32>], vec[tensor<12x5xf32>,tensor<12x4xf32>,tensor<12x5xf32>,tensor<12x4xf32>,tensor<12xf32>,tensor<12xf32>,tensor<12xf32>,tensor<12xf32>], tensor<2xi64>, tensor<1xu8>) -> tensor<-1x2x8xf32>, tensor<f32>, vec[tensor<2x2x4xf32>], tensor<f32>
    (%13) = "builtin.split" (%11) {} : (vec[tensor<2x2x4xf32>]) -> tensor<2x2x4xf32>
    (%14) = "pd_op.fetch" (%9) {col:0,name:"out"} : (tensor<-1x2x8xf32>) -> tensor<-1x2x8xf32>
    (%15) = "pd_op.fetch" (%13) {col:1,name:"last"} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
}
