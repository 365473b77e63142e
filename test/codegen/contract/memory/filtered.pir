// Minimal filtering of a convolution whose weights are given in each run, and whose channels are not innermost: taps are transformed, and the
// image and the sums turned, by stages of the group. An open number of images, rows that fill no vector, lanes of half a vector,
// strides, a convolution backwards, an epilogue that reads other tensors and has several results: the numbers are those of called ops.
// RUN: rm -rf %t && mkdir -p %t/out
// DEFINE: %{in} = --input=x=3x64x14x21xf32=random:1 --input=w=48x64x3x3xf32=random:2 --input=z=48x14x21xf32=random:3 --input=h=6x48x28x29xf32=random:6 --input=l=40x48x3x3xf32=random:4 --input=s=72x48x3x3xf32=random:5
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t/out
// RUN: for target in x86-64-v2 x86-64-v3 native; do for threads in 1 2; do pir-run %s --target=$target --threads=$threads %{in} --expect-dir=%t/out --rtol-max=3e-6 || exit 1; done; done
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 --explain 2>&1 | FileCheck %s
// CHECK-DAG: group of pd_op.conv2d, pd_op.add, pd_op.relu: 4 stages; minimal filtering of 2x2 outputs by 16 products
// CHECK-DAG: group of pd_op.conv2d: 4 stages; minimal filtering of 2x2 outputs by 16 products, {{[0-9]+}} patches x 40 lanes
// CHECK-DAG: group of pd_op.full_int_array, pd_op.conv2d_transpose: 4 stages; minimal filtering of 2x2 outputs by 16 products
// Few channels are not worth it.
// RUN: sed 's/48x64x3x3/48x4x3x3/; s/\[48,64,3,3\]/[48,4,3,3]/; s/-1x64x14/-1x4x14/; s/\[-1,64,14/[-1,4,14/' %s > %t/few.pir
// RUN: pir-opt %t/few.pir --emit=loops --target=x86-64-v3 --explain 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: group of pd_op.conv2d, pd_op.add, pd_op.relu: 2 stages; tile of
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64,14,21]} : () -> tensor<-1x64x14x21xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[48,64,3,3]} : () -> tensor<48x64x3x3xf32>
    (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[48,14,21]} : () -> tensor<48x14x21xf32>
    (%h) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[6,48,28,29]} : () -> tensor<6x48x28x29xf32>
    (%l) = "pd_op.data" () {dtype:float32,name:"l",place:Place(undefined:0),shape:[40,48,3,3]} : () -> tensor<40x48x3x3xf32>
    (%s) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[72,48,3,3]} : () -> tensor<72x48x3x3xf32>
    (%0) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x64x14x21xf32>, tensor<48x64x3x3xf32>) -> tensor<-1x48x14x21xf32>
    (%1) = "pd_op.add" (%0, %z) {} : (tensor<-1x48x14x21xf32>, tensor<48x14x21xf32>) -> tensor<-1x48x14x21xf32>
    (%2) = "pd_op.relu" (%1) {} : (tensor<-1x48x14x21xf32>) -> tensor<-1x48x14x21xf32>
    (%3) = "pd_op.conv2d" (%h, %l) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<6x48x28x29xf32>, tensor<40x48x3x3xf32>) -> tensor<6x40x28x29xf32>
    (%4) = "pd_op.conv2d" (%h, %s) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<6x48x28x29xf32>, tensor<72x48x3x3xf32>) -> tensor<6x72x14x15xf32>
    (%n) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%5) = "pd_op.conv2d_transpose" (%2, %w, %n) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x48x14x21xf32>, tensor<48x64x3x3xf32>, tensor<0xi64>) -> tensor<-1x64x14x21xf32>
    (%6) = "pd_op.fetch" (%1) {col:0,name:"sum"} : (tensor<-1x48x14x21xf32>) -> tensor<-1x48x14x21xf32>
    (%7) = "pd_op.fetch" (%2) {col:1,name:"relu"} : (tensor<-1x48x14x21xf32>) -> tensor<-1x48x14x21xf32>
    (%8) = "pd_op.fetch" (%3) {col:2,name:"line"} : (tensor<6x40x28x29xf32>) -> tensor<6x40x28x29xf32>
    (%9) = "pd_op.fetch" (%4) {col:3,name:"strided"} : (tensor<6x72x14x15xf32>) -> tensor<6x72x14x15xf32>
    (%10) = "pd_op.fetch" (%5) {col:4,name:"backwards"} : (tensor<-1x64x14x21xf32>) -> tensor<-1x64x14x21xf32>
}
