// Products of every form, and nearly: convolutions backwards whose taps fill their stride, and others; groups, extents that only the run
// shows, batches that are broadcast, integers. Whether or not the indices are affine, the numbers are those of called ops.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=x=2x4x6x6xf32=random:1 --input=w2=4x3x2x2xf32=random:2 --input=w3=4x3x3x3xf32=random:3 --input=wg=4x3x2x2xf32=random:4 --input=xb=2x4x6x6xf32=random:5 --input=xs=2x4x6x5xf32=random:6 --input=wu=4x3x2x2xf32=random:7 --input=wq=6x2x3x3xf32=random:8 --input=xc=2x4x6x6xf32=random:9 --input=wc=6x2x3x3xf32=random:10 --input=wo=6x2x3x3xf32=random:11 --input=wk=5x4x3x3xf32=random:12 --input=xl=2x6x6x4xf32=random:13 --input=x3=1x2x4x4x4xf32=random:14 --input=wvol=3x2x2x2x2xf32=random:15 --input=wv=2x3x2x2x2xf32=random:16 --input=a1=1x4x5xf32=random:17 --input=b3=3x5x6xf32=random:18 --input=au=3x4x5xf32=random:19 --input=bu=3x5x6xf32=random:20 --input=ak=3x4x5xf32=random:21 --input=bk=3x5x6xf32=random:22 --input=ar=4x5xf32=random:23 --input=al=2x3x4x5xf32=random:24 --input=aa=3x4x5xf32=random:25 --input=bv=5xf32=random:26 --input=ad=3x5xf32=random:27 --input=bd=3x5xf32=random:28 --input=y2=3x4xf32=random:29 --input=wbi=6x5x4xf32=random:30 --input=sx=2x7x4xf32=random:31 --input=sf=3x4xf32=random:32 --input=ia=4x5xi32=random:33 --input=ib=5x6xi32=random:34 --input=ja=4x5xi64=random:35 --input=jb=5x6xi64=random:36
// DEFINE: %{until} = ungrouped
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t
// RUN: pir-run %s "--pipeline=%{until},group{few=0},dce,bind" %{in} --expect-dir=%t
// Lowering may find at any place that it cannot go on: then ops are called, and later places leave more groups.
// RUN: last=0; for n in $(seq 1 3 120); do left=$(pir-opt %s "--passes=%{until},group{few=0,refuse=choose,at=$n}" --verify-each | grep -c cinn_op.group); \
// RUN:   test $left -ge $last || exit 1; last=$left; done
// RUN: for n in 5 16 40 90; do pir-run %s "--pipeline=%{until},group{few=0,refuse=lower,at=$n},dce,bind" %{in} --expect-dir=%t || exit 1; done
// RUN: pir-opt %s "--passes=%{until},group{few=0,target=sm_80}" --verify-each | FileCheck %s
// RUN: pir-opt %s "--passes=%{until},group{few=0}" | FileCheck %s
// A convolution backwards whose taps fill the stride is a product; one whose taps overlap is none.
// CHECK: kind:"contraction"
// CHECK-NEXT: "pd_op.full_int_array"
// CHECK-NEXT: "pd_op.conv2d_transpose"{{.*}}strides:[2,2]
// CHECK-NEXT: cf.yield
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,6,6]} : () -> tensor<2x4x6x6xf32>
    (%w2) = "pd_op.data" () {dtype:float32,name:"w2",place:Place(undefined:0),shape:[4,3,2,2]} : () -> tensor<4x3x2x2xf32>
    (%t1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%t2) = "pd_op.conv2d_transpose" (%x, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x12x12xf32>
    (%w3) = "pd_op.data" () {dtype:float32,name:"w3",place:Place(undefined:0),shape:[4,3,3,3]} : () -> tensor<4x3x3x3xf32>
    (%t3) = "pd_op.conv2d_transpose" (%x, %w3, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>, tensor<0xi64>) -> tensor<2x3x13x13xf32>
    (%t4) = "pd_op.conv2d_transpose" (%x, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[3,3]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x17x17xf32>
    (%t5) = "pd_op.conv2d_transpose" (%x, %w3, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>, tensor<0xi64>) -> tensor<2x3x8x8xf32>
    (%t6) = "pd_op.conv2d_transpose" (%x, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x10x10xf32>
    (%t7) = "pd_op.conv2d_transpose" (%x, %w2, %t1) {data_format:"NCHW",dilations:[2,2],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x13x13xf32>
    (%t8) = "pd_op.conv2d_transpose" (%x, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[1,1],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x13x13xf32>
    (%t9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[13,13]} : () -> tensor<2xi64>
    (%t10) = "pd_op.conv2d_transpose" (%x, %w2, %t9) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<2xi64>) -> tensor<2x3x13x13xf32>
    (%t11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[12,12]} : () -> tensor<2xi64>
    (%t12) = "pd_op.conv2d_transpose" (%x, %w2, %t11) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<2xi64>) -> tensor<2x3x12x12xf32>
    (%wg) = "pd_op.data" () {dtype:float32,name:"wg",place:Place(undefined:0),shape:[4,3,2,2]} : () -> tensor<4x3x2x2xf32>
    (%t13) = "pd_op.conv2d_transpose" (%x, %wg, %t1) {data_format:"NCHW",dilations:[1,1],groups:2,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x6x12x12xf32>
    (%xb) = "pd_op.data" () {dtype:float32,name:"xb",place:Place(undefined:0),shape:[-1,4,6,6]} : () -> tensor<-1x4x6x6xf32>
    (%t14) = "pd_op.conv2d_transpose" (%xb, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<-1x4x6x6xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<-1x3x12x12xf32>
    (%xs) = "pd_op.data" () {dtype:float32,name:"xs",place:Place(undefined:0),shape:[2,4,-1,-1]} : () -> tensor<2x4x-1x-1xf32>
    (%t15) = "pd_op.conv2d_transpose" (%xs, %w2, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x-1x-1xf32>, tensor<4x3x2x2xf32>, tensor<0xi64>) -> tensor<2x3x-1x-1xf32>
    (%wu) = "pd_op.data" () {dtype:float32,name:"wu",place:Place(undefined:0),shape:[4,3,-1,-1]} : () -> tensor<4x3x-1x-1xf32>
    (%t16) = "pd_op.conv2d_transpose" (%x, %wu, %t1) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<4x3x-1x-1xf32>, tensor<0xi64>) -> tensor<2x3x-1x-1xf32>
    (%wq) = "pd_op.data" () {dtype:float32,name:"wq",place:Place(undefined:0),shape:[6,2,3,3]} : () -> tensor<6x2x3x3xf32>
    (%t17) = "pd_op.conv2d" (%x, %wq) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x4x6x6xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x4x4xf32>
    (%xc) = "pd_op.data" () {dtype:float32,name:"xc",place:Place(undefined:0),shape:[2,-1,6,6]} : () -> tensor<2x-1x6x6xf32>
    (%wc) = "pd_op.data" () {dtype:float32,name:"wc",place:Place(undefined:0),shape:[6,2,3,3]} : () -> tensor<6x2x3x3xf32>
    (%t18) = "pd_op.conv2d" (%xc, %wc) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x-1x6x6xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x4x4xf32>
    (%wo) = "pd_op.data" () {dtype:float32,name:"wo",place:Place(undefined:0),shape:[-1,2,3,3]} : () -> tensor<-1x2x3x3xf32>
    (%t19) = "pd_op.conv2d" (%x, %wo) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x4x6x6xf32>, tensor<-1x2x3x3xf32>) -> tensor<2x-1x4x4xf32>
    (%wk) = "pd_op.data" () {dtype:float32,name:"wk",place:Place(undefined:0),shape:[5,4,3,3]} : () -> tensor<5x4x3x3xf32>
    (%t20) = "pd_op.conv2d" (%x, %wk) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"SAME",paddings:[0,0],strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<5x4x3x3xf32>) -> tensor<2x5x3x3xf32>
    (%xl) = "pd_op.data" () {dtype:float32,name:"xl",place:Place(undefined:0),shape:[2,6,6,4]} : () -> tensor<2x6x6x4xf32>
    (%t21) = "pd_op.conv2d" (%xl, %wk) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x6x6x4xf32>, tensor<5x4x3x3xf32>) -> tensor<2x4x4x5xf32>
    (%x3) = "pd_op.data" () {dtype:float32,name:"x3",place:Place(undefined:0),shape:[1,2,4,4,4]} : () -> tensor<1x2x4x4x4xf32>
    (%wvol) = "pd_op.data" () {dtype:float32,name:"wvol",place:Place(undefined:0),shape:[3,2,2,2,2]} : () -> tensor<3x2x2x2x2xf32>
    (%t22) = "pd_op.conv3d" (%x3, %wvol) {data_format:"NCDHW",dilations:[1,1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<1x2x4x4x4xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x3x3x3xf32>
    (%wv) = "pd_op.data" () {dtype:float32,name:"wv",place:Place(undefined:0),shape:[2,3,2,2,2]} : () -> tensor<2x3x2x2x2xf32>
    (%t23) = "pd_op.conv3d_transpose" (%x3, %wv) {data_format:"NCHW",dilations:[1,1,1],groups:1,output_padding:[],output_size:[],padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[2,2,2]} : (tensor<1x2x4x4x4xf32>, tensor<2x3x2x2x2xf32>) -> tensor<1x3x8x8x8xf32>
    (%a1) = "pd_op.data" () {dtype:float32,name:"a1",place:Place(undefined:0),shape:[1,4,5]} : () -> tensor<1x4x5xf32>
    (%b3) = "pd_op.data" () {dtype:float32,name:"b3",place:Place(undefined:0),shape:[3,5,6]} : () -> tensor<3x5x6xf32>
    (%t24) = "pd_op.matmul" (%a1, %b3) {transpose_x:false,transpose_y:false} : (tensor<1x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x4x6xf32>
    (%au) = "pd_op.data" () {dtype:float32,name:"au",place:Place(undefined:0),shape:[-1,4,5]} : () -> tensor<-1x4x5xf32>
    (%bu) = "pd_op.data" () {dtype:float32,name:"bu",place:Place(undefined:0),shape:[-1,5,6]} : () -> tensor<-1x5x6xf32>
    (%t25) = "pd_op.matmul" (%au, %bu) {transpose_x:false,transpose_y:false} : (tensor<-1x4x5xf32>, tensor<-1x5x6xf32>) -> tensor<-1x4x6xf32>
    (%ak) = "pd_op.data" () {dtype:float32,name:"ak",place:Place(undefined:0),shape:[3,4,-1]} : () -> tensor<3x4x-1xf32>
    (%bk) = "pd_op.data" () {dtype:float32,name:"bk",place:Place(undefined:0),shape:[3,-1,6]} : () -> tensor<3x-1x6xf32>
    (%t26) = "pd_op.matmul" (%ak, %bk) {transpose_x:false,transpose_y:false} : (tensor<3x4x-1xf32>, tensor<3x-1x6xf32>) -> tensor<3x4x6xf32>
    (%ar) = "pd_op.data" () {dtype:float32,name:"ar",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%t27) = "pd_op.matmul" (%ar, %b3) {transpose_x:false,transpose_y:false} : (tensor<4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x4x6xf32>
    (%al) = "pd_op.data" () {dtype:float32,name:"al",place:Place(undefined:0),shape:[2,3,4,5]} : () -> tensor<2x3x4x5xf32>
    (%t28) = "pd_op.matmul" (%al, %b3) {transpose_x:false,transpose_y:false} : (tensor<2x3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<2x3x4x6xf32>
    (%aa) = "pd_op.data" () {dtype:float32,name:"aa",place:Place(undefined:0),shape:[3,4,5]} : () -> tensor<3x4x5xf32>
    (%t29) = "pd_op.bmm" (%aa, %b3) {} : (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x4x6xf32>
    (%bv) = "pd_op.data" () {dtype:float32,name:"bv",place:Place(undefined:0),shape:[5]} : () -> tensor<5xf32>
    (%t30) = "pd_op.mv" (%ar, %bv) {} : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4xf32>
    (%ad) = "pd_op.data" () {dtype:float32,name:"ad",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%bd) = "pd_op.data" () {dtype:float32,name:"bd",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%t31) = "pd_op.dot" (%ad, %bd) {} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3xf32>
    (%y2) = "pd_op.data" () {dtype:float32,name:"y2",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%wbi) = "pd_op.data" () {dtype:float32,name:"wbi",place:Place(undefined:0),shape:[6,5,4]} : () -> tensor<6x5x4xf32>
    (%t32) = "pd_op.bilinear" (%ad, %y2, %wbi, <<NULL VALUE>>) {} : (tensor<3x5xf32>, tensor<3x4xf32>, tensor<6x5x4xf32>, <<NULL TYPE>>) -> tensor<3x6xf32>
    (%sx) = "pd_op.data" () {dtype:float32,name:"sx",place:Place(undefined:0),shape:[2,7,4]} : () -> tensor<2x7x4xf32>
    (%sf) = "pd_op.data" () {dtype:float32,name:"sf",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%t33) = "pd_op.row_conv" (%sx, %sf) {} : (tensor<2x7x4xf32>, tensor<3x4xf32>) -> tensor<2x7x4xf32>
    (%ia) = "pd_op.data" () {dtype:int32,name:"ia",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xi32>
    (%ib) = "pd_op.data" () {dtype:int32,name:"ib",place:Place(undefined:0),shape:[5,6]} : () -> tensor<5x6xi32>
    (%t34) = "pd_op.matmul" (%ia, %ib) {transpose_x:false,transpose_y:false} : (tensor<4x5xi32>, tensor<5x6xi32>) -> tensor<4x6xi32>
    (%ja) = "pd_op.data" () {dtype:int64,name:"ja",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xi64>
    (%jb) = "pd_op.data" () {dtype:int64,name:"jb",place:Place(undefined:0),shape:[5,6]} : () -> tensor<5x6xi64>
    (%t35) = "pd_op.matmul" (%ja, %jb) {transpose_x:false,transpose_y:false} : (tensor<4x5xi64>, tensor<5x6xi64>) -> tensor<4x6xi64>
    (%o0) = "pd_op.fetch" (%t2) {col:0,name:"filled_stride"} : (tensor<2x3x12x12xf32>) -> tensor<2x3x12x12xf32>
    (%o1) = "pd_op.fetch" (%t3) {col:1,name:"overlapping"} : (tensor<2x3x13x13xf32>) -> tensor<2x3x13x13xf32>
    (%o2) = "pd_op.fetch" (%t4) {col:2,name:"with_gaps"} : (tensor<2x3x17x17xf32>) -> tensor<2x3x17x17xf32>
    (%o3) = "pd_op.fetch" (%t5) {col:3,name:"stride_of_1"} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
    (%o4) = "pd_op.fetch" (%t6) {col:4,name:"padded"} : (tensor<2x3x10x10xf32>) -> tensor<2x3x10x10xf32>
    (%o5) = "pd_op.fetch" (%t7) {col:5,name:"dilated"} : (tensor<2x3x13x13xf32>) -> tensor<2x3x13x13xf32>
    (%o6) = "pd_op.fetch" (%t8) {col:6,name:"padded_output"} : (tensor<2x3x13x13xf32>) -> tensor<2x3x13x13xf32>
    (%o7) = "pd_op.fetch" (%t10) {col:7,name:"sized"} : (tensor<2x3x13x13xf32>) -> tensor<2x3x13x13xf32>
    (%o8) = "pd_op.fetch" (%t12) {col:8,name:"sized_alike"} : (tensor<2x3x12x12xf32>) -> tensor<2x3x12x12xf32>
    (%o9) = "pd_op.fetch" (%t13) {col:9,name:"backwards_in_groups"} : (tensor<2x6x12x12xf32>) -> tensor<2x6x12x12xf32>
    (%o10) = "pd_op.fetch" (%t14) {col:10,name:"unknown_batch"} : (tensor<-1x3x12x12xf32>) -> tensor<-1x3x12x12xf32>
    (%o11) = "pd_op.fetch" (%t15) {col:11,name:"unknown_sides"} : (tensor<2x3x-1x-1xf32>) -> tensor<2x3x-1x-1xf32>
    (%o12) = "pd_op.fetch" (%t16) {col:12,name:"unknown_filter"} : (tensor<2x3x-1x-1xf32>) -> tensor<2x3x-1x-1xf32>
    (%o13) = "pd_op.fetch" (%t17) {col:13,name:"groups"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    (%o14) = "pd_op.fetch" (%t18) {col:14,name:"unknown_channels"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    (%o15) = "pd_op.fetch" (%t19) {col:15,name:"unknown_filters"} : (tensor<2x-1x4x4xf32>) -> tensor<2x-1x4x4xf32>
    (%o16) = "pd_op.fetch" (%t20) {col:16,name:"same_padding"} : (tensor<2x5x3x3xf32>) -> tensor<2x5x3x3xf32>
    (%o17) = "pd_op.fetch" (%t21) {col:17,name:"channels_last"} : (tensor<2x4x4x5xf32>) -> tensor<2x4x4x5xf32>
    (%o18) = "pd_op.fetch" (%t22) {col:18,name:"volume"} : (tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
    (%o19) = "pd_op.fetch" (%t23) {col:19,name:"volume_backwards"} : (tensor<1x3x8x8x8xf32>) -> tensor<1x3x8x8x8xf32>
    (%o20) = "pd_op.fetch" (%t24) {col:20,name:"one_batch"} : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    (%o21) = "pd_op.fetch" (%t25) {col:21,name:"batches_of_unknown"} : (tensor<-1x4x6xf32>) -> tensor<-1x4x6xf32>
    (%o22) = "pd_op.fetch" (%t26) {col:22,name:"unknown_inside"} : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    (%o23) = "pd_op.fetch" (%t27) {col:23,name:"more_batches_right"} : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    (%o24) = "pd_op.fetch" (%t28) {col:24,name:"more_batches_left"} : (tensor<2x3x4x6xf32>) -> tensor<2x3x4x6xf32>
    (%o25) = "pd_op.fetch" (%t29) {col:25,name:"batched"} : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    (%o26) = "pd_op.fetch" (%t30) {col:26,name:"vector"} : (tensor<4xf32>) -> tensor<4xf32>
    (%o27) = "pd_op.fetch" (%t31) {col:27,name:"scalars"} : (tensor<3xf32>) -> tensor<3xf32>
    (%o28) = "pd_op.fetch" (%t32) {col:28,name:"bilinear"} : (tensor<3x6xf32>) -> tensor<3x6xf32>
    (%o29) = "pd_op.fetch" (%t33) {col:29,name:"rows_of_sequence"} : (tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
    (%o30) = "pd_op.fetch" (%t34) {col:30,name:"whole_numbers"} : (tensor<4x6xi32>) -> tensor<4x6xi32>
    (%o31) = "pd_op.fetch" (%t35) {col:31,name:"wide_whole_numbers"} : (tensor<4x6xi64>) -> tensor<4x6xi64>
}
