// Padding behind an open axis alone, with one tap: positions behind the tensor are zeros, not the memory that lies there.
// RUN: for target in x86-64-v2 x86-64-v3 native; do pir-run %s --target=$target --threads=2 --compare=kernels,compile --input=x=1x8x4x5xf32=random:1 --input=w=8x8x1x1xf32=random:2 || exit 1; done
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,8,-1,-1]} : () -> tensor<1x8x-1x-1xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[8,8,1,1]} : () -> tensor<8x8x1x1xf32>
    (%0) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,3000,0,0],strides:[1,1]} : (tensor<1x8x-1x-1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x-1x-1xf32>
    (%1) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,3,0,0],strides:[2,2]} : (tensor<1x8x-1x-1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x-1x-1xf32>
    (%2) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0,2],strides:[1,3]} : (tensor<1x8x-1x-1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x-1x-1xf32>
    (%3) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<1x8x-1x-1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x-1x-1xf32>
    (%f1) = "pd_op.fetch" (%1) {col:0,name:"rows"} : (tensor<1x8x-1x-1xf32>) -> tensor<1x8x-1x-1xf32>
    (%f2) = "pd_op.fetch" (%2) {col:1,name:"columns"} : (tensor<1x8x-1x-1xf32>) -> tensor<1x8x-1x-1xf32>
    (%f3) = "pd_op.fetch" (%3) {col:2,name:"whole"} : (tensor<1x8x-1x-1xf32>) -> tensor<1x8x-1x-1xf32>
    (%far) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,3]} : () -> tensor<2xi64>
    (%m) = "pd_op.max" (%0, %far) {keepdim:false} : (tensor<1x8x-1x-1xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    (%f0) = "pd_op.fetch" (%m) {col:3,name:"far"} : (tensor<1x8xf32>) -> tensor<1x8xf32>
}
