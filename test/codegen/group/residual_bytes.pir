// The beginning of a quantised network: a first layer of three channels, windows whose largest number is taken, and a block whose input is
// added to its sums. All that lies between groups is bytes, and batch norms are in the scales of sums.
// RUN: pir-opt %s --passes=compile | FileCheck %s --check-prefix=BETWEEN --implicit-check-not=subtract
// RUN: pir-opt %s --passes=compile | FileCheck %s
// The numbers are those of called ops, by bytes in tile registers and vectors, by words, and one by one.
// DEFINE: %{in} = --input=x=2x3x21x26xf32=random:1 --input=a=16x3x7x7xf32=random:2 --input=b=16x16x1x1xf32=random:3 --input=c=16x16x3x3xf32=random:4 --input=d=16x16x1x1xf32=random:5
// RUN: pir-run %s --pipeline=kernels %{in} --output=@%t.npy
// RUN: for target in native icelake-server x86-64-v3 x86-64; do pir-run %s --target=$target --threads=2 %{in} --expect=@%t.npy --rtol-max=1e-6 || exit 1; done

// The largest number is found among bytes.
// CHECK:      (%[[FIRST:[0-9]+]]) = "cinn_op.group" {{.*}}kind:"contraction"{{.*}} -> tensor<-1x16x11x13xi8>
// CHECK:        "pd_op.conv2d"
// CHECK-NEXT:   "pd_op.cast"
// CHECK-NEXT:   "pd_op.multiply"
// CHECK-NEXT:   "pd_op.add"
// CHECK-NEXT:   "pd_op.relu"
// CHECK:        "pd_op.quantize_linear"
// CHECK:      (%[[POOLED:[0-9]+]]) = "cinn_op.group" (%[[FIRST]]) {{.*}} -> tensor<-1x16x6x7xi8>
// CHECK:        "pd_op.pool2d"
// CHECK:      (%[[IN:[0-9]+]]) = "cinn_op.group" (%[[POOLED]]{{.*}} -> tensor<-1x16x6x7xi8>
// The next group widens the bytes twice: as integers, and as what it adds.
// CHECK:      "cinn_op.group" (%[[IN]]{{.*}} -> tensor<-1x16x6x7xi8>
// CHECK:        "pd_op.conv2d"
// CHECK:        (%[[WIDE:[0-9]+]]) = "pd_op.cast" (%[[IN]]) {dtype:float32
// CHECK-NEXT:   (%[[RES:[0-9]+]]) = "pd_op.multiply" (%[[WIDE]]
// CHECK-NEXT:   "pd_op.add" ({{.*}}%[[RES]]

// BETWEEN: cinn_op.group
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,21,26]} : () -> tensor<-1x3x21x26xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[16,3,7,7]} : () -> tensor<16x3x7x7xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[16,16,1,1]} : () -> tensor<16x16x1x1xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[16,16,3,3]} : () -> tensor<16x16x3x3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"d",place:Place(undefined:0),shape:[16,16,1,1]} : () -> tensor<16x16x1x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:6.0} : () -> tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.quantize_linear" (%0, %6, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x3x21x26xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x3x21x26xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.dequantize_linear" (%9, %6, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x3x21x26xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x3x21x26xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%17, %18, %19, %20) = "pd_op.quantize_linear" (%1, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x3x7x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x3x7x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%21, %22, %23, %24) = "pd_op.dequantize_linear" (%17, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x3x7x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x3x7x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%25) = "pd_op.conv2d" (%13, %21) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[3,3],strides:[2,2]} : (tensor<-1x3x21x26xf32>, tensor<16x3x7x7xf32>) -> tensor<-1x16x11x13xf32>
    (%26) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%27) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%28) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%29) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%30, %31, %32, %33, %34, %35) = "pd_op.batch_norm_" (%25, %26, %27, %28, %29) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x11x13xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x11x13xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%36) = "pd_op.relu" (%30) {} : (tensor<-1x16x11x13xf32>) -> tensor<-1x16x11x13xf32>
    (%37) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,3]} : () -> tensor<2xi64>
    (%38) = "pd_op.pool2d" (%36, %37) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[1,1],pooling_type:"max",strides:[2,2]} : (tensor<-1x16x11x13xf32>, tensor<2xi64>) -> tensor<-1x16x6x7xf32>
    (%39, %40, %41, %42) = "pd_op.quantize_linear" (%38, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%43, %44, %45, %46) = "pd_op.dequantize_linear" (%39, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%47, %48, %49, %50) = "pd_op.quantize_linear" (%2, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%51, %52, %53, %54) = "pd_op.dequantize_linear" (%47, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%55) = "pd_op.conv2d" (%43, %51) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x6x7xf32>
    (%56) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%57) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%58) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%59) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%60, %61, %62, %63, %64, %65) = "pd_op.batch_norm_" (%55, %56, %57, %58, %59) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%66) = "pd_op.relu" (%60) {} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%67, %68, %69, %70) = "pd_op.quantize_linear" (%66, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%71, %72, %73, %74) = "pd_op.dequantize_linear" (%67, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%75, %76, %77, %78) = "pd_op.quantize_linear" (%3, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%79, %80, %81, %82) = "pd_op.dequantize_linear" (%75, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%83) = "pd_op.conv2d" (%71, %79) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x3x3xf32>) -> tensor<-1x16x6x7xf32>
    (%84) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.1} : () -> tensor<16xf32>
    (%85) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:0.75} : () -> tensor<16xf32>
    (%86) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:1.25} : () -> tensor<16xf32>
    (%87) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16],value:-0.05} : () -> tensor<16xf32>
    (%88, %89, %90, %91, %92, %93) = "pd_op.batch_norm_" (%83, %84, %85, %86, %87) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16x6x7xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<-1xu8>
    (%94) = "pd_op.add" (%88, %71) {} : (tensor<-1x16x6x7xf32>, tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%95) = "pd_op.relu" (%94) {} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
    (%96, %97, %98, %99) = "pd_op.quantize_linear" (%95, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%100, %101, %102, %103) = "pd_op.dequantize_linear" (%96, %8, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x16x6x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%104, %105, %106, %107) = "pd_op.quantize_linear" (%4, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%108, %109, %110, %111) = "pd_op.dequantize_linear" (%104, %7, %5, %5, %5) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16x16x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%112) = "pd_op.conv2d" (%100, %108) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x6x7xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x6x7xf32>
    (%113) = "pd_op.fetch" (%112) {col:0,name:"out"} : (tensor<-1x16x6x7xf32>) -> tensor<-1x16x6x7xf32>
}
