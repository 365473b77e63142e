// A depthwise convolution turns an input whose channels are far apart: its lanes are channels. Channels and points that fill no vector, more
// than one image, alone and before a 1x1 convolution: the numbers are those of called ops.
// RUN: rm -rf %t && mkdir -p %t/out
// RUN: python3 -c "import array, struct, sys; [sys.stdout.buffer.write(bytes(16) + struct.pack('<i', 10) + bytes([8, 5, 16, d[0], 16, d[1], 16, d[2], 16, d[2]]) + array.array('f', [divmod(i * 7, 13)[1] / 4 - 1 for i in range(d[0] * d[1] * d[2] * d[2])]).tobytes()) for d in ((24, 20, 1), (20, 1, 3))]" > %t/w.pdiparams
// DEFINE: %{in} = --input=x=3x20x9x11xf32=random:1 --input=y=1x20x9x11xf32=random:2
// RUN: pir-run %s --params=%t/w.pdiparams --pipeline=kernels %{in} --output-dir=%t/out
// RUN: for target in x86-64 x86-64-v3 native; do pir-run %s --params=%t/w.pdiparams --target=$target --threads=2 %{in} --expect-dir=%t/out || exit 1; done
// RUN: pir-opt %s --params=%t/w.pdiparams --emit=loops --target=x86-64-v3 --explain 2>&1 | FileCheck %s
// CHECK: group of pd_op.depthwise_conv2d, pd_op.relu, pd_op.conv2d: 2 stages; two by whole rows, tiles of {{[0-9]+}} rows x {{[0-9]}} vectors, then
// CHECK: group of pd_op.depthwise_conv2d: 2 stages; depthwise, tile of {{[0-9]+}} rows x {{[0-9]}} vectors of 8 float32
// CHECK: zip
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,20,9,11]} : () -> tensor<-1x20x9x11xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[1,20,9,11]} : () -> tensor<1x20x9x11xf32>
    (%2) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<20x1x3x3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p"} : () -> tensor<24x20x1x1xf32>
    (%4) = "pd_op.depthwise_conv2d" (%0, %2) {data_format:"NCHW",dilations:[1,1],groups:20,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x20x9x11xf32>, tensor<20x1x3x3xf32>) -> tensor<-1x20x9x11xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<-1x20x9x11xf32>) -> tensor<-1x20x9x11xf32>
    (%6) = "pd_op.conv2d" (%5, %3) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x20x9x11xf32>, tensor<24x20x1x1xf32>) -> tensor<-1x24x9x11xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"pair"} : (tensor<-1x24x9x11xf32>) -> tensor<-1x24x9x11xf32>
    (%8) = "pd_op.depthwise_conv2d" (%1, %2) {data_format:"NCHW",dilations:[1,1],groups:20,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<1x20x9x11xf32>, tensor<20x1x3x3xf32>) -> tensor<1x20x5x6xf32>
    (%9) = "pd_op.fetch" (%8) {col:1,name:"alone"} : (tensor<1x20x5x6xf32>) -> tensor<1x20x5x6xf32>
}
