// The two gradients of a convolution are two contractions, that of the input one by phases where it has strides: filters, paddings,
// strides, dilations and groups. With open extents the op is called. The numbers are those of the called op.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=xi=2x3x7x8xf32=random:91 --input=gi=2x4x7x8xf32=random:92 --input=xa=2x16x9x11xf32=random:0 --input=wa=24x16x3x3xf32=random:1 --input=ga=2x24x9x11xf32=random:2 --input=xb=2x8x11x12xf32=random:3 --input=wb=40x8x3x3xf32=random:4 --input=gb=2x40x6x6xf32=random:5 --input=xc=2x3x23x22xf32=random:6 --input=wc=16x3x7x7xf32=random:7 --input=gc=2x16x11x10xf32=random:8 --input=xd=1x6x12x13xf32=random:9 --input=wd=10x3x3x2xf32=random:10 --input=gd=1x10x12x12xf32=random:11 --input=xe=3x5x10x9xf32=random:12 --input=we=7x5x4x3xf32=random:13 --input=ge=3x7x5x3xf32=random:14 --input=xf=2x12x8x8xf64=random:15 --input=wf=20x12x1x1xf64=random:16 --input=gf=2x20x4x4xf64=random:17 --input=xg=2x1x9x9xf32=random:18 --input=wg=3x1x5x5xf32=random:19 --input=gg=2x3x9x5xf32=random:20 --input=xh=2x32x5x5xf32=random:21 --input=wh=33x32x3x3xf32=random:22 --input=gh=2x33x5x5xf32=random:23
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s --pipeline=compile %{in} --expect-dir=%t
// RUN: pir-run %s --pipeline=compile --target=x86-64-v3 %{in} --expect-dir=%t
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// CHECK:     = "conv2d_grad(phi_kernel)"
// CHECK-NOT: = "conv2d_grad
// CHECK-COUNT-8: "cinn_op.conv2d_filter_grad"
// CHECK-NOT: = "conv2d_grad
{
    (%xi) = "pd_op.data" () {dtype:float32,name:"xi",place:Place(undefined:0),shape:[2,3,-1,-1]} : () -> tensor<2x3x-1x-1xf32>
    (%gi) = "pd_op.data" () {dtype:float32,name:"gi",place:Place(undefined:0),shape:[2,4,-1,-1]} : () -> tensor<2x4x-1x-1xf32>
    (%wi) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[4,3,3,3],value:0.25} : () -> tensor<4x3x3x3xf32>
    (%di, %ki) = "pd_op.conv2d_grad" (%xi, %wi, %gi) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<2x3x-1x-1xf32>, tensor<4x3x3x3xf32>, tensor<2x4x-1x-1xf32>) -> tensor<2x3x-1x-1xf32>, tensor<4x3x3x3xf32>
    (%odi) = "pd_op.fetch" (%di) {col:16,name:"di"} : (tensor<2x3x-1x-1xf32>) -> tensor<2x3x-1x-1xf32>
    (%oki) = "pd_op.fetch" (%ki) {col:17,name:"ki"} : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
    (%xa) = "pd_op.data" () {dtype:float32,name:"xa",place:Place(undefined:0),shape:[2,16,9,11],stop_gradient:[true]} : () -> tensor<2x16x9x11xf32>
    (%wa) = "pd_op.data" () {dtype:float32,name:"wa",place:Place(undefined:0),shape:[24,16,3,3],stop_gradient:[true]} : () -> tensor<24x16x3x3xf32>
    (%ga) = "pd_op.data" () {dtype:float32,name:"ga",place:Place(undefined:0),shape:[2,24,9,11],stop_gradient:[true]} : () -> tensor<2x24x9x11xf32>
    (%da, %ka) = "pd_op.conv2d_grad" (%xa, %wa, %ga) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true,true],strides:[1,1]} : (tensor<2x16x9x11xf32>, tensor<24x16x3x3xf32>, tensor<2x24x9x11xf32>) -> tensor<2x16x9x11xf32>, tensor<24x16x3x3xf32>
    (%xb) = "pd_op.data" () {dtype:float32,name:"xb",place:Place(undefined:0),shape:[2,8,11,12],stop_gradient:[true]} : () -> tensor<2x8x11x12xf32>
    (%wb) = "pd_op.data" () {dtype:float32,name:"wb",place:Place(undefined:0),shape:[40,8,3,3],stop_gradient:[true]} : () -> tensor<40x8x3x3xf32>
    (%gb) = "pd_op.data" () {dtype:float32,name:"gb",place:Place(undefined:0),shape:[2,40,6,6],stop_gradient:[true]} : () -> tensor<2x40x6x6xf32>
    (%db, %kb) = "pd_op.conv2d_grad" (%xb, %wb, %gb) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true,true],strides:[2,2]} : (tensor<2x8x11x12xf32>, tensor<40x8x3x3xf32>, tensor<2x40x6x6xf32>) -> tensor<2x8x11x12xf32>, tensor<40x8x3x3xf32>
    (%xc) = "pd_op.data" () {dtype:float32,name:"xc",place:Place(undefined:0),shape:[2,3,23,22],stop_gradient:[true]} : () -> tensor<2x3x23x22xf32>
    (%wc) = "pd_op.data" () {dtype:float32,name:"wc",place:Place(undefined:0),shape:[16,3,7,7],stop_gradient:[true]} : () -> tensor<16x3x7x7xf32>
    (%gc) = "pd_op.data" () {dtype:float32,name:"gc",place:Place(undefined:0),shape:[2,16,11,10],stop_gradient:[true]} : () -> tensor<2x16x11x10xf32>
    (%dc, %kc) = "pd_op.conv2d_grad" (%xc, %wc, %gc) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[3,2,3,1],stop_gradient:[true,true],strides:[2,2]} : (tensor<2x3x23x22xf32>, tensor<16x3x7x7xf32>, tensor<2x16x11x10xf32>) -> tensor<2x3x23x22xf32>, tensor<16x3x7x7xf32>
    (%xd) = "pd_op.data" () {dtype:float32,name:"xd",place:Place(undefined:0),shape:[1,6,12,13],stop_gradient:[true]} : () -> tensor<1x6x12x13xf32>
    (%wd) = "pd_op.data" () {dtype:float32,name:"wd",place:Place(undefined:0),shape:[10,3,3,2],stop_gradient:[true]} : () -> tensor<10x3x3x2xf32>
    (%gd) = "pd_op.data" () {dtype:float32,name:"gd",place:Place(undefined:0),shape:[1,10,12,12],stop_gradient:[true]} : () -> tensor<1x10x12x12xf32>
    (%dd, %kd) = "pd_op.conv2d_grad" (%xd, %wd, %gd) {data_format:"NCHW",dilations:[2,3],groups:2,padding_algorithm:"EXPLICIT",paddings:[2,1],stop_gradient:[true,true],strides:[1,1]} : (tensor<1x6x12x13xf32>, tensor<10x3x3x2xf32>, tensor<1x10x12x12xf32>) -> tensor<1x6x12x13xf32>, tensor<10x3x3x2xf32>
    (%xe) = "pd_op.data" () {dtype:float32,name:"xe",place:Place(undefined:0),shape:[3,5,10,9],stop_gradient:[true]} : () -> tensor<3x5x10x9xf32>
    (%we) = "pd_op.data" () {dtype:float32,name:"we",place:Place(undefined:0),shape:[7,5,4,3],stop_gradient:[true]} : () -> tensor<7x5x4x3xf32>
    (%ge) = "pd_op.data" () {dtype:float32,name:"ge",place:Place(undefined:0),shape:[3,7,5,3],stop_gradient:[true]} : () -> tensor<3x7x5x3xf32>
    (%de, %ke) = "pd_op.conv2d_grad" (%xe, %we, %ge) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"SAME",paddings:[0,0],stop_gradient:[true,true],strides:[2,3]} : (tensor<3x5x10x9xf32>, tensor<7x5x4x3xf32>, tensor<3x7x5x3xf32>) -> tensor<3x5x10x9xf32>, tensor<7x5x4x3xf32>
    (%xf) = "pd_op.data" () {dtype:float64,name:"xf",place:Place(undefined:0),shape:[2,12,8,8],stop_gradient:[true]} : () -> tensor<2x12x8x8xf64>
    (%wf) = "pd_op.data" () {dtype:float64,name:"wf",place:Place(undefined:0),shape:[20,12,1,1],stop_gradient:[true]} : () -> tensor<20x12x1x1xf64>
    (%gf) = "pd_op.data" () {dtype:float64,name:"gf",place:Place(undefined:0),shape:[2,20,4,4],stop_gradient:[true]} : () -> tensor<2x20x4x4xf64>
    (%df, %kf) = "pd_op.conv2d_grad" (%xf, %wf, %gf) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"VALID",paddings:[0,0],stop_gradient:[true,true],strides:[2,2]} : (tensor<2x12x8x8xf64>, tensor<20x12x1x1xf64>, tensor<2x20x4x4xf64>) -> tensor<2x12x8x8xf64>, tensor<20x12x1x1xf64>
    (%xg) = "pd_op.data" () {dtype:float32,name:"xg",place:Place(undefined:0),shape:[2,1,9,9],stop_gradient:[true]} : () -> tensor<2x1x9x9xf32>
    (%wg) = "pd_op.data" () {dtype:float32,name:"wg",place:Place(undefined:0),shape:[3,1,5,5],stop_gradient:[true]} : () -> tensor<3x1x5x5xf32>
    (%gg) = "pd_op.data" () {dtype:float32,name:"gg",place:Place(undefined:0),shape:[2,3,9,5],stop_gradient:[true]} : () -> tensor<2x3x9x5xf32>
    (%dg, %kg) = "pd_op.conv2d_grad" (%xg, %wg, %gg) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[2,2],stop_gradient:[true,true],strides:[1,2]} : (tensor<2x1x9x9xf32>, tensor<3x1x5x5xf32>, tensor<2x3x9x5xf32>) -> tensor<2x1x9x9xf32>, tensor<3x1x5x5xf32>
    (%xh) = "pd_op.data" () {dtype:float32,name:"xh",place:Place(undefined:0),shape:[2,32,5,5],stop_gradient:[true]} : () -> tensor<2x32x5x5xf32>
    (%wh) = "pd_op.data" () {dtype:float32,name:"wh",place:Place(undefined:0),shape:[33,32,3,3],stop_gradient:[true]} : () -> tensor<33x32x3x3xf32>
    (%gh) = "pd_op.data" () {dtype:float32,name:"gh",place:Place(undefined:0),shape:[2,33,5,5],stop_gradient:[true]} : () -> tensor<2x33x5x5xf32>
    (%dh, %kh) = "pd_op.conv2d_grad" (%xh, %wh, %gh) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true,true],strides:[1,1]} : (tensor<2x32x5x5xf32>, tensor<33x32x3x3xf32>, tensor<2x33x5x5xf32>) -> tensor<2x32x5x5xf32>, tensor<33x32x3x3xf32>
    (%oda) = "pd_op.fetch" (%da) {col:0,name:"da",persistable:[true],stop_gradient:[true]} : (tensor<2x16x9x11xf32>) -> tensor<2x16x9x11xf32>
    (%oka) = "pd_op.fetch" (%ka) {col:1,name:"ka",persistable:[true],stop_gradient:[true]} : (tensor<24x16x3x3xf32>) -> tensor<24x16x3x3xf32>
    (%odb) = "pd_op.fetch" (%db) {col:2,name:"db",persistable:[true],stop_gradient:[true]} : (tensor<2x8x11x12xf32>) -> tensor<2x8x11x12xf32>
    (%okb) = "pd_op.fetch" (%kb) {col:3,name:"kb",persistable:[true],stop_gradient:[true]} : (tensor<40x8x3x3xf32>) -> tensor<40x8x3x3xf32>
    (%odc) = "pd_op.fetch" (%dc) {col:4,name:"dc",persistable:[true],stop_gradient:[true]} : (tensor<2x3x23x22xf32>) -> tensor<2x3x23x22xf32>
    (%okc) = "pd_op.fetch" (%kc) {col:5,name:"kc",persistable:[true],stop_gradient:[true]} : (tensor<16x3x7x7xf32>) -> tensor<16x3x7x7xf32>
    (%odd) = "pd_op.fetch" (%dd) {col:6,name:"dd",persistable:[true],stop_gradient:[true]} : (tensor<1x6x12x13xf32>) -> tensor<1x6x12x13xf32>
    (%okd) = "pd_op.fetch" (%kd) {col:7,name:"kd",persistable:[true],stop_gradient:[true]} : (tensor<10x3x3x2xf32>) -> tensor<10x3x3x2xf32>
    (%ode) = "pd_op.fetch" (%de) {col:8,name:"de",persistable:[true],stop_gradient:[true]} : (tensor<3x5x10x9xf32>) -> tensor<3x5x10x9xf32>
    (%oke) = "pd_op.fetch" (%ke) {col:9,name:"ke",persistable:[true],stop_gradient:[true]} : (tensor<7x5x4x3xf32>) -> tensor<7x5x4x3xf32>
    (%odf) = "pd_op.fetch" (%df) {col:10,name:"df",persistable:[true],stop_gradient:[true]} : (tensor<2x12x8x8xf64>) -> tensor<2x12x8x8xf64>
    (%okf) = "pd_op.fetch" (%kf) {col:11,name:"kf",persistable:[true],stop_gradient:[true]} : (tensor<20x12x1x1xf64>) -> tensor<20x12x1x1xf64>
    (%odg) = "pd_op.fetch" (%dg) {col:12,name:"dg",persistable:[true],stop_gradient:[true]} : (tensor<2x1x9x9xf32>) -> tensor<2x1x9x9xf32>
    (%okg) = "pd_op.fetch" (%kg) {col:13,name:"kg",persistable:[true],stop_gradient:[true]} : (tensor<3x1x5x5xf32>) -> tensor<3x1x5x5xf32>
    (%odh) = "pd_op.fetch" (%dh) {col:14,name:"dh",persistable:[true],stop_gradient:[true]} : (tensor<2x32x5x5xf32>) -> tensor<2x32x5x5xf32>
    (%okh) = "pd_op.fetch" (%kh) {col:15,name:"kh",persistable:[true],stop_gradient:[true]} : (tensor<33x32x3x3xf32>) -> tensor<33x32x3x3xf32>
}
