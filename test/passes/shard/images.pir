// Batch normalisation by given statistics writes back what it read, so networks of images are programs of inference. With axes=batch every rank
// has images of its own through convolutions, normalisation and pooling; statistics stay whole.
// RUN: rm -rf %t && mkdir -p %t/out && python3 %S/parameters.py %s %t/w.pdiparams && pir-run %s --params=%t/w.pdiparams --input=x=4x2x4x4xf32=-3..3 --output-dir=%t/out
// RUN: pir-opt %s --passes='shard{mesh=2,axes=batch,rank=1}' | FileCheck %s
// CHECK:      "pd_op.slice" {{.*}} -> tensor<2x2x4x4xf32>
// CHECK:      "pd_op.batch_norm_" {{.*}} -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK:      "pd_op.depthwise_conv2d" {{.*}} -> tensor<2x4x4x4xf32>
// CHECK:      "pd_op.pool2d" {{.*}} -> tensor<2x4x1x1xf32>
// CHECK-NOT:  "pd_op.batch_norm_" {{.*}} -> tensor<4x4
// CHECK:      "pd_op.all_gather" {{.*}} -> tensor<4x6xf32>
// CHECK-NOT:  "pd_op.all_
// RUN: for m in 2,axes=batch 2,unpaired=always; do pir-run --ranks=2 %s --params=%t/w.pdiparams --pipeline="shard{mesh=$m,rank=%r},compile" --input=x=4x2x4x4xf32=-3..3 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-4: max abs {{[0-9.]+e-0[6-9]|0,}}
// Statistics of the batch are of all its images, and are written.
// RUN: for s in s/is_test:true/is_test:false/ s/trainable_statistics:false/trainable_statistics:true/; do sed $s %s > %t/train.pir; not pir-opt %t/train.pir --passes='shard{mesh=2,axes=batch}' -o %t/o.pir || exit 1; done 2>&1 | FileCheck %s --check-prefix=TRAIN
// TRAIN-COUNT-2: error: unsupported: "pd_op.batch_norm_" writes a parameter; shard takes programs of inference
// RUN: sed 's/is_test:true/is_test:false/;s/use_global_stats:false/use_global_stats:true/' %s | pir-opt --passes='shard{mesh=2,axes=batch,rank=1}' | FileCheck %s
{
    (%0) = "builtin.parameter" () {parameter_name:"head"} : () -> tensor<4x6xf32>
    (%1) = "builtin.parameter" () {parameter_name:"each"} : () -> tensor<4x1x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"shift"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"scale"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"variance"} : () -> tensor<4xf32>
    (%5) = "builtin.parameter" () {parameter_name:"mean"} : () -> tensor<4xf32>
    (%6) = "builtin.parameter" () {parameter_name:"filter"} : () -> tensor<4x2x3x3xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,2,4,4]} : () -> tensor<4x2x4x4xf32>
    (%8) = "pd_op.conv2d" (%7, %6) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<4x2x4x4xf32>, tensor<4x2x3x3xf32>) -> tensor<4x4x4x4xf32>
    (%9, %10, %11, %12, %13, %14) = "pd_op.batch_norm_" (%8, %5, %4, %3, %2) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<4x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%15) = "pd_op.relu" (%9) {} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    (%16) = "pd_op.depthwise_conv2d" (%15, %1) {data_format:"NCHW",dilations:[1,1],groups:4,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<4x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<4x4x4x4xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1]} : () -> tensor<2xi64>
    (%18) = "pd_op.pool2d" (%16, %17) {adaptive:true,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[1,1]} : (tensor<4x4x4x4xf32>, tensor<2xi64>) -> tensor<4x4x1x1xf32>
    (%19) = "pd_op.flatten" (%18) {start_axis:1,stop_axis:-1} : (tensor<4x4x1x1xf32>) -> tensor<4x4xf32>
    (%20) = "pd_op.matmul" (%19, %0) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    () = "builtin.shadow_output" (%20) {output_name:"y"} : (tensor<4x6xf32>) ->
}
