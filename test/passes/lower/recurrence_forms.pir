// Recurrent networks of every mode become scans: of one direction or two, of one layer or several, with lengths and without.
// RUN: pir-opt %s --split-input-file --passes=recurrence | FileCheck %s --implicit-check-not=pd_op.rnn
// RUN: pir-opt %s --split-input-file --passes=recurrence,check --verify-each >/dev/null

// Two layers: the second multiplies the outputs of the first. Nothing is masked.
// CHECK: [[PROJECTED:%[0-9]+]]) = "pd_op.add"
// CHECK: (%{{[0-9]+}}, %{{[0-9]+}}, [[FIRST:%[0-9]+]]) = "cinn_op.scan" ([[PROJECTED]], %{{[0-9]+}}, %{{[0-9]+}}) {reverse:false,sequences:1,states:2}
// CHECK-COUNT-2: "pd_op.sigmoid"
// CHECK: "pd_op.tanh"
// CHECK: "pd_op.sigmoid"
// CHECK: "pd_op.tanh"
// CHECK-NOT: "pd_op.where"
// CHECK: "pd_op.matmul" ([[FIRST]], %{{[0-9]+}}) {transpose_x:false,transpose_y:true}
// CHECK: (%{{[0-9]+}}, %{{[0-9]+}}, [[SECOND:%[0-9]+]]) = "cinn_op.scan" {{.*}}reverse:false,sequences:1,states:2
// CHECK-COUNT-2: "pd_op.stack"
// CHECK: "pd_op.fetch" ([[SECOND]]) {col:0
{
    (%0) = "builtin.parameter" () {parameter_name:"wx"} : () -> tensor<16x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"wh"} : () -> tensor<16x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,2,4]} : () -> tensor<2x2x4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2,2,4]} : () -> tensor<2x2x4xf32>
    (%6) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%7) = "builtin.combine" (%4, %5) {} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> vec[tensor<2x2x4xf32>,tensor<2x2x4xf32>]
    (%8) = "builtin.combine" (%0, %1, %1, %1, %2, %2, %2, %2) {} : (tensor<16x5xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> vec[tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x4xf32>,tensor<16x4xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>]
    (%9, %10, %11, %12) = "pd_op.rnn" (%3, %7, %8, <<NULL VALUE>>, %6) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:false,is_test:true,mode:"LSTM",num_layers:2,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<2x2x4xf32>,tensor<2x2x4xf32>], vec[tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x4xf32>,tensor<16x4xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>], <<NULL TYPE>>, tensor<1xu8>) -> tensor<-1x2x4xf32>, tensor<f32>, vec[tensor<2x2x4xf32>,tensor<2x2x4xf32>], tensor<f32>
    (%13) = "pd_op.fetch" (%9) {col:0,name:"out"} : (tensor<-1x2x4xf32>) -> tensor<-1x2x4xf32>
    (%14, %15) = "builtin.split" (%11) {} : (vec[tensor<2x2x4xf32>,tensor<2x2x4xf32>]) -> tensor<2x2x4xf32>, tensor<2x2x4xf32>
    (%16) = "pd_op.fetch" (%14) {col:1,name:"last0"} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
    (%17) = "pd_op.fetch" (%15) {col:2,name:"last1"} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
}
// -----

// In training, a network of one layer has no dropout.
// CHECK: "cinn_op.scan" {{.*}}reverse:false,sequences:1,states:1
// CHECK: [[SUM:%[0-9]+]]) = "pd_op.add" ({{.*}}%arg_
// CHECK-NEXT: [[OUT:%[0-9]+]]) = "pd_op.relu" ([[SUM]])
// CHECK-NEXT: "cf.yield" ([[OUT]], [[OUT]])
{
    (%0) = "builtin.parameter" () {parameter_name:"wx"} : () -> tensor<4x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"wh"} : () -> tensor<4x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[1,2,4]} : () -> tensor<1x2x4xf32>
    (%5) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%6) = "builtin.combine" (%4) {} : (tensor<1x2x4xf32>) -> vec[tensor<1x2x4xf32>]
    (%7) = "builtin.combine" (%0, %1, %2, %2) {} : (tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>]
    (%8, %9, %10, %11) = "pd_op.rnn" (%3, %6, %7, <<NULL VALUE>>, %5) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:false,is_test:false,mode:"RNN_RELU",num_layers:1,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<1x2x4xf32>], vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>], <<NULL TYPE>>, tensor<1xu8>) -> tensor<-1x2x4xf32>, tensor<f32>, vec[tensor<1x2x4xf32>], tensor<f32>
    (%12) = "pd_op.fetch" (%8) {col:0,name:"out"} : (tensor<-1x2x4xf32>) -> tensor<-1x2x4xf32>
    (%13) = "builtin.split" (%10) {} : (vec[tensor<1x2x4xf32>]) -> tensor<1x2x4xf32>
    (%14) = "pd_op.fetch" (%13) {col:1,name:"last0"} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
}
// -----

// Rows that ended keep their state, and yield zeros.
// CHECK: "cinn_op.scan" {{.*}}reverse:false,sequences:2,states:1
// CHECK: [[OUT:%[0-9]+]]) = "pd_op.tanh"
// CHECK: [[ZEROS:%[0-9]+]]) = "pd_op.full_like" ([[BEFORE:%arg_[0-9]+]],
// CHECK-NEXT: [[YIELDED:%[0-9]+]]) = "pd_op.where" ([[KEEP:%arg_[0-9]+]] {}, [[OUT]], [[ZEROS]])
// CHECK-NEXT: [[STATE:%[0-9]+]]) = "pd_op.where" ([[KEEP]], [[OUT]], [[BEFORE]])
// CHECK-NEXT: "cf.yield" ([[STATE]], [[YIELDED]])
// CHECK: "cinn_op.scan" {{.*}}reverse:true,sequences:2,states:1
// CHECK: "pd_op.concat"
{
    (%0) = "builtin.parameter" () {parameter_name:"wx"} : () -> tensor<4x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"wh"} : () -> tensor<4x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,2,4]} : () -> tensor<2x2x4xf32>
    (%5) = "pd_op.data" () {dtype:int64,name:"lengths",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%6) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%7) = "builtin.combine" (%4) {} : (tensor<2x2x4xf32>) -> vec[tensor<2x2x4xf32>]
    (%8) = "builtin.combine" (%0, %1, %0, %1, %2, %2, %2, %2) {} : (tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>]
    (%9, %10, %11, %12) = "pd_op.rnn" (%3, %7, %8, %5, %6) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:true,is_test:true,mode:"RNN_TANH",num_layers:1,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<2x2x4xf32>], vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>,tensor<4xf32>], tensor<2xi64>, tensor<1xu8>) -> tensor<-1x2x8xf32>, tensor<f32>, vec[tensor<2x2x4xf32>], tensor<f32>
    (%13) = "pd_op.fetch" (%9) {col:0,name:"out"} : (tensor<-1x2x8xf32>) -> tensor<-1x2x8xf32>
    (%14) = "builtin.split" (%11) {} : (vec[tensor<2x2x4xf32>]) -> tensor<2x2x4xf32>
    (%15) = "pd_op.fetch" (%14) {col:1,name:"last0"} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
}
// -----

// Both directions of a layer read both directions of the layer before.
// CHECK: "cinn_op.scan" {{.*}}reverse:false,sequences:2,states:2
// CHECK: "cinn_op.scan" {{.*}}reverse:true,sequences:2,states:2
// CHECK: [[BOTH:%[0-9]+]]) = "pd_op.concat"
// CHECK: "pd_op.matmul" ([[BOTH]],
// CHECK: "cinn_op.scan" {{.*}}reverse:false,sequences:2,states:2
// CHECK-COUNT-3: "pd_op.where"
// CHECK: "pd_op.matmul" ([[BOTH]],
// CHECK: "cinn_op.scan" {{.*}}reverse:true,sequences:2,states:2
{
    (%0) = "builtin.parameter" () {parameter_name:"wx"} : () -> tensor<16x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"wh"} : () -> tensor<16x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"wn"} : () -> tensor<16x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[4,2,4]} : () -> tensor<4x2x4xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[4,2,4]} : () -> tensor<4x2x4xf32>
    (%7) = "pd_op.data" () {dtype:int64,name:"lengths",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%8) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%9) = "builtin.combine" (%5, %6) {} : (tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> vec[tensor<4x2x4xf32>,tensor<4x2x4xf32>]
    (%10) = "builtin.combine" (%0, %1, %0, %1, %2, %1, %2, %1, %3, %3, %3, %3, %3, %3, %3, %3) {} : (tensor<16x5xf32>, tensor<16x4xf32>, tensor<16x5xf32>, tensor<16x4xf32>, tensor<16x8xf32>, tensor<16x4xf32>, tensor<16x8xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> vec[tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x8xf32>,tensor<16x4xf32>,tensor<16x8xf32>,tensor<16x4xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>]
    (%11, %12, %13, %14) = "pd_op.rnn" (%4, %9, %10, %7, %8) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:true,is_test:true,mode:"LSTM",num_layers:2,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<4x2x4xf32>,tensor<4x2x4xf32>], vec[tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x5xf32>,tensor<16x4xf32>,tensor<16x8xf32>,tensor<16x4xf32>,tensor<16x8xf32>,tensor<16x4xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>,tensor<16xf32>], tensor<2xi64>, tensor<1xu8>) -> tensor<-1x2x8xf32>, tensor<f32>, vec[tensor<4x2x4xf32>,tensor<4x2x4xf32>], tensor<f32>
    (%15) = "pd_op.fetch" (%11) {col:0,name:"out"} : (tensor<-1x2x8xf32>) -> tensor<-1x2x8xf32>
    (%16, %17) = "builtin.split" (%13) {} : (vec[tensor<4x2x4xf32>,tensor<4x2x4xf32>]) -> tensor<4x2x4xf32>, tensor<4x2x4xf32>
    (%18) = "pd_op.fetch" (%16) {col:1,name:"last0"} : (tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    (%19) = "pd_op.fetch" (%17) {col:2,name:"last1"} : (tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
}
// -----

// The number of steps is the sum of two extents of inputs.
// CHECK: "cinn_op.scan" {{.*}}reverse:false,sequences:1,states:1
{
    (%0) = "builtin.parameter" () {parameter_name:"wx"} : () -> tensor<4x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"wh"} : () -> tensor<4x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%90) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%91) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,2,5]} : () -> tensor<-1x2x5xf32>
    (%92) = "builtin.combine" (%90, %91) {} : (tensor<-1x2x5xf32>, tensor<-1x2x5xf32>) -> vec[tensor<-1x2x5xf32>,tensor<-1x2x5xf32>]
    (%93) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.concat" (%92, %93) {} : (vec[tensor<-1x2x5xf32>,tensor<-1x2x5xf32>], tensor<1xi32>) -> tensor<-1x2x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[1,2,4]} : () -> tensor<1x2x4xf32>
    (%5) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xu8>
    (%6) = "builtin.combine" (%4) {} : (tensor<1x2x4xf32>) -> vec[tensor<1x2x4xf32>]
    (%7) = "builtin.combine" (%0, %1, %2, %2) {} : (tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>]
    (%8, %9, %10, %11) = "pd_op.rnn" (%3, %6, %7, <<NULL VALUE>>, %5) {dropout_prob:0,hidden_size:4,input_size:5,is_bidirec:false,is_test:true,mode:"RNN_RELU",num_layers:1,seed:0} : (tensor<-1x2x5xf32>, vec[tensor<1x2x4xf32>], vec[tensor<4x5xf32>,tensor<4x4xf32>,tensor<4xf32>,tensor<4xf32>], <<NULL TYPE>>, tensor<1xu8>) -> tensor<-1x2x4xf32>, tensor<f32>, vec[tensor<1x2x4xf32>], tensor<f32>
    (%12) = "pd_op.fetch" (%8) {col:0,name:"out"} : (tensor<-1x2x4xf32>) -> tensor<-1x2x4xf32>
    (%13) = "builtin.split" (%10) {} : (vec[tensor<1x2x4xf32>]) -> tensor<1x2x4xf32>
    (%14) = "pd_op.fetch" (%13) {col:1,name:"last0"} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
}
