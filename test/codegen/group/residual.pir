// The beginning of a network with --math=bf16: a first layer of three channels, windows whose largest number is taken, and a block whose input
// is added to its sums. All that lies between groups is bf16: the group that adds the input widens it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: python3 -c "import array, struct, sys; [sys.stdout.buffer.write(bytes(16) + struct.pack('<i', 10) + bytes([8, 5]) + bytes(b for n in d for b in (16, n)) + array.array('f', [divmod(i * 7, 13)[1] / 16 - 0.375 for i in range(d[0] * d[1] * d[2] * d[3])]).tobytes()) for d in ((16, 3, 7, 7), (16, 16, 1, 1), (16, 16, 3, 3), (16, 16, 1, 1))]" > %t/w.pdiparams
// RUN: pir-opt %s --params=%t/w.pdiparams --passes=compile-bf16 | FileCheck %s
// RUN: pir-opt %s --params=%t/w.pdiparams --emit=asm --math=bf16 --target=sapphirerapids | FileCheck %s --check-prefix=TILES
// The numbers are those that called ops give for the rounded program.
// RUN: pir-opt %s --params=%t/w.pdiparams --passes=prepare,round,dce --params-out=%t/rounded.pdiparams -o %t/rounded.pir
// RUN: pir-run %t/rounded.pir --params=%t/rounded.pdiparams --pipeline=kernels --input=x=2x3x21x26xf32=random:1 --output=@%t/out.npy
// RUN: pir-run %t/rounded.pir --params=%t/rounded.pdiparams --input=x=2x3x21x26xf32=random:1 --expect=@%t/out.npy --rtol-max=1e-6

// CHECK:      (%[[IMAGE:[0-9]+]]) = "cinn_op.group" {{.*}} -> tensor<-1x3x21x26xbf16>
// CHECK:      (%[[FIRST:[0-9]+]]) = "cinn_op.group" (%[[IMAGE]]{{.*}} -> tensor<-1x16x11x13xbf16>
// CHECK:      (%[[POOLED:[0-9]+]]) = "cinn_op.group" (%[[FIRST]]) {{.*}} -> tensor<-1x16x6x7xbf16>
// CHECK:        "pd_op.pool2d"
// CHECK:      (%[[IN:[0-9]+]]) = "cinn_op.group" (%[[POOLED]]{{.*}} -> tensor<-1x16x6x7xbf16>
// CHECK:      "cinn_op.group" (%[[IN]]{{.*}} -> tensor<-1x16x6x7xbf16>
// CHECK:        "pd_op.conv2d"
// CHECK:        (%[[WIDE:[0-9]+]]) = "pd_op.cast" (%[[IN]]) {dtype:float32
// CHECK-NEXT:   "pd_op.add" ({{.*}}%[[WIDE]]

// The channels of a pixel are a lane of two pairs; fourteen lanes are a line of the filter.
// TILES:     tdpbf16ps
// TILES-NOT: vdpbf16ps
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,21,26]} : () -> tensor<-1x3x21x26xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x3x7x7xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16x16x1x1xf32>
    (%3) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<16x16x3x3xf32>
    (%4) = "builtin.parameter" () {parameter_name:"d"} : () -> tensor<16x16x1x1xf32>
    (%5) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[3,3],strides:[2,2]} : (tensor<-1x3x21x26xf32>, tensor<16x3x7x7xf32>) -> tensor<-1x16x11x13xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%9) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%10, %11, %12, %13, %14, %15) = "pd_op.batch_norm_" (%5, %6, %7, %8, %9) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x11x13xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x11x13xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%16) = "pd_op.relu" (%10) {} : (tensor<-1x16x11x13xf32>) -> tensor<-1x16x11x13xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,3]} : () -> tensor<2xi64>
    (%18) = "pd_op.pool2d" (%16, %17) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[1,1],pooling_type:"max",strides:[2,2]} : (tensor<-1x16x11x13xf32>, tensor<2xi64>) -> tensor<-1x16x6x7xf32>
    (%19) = "pd_op.conv2d" (%18, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x6x7xf32>
    (%20) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%21) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%22) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%23) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%24, %25, %26, %27, %28, %29) = "pd_op.batch_norm_" (%19, %20, %21, %22, %23) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%30) = "pd_op.relu" (%24) {} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%31) = "pd_op.conv2d" (%30, %3) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x3x3xf32>) -> tensor<-1x16x6x7xf32>
    (%32) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%33) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%34) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%35) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%36, %37, %38, %39, %40, %41) = "pd_op.batch_norm_" (%31, %32, %33, %34, %35) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%42) = "pd_op.add" (%36, %30) {} : (tensor<-1x16x6x7xf32>, tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%43) = "pd_op.relu" (%42) {} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%44) = "pd_op.conv2d" (%43, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x6x7xf32>
    (%45) = "pd_op.fetch" (%44) {col:0,name:"out"} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
}
