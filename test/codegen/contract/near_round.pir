// What is rounded to bf16 and what nearly: attention over few keys and over many, operands behind views, joins, parts and casts, sums and columns
// that are too few, operands that are turned, other types. The numbers are those of called ops on rounded operands.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=q1=2x64x32xf32=random:1 --input=k1=2x64x32xf32=random:2 --input=v1=2x64x32xf32=random:3 --input=q2=2x64x32xf32=random:4 --input=k2=2x2048x32xf32=random:5 --input=v2=2x2048x32xf32=random:6 --input=q3=2x64x32xf32=random:7 --input=k3=2x64x32xf32=random:8 --input=v3=2x64x32xf32=random:9 --input=w=64x64xf32=random:10 --input=x=48x64xf32=random:11 --input=y=3x16x64xf32=random:12 --input=u=48x64xf32=random:13 --input=h=48x64xf64=random:14 --input=hw=64x64xf64=random:15 --input=i=48x64xi32=random:16 --input=iw=64x64xi32=random:17 --input=f=48x64xf64=random:18 --input=n=48x8xf32=random:19 --input=nw=8x64xf32=random:20 --input=m=48x64xf32=random:21 --input=mw=64x2xf32=random:22 --input=a=48x64xf32=random:23 --input=aw=64x64xf32=random:24 --input=b=64x48xf32=random:25 --input=e=48x64xf32=random:26 --input=ev=64x64xf32=random:27 --input=g=4x8x16x16xf32=random:28 --input=gf=32x8x3x3xf32=random:29 --input=gd=4x32x16x16xf32=random:30 --input=gdf=32x1x3x3xf32=random:31 --input=hh=48x64xf16=random:32 --input=hhw=64x64xf16=random:33
// DEFINE: %{until} = ungrouped
// RUN: pir-run %s "--pipeline=%{until},round,dce,bind" %{in} --output-dir=%t
// RUN: pir-run %s "--pipeline=%{until},round,group{few=0},dce,bind" %{in} --expect-dir=%t
// RUN: pir-run %s "--pipeline=%{until},round,group{few=0},dce,bind" --target=x86-64 %{in} --expect-dir=%t
// RUN: pir-opt %s --passes=round,dce --verify-each | FileCheck %s
// CHECK-COUNT-4: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
// CHECK: name:"w"
// CHECK-COUNT-5: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
// CHECK: name:"f"
// CHECK-COUNT-1: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
// CHECK: name:"a"
// CHECK-COUNT-2: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
// CHECK: name:"e"
// CHECK-COUNT-3: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
// CHECK: name:"hh"
// CHECK-COUNT-2: dtype:bfloat16
// CHECK-NOT: dtype:bfloat16
{
    (%q1) = "pd_op.data" () {dtype:float32,name:"q1",place:Place(undefined:0),shape:[2,64,32]} : () -> tensor<2x64x32xf32>
    (%k1) = "pd_op.data" () {dtype:float32,name:"k1",place:Place(undefined:0),shape:[2,64,32]} : () -> tensor<2x64x32xf32>
    (%v1) = "pd_op.data" () {dtype:float32,name:"v1",place:Place(undefined:0),shape:[2,64,32]} : () -> tensor<2x64x32xf32>
    (%t1) = "pd_op.matmul" (%q1, %k1) {transpose_x:false,transpose_y:true} : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x64xf32>
    (%t2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t3) = "pd_op.max" (%t1, %t2) {keepdim:true} : (tensor<2x64x64xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t4) = "pd_op.subtract" (%t1, %t3) {} : (tensor<2x64x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    (%t5) = "pd_op.exp" (%t4) {} : (tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    (%t6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t7) = "pd_op.sum" (%t5, %t6) {dtype:float32,keepdim:true} : (tensor<2x64x64xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t8) = "pd_op.divide" (%t5, %t7) {} : (tensor<2x64x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    (%t9) = "pd_op.matmul" (%t8, %v1) {transpose_x:false,transpose_y:false} : (tensor<2x64x64xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    (%q2) = "pd_op.data" () {dtype:float32,name:"q2",place:Place(undefined:0),shape:[2,64,32]} : () -> tensor<2x64x32xf32>
    (%k2) = "pd_op.data" () {dtype:float32,name:"k2",place:Place(undefined:0),shape:[2,2048,32]} : () -> tensor<2x2048x32xf32>
    (%v2) = "pd_op.data" () {dtype:float32,name:"v2",place:Place(undefined:0),shape:[2,2048,32]} : () -> tensor<2x2048x32xf32>
    (%t10) = "pd_op.matmul" (%q2, %k2) {transpose_x:false,transpose_y:true} : (tensor<2x64x32xf32>, tensor<2x2048x32xf32>) -> tensor<2x64x2048xf32>
    (%t11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t12) = "pd_op.max" (%t10, %t11) {keepdim:true} : (tensor<2x64x2048xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t13) = "pd_op.subtract" (%t10, %t12) {} : (tensor<2x64x2048xf32>, tensor<2x64x1xf32>) -> tensor<2x64x2048xf32>
    (%t14) = "pd_op.exp" (%t13) {} : (tensor<2x64x2048xf32>) -> tensor<2x64x2048xf32>
    (%t15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t16) = "pd_op.sum" (%t14, %t15) {dtype:float32,keepdim:true} : (tensor<2x64x2048xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t17) = "pd_op.divide" (%t14, %t16) {} : (tensor<2x64x2048xf32>, tensor<2x64x1xf32>) -> tensor<2x64x2048xf32>
    (%t18) = "pd_op.matmul" (%t17, %v2) {transpose_x:false,transpose_y:false} : (tensor<2x64x2048xf32>, tensor<2x2048x32xf32>) -> tensor<2x64x32xf32>
    (%q3) = "pd_op.data" () {dtype:float32,name:"q3",place:Place(undefined:0),shape:[2,64,32]} : () -> tensor<2x64x32xf32>
    (%k3) = "pd_op.data" () {dtype:float32,name:"k3",place:Place(undefined:0),shape:[2,-1,32]} : () -> tensor<2x-1x32xf32>
    (%v3) = "pd_op.data" () {dtype:float32,name:"v3",place:Place(undefined:0),shape:[2,-1,32]} : () -> tensor<2x-1x32xf32>
    (%t19) = "pd_op.matmul" (%q3, %k3) {transpose_x:false,transpose_y:true} : (tensor<2x64x32xf32>, tensor<2x-1x32xf32>) -> tensor<2x64x-1xf32>
    (%t20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t21) = "pd_op.max" (%t19, %t20) {keepdim:true} : (tensor<2x64x-1xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t22) = "pd_op.subtract" (%t19, %t21) {} : (tensor<2x64x-1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x-1xf32>
    (%t23) = "pd_op.exp" (%t22) {} : (tensor<2x64x-1xf32>) -> tensor<2x64x-1xf32>
    (%t24) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%t25) = "pd_op.sum" (%t23, %t24) {dtype:float32,keepdim:true} : (tensor<2x64x-1xf32>, tensor<1xi64>) -> tensor<2x64x1xf32>
    (%t26) = "pd_op.divide" (%t23, %t25) {} : (tensor<2x64x-1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x-1xf32>
    (%t27) = "pd_op.matmul" (%t26, %v3) {transpose_x:false,transpose_y:false} : (tensor<2x64x-1xf32>, tensor<2x-1x32xf32>) -> tensor<2x64x32xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xf32>
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf32>
    (%t28) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,48]} : () -> tensor<2xi64>
    (%t29) = "pd_op.reshape" (%x, %t28) {} : (tensor<48x64xf32>, tensor<2xi64>) -> tensor<64x48xf32>
    (%t30) = "pd_op.transpose" (%t29) {perm:[1,0]} : (tensor<64x48xf32>) -> tensor<48x64xf32>
    (%t31) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,48]} : () -> tensor<2xi64>
    (%t32) = "pd_op.reshape" (%t30, %t31) {} : (tensor<48x64xf32>, tensor<2xi64>) -> tensor<64x48xf32>
    (%t33) = "pd_op.transpose" (%t32) {perm:[1,0]} : (tensor<64x48xf32>) -> tensor<48x64xf32>
    (%t34) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,48]} : () -> tensor<2xi64>
    (%t35) = "pd_op.reshape" (%t33, %t34) {} : (tensor<48x64xf32>, tensor<2xi64>) -> tensor<64x48xf32>
    (%t36) = "pd_op.transpose" (%t35) {perm:[1,0]} : (tensor<64x48xf32>) -> tensor<48x64xf32>
    (%t37) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,48]} : () -> tensor<2xi64>
    (%t38) = "pd_op.reshape" (%t36, %t37) {} : (tensor<48x64xf32>, tensor<2xi64>) -> tensor<64x48xf32>
    (%t39) = "pd_op.transpose" (%t38) {perm:[1,0]} : (tensor<64x48xf32>) -> tensor<48x64xf32>
    (%t40) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,48]} : () -> tensor<2xi64>
    (%t41) = "pd_op.reshape" (%t39, %t40) {} : (tensor<48x64xf32>, tensor<2xi64>) -> tensor<64x48xf32>
    (%t42) = "pd_op.transpose" (%t41) {perm:[1,0]} : (tensor<64x48xf32>) -> tensor<48x64xf32>
    (%t43) = "pd_op.matmul" (%t42, %w) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3,16,64]} : () -> tensor<3x16x64xf32>
    (%t44) = "pd_op.relu" (%y) {} : (tensor<3x16x64xf32>) -> tensor<3x16x64xf32>
    (%t45) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[48,64]} : () -> tensor<2xi64>
    (%t46) = "pd_op.reshape" (%t44, %t45) {} : (tensor<3x16x64xf32>, tensor<2xi64>) -> tensor<48x64xf32>
    (%t47) = "pd_op.matmul" (%t46, %w) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%t48) = "pd_op.tanh" (%w) {} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%t49) = "pd_op.matmul" (%t46, %t48) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%u) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf32>
    (%t50) = "builtin.combine" (%u, %t46) {} : (tensor<48x64xf32>, tensor<48x64xf32>) -> vec[tensor<48x64xf32>,tensor<48x64xf32>]
    (%t51) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t52) = "pd_op.concat" (%t50, %t51) {} : (vec[tensor<48x64xf32>,tensor<48x64xf32>], tensor<1xi32>) -> tensor<96x64xf32>
    (%t53) = "pd_op.matmul" (%t52, %w) {transpose_x:false,transpose_y:false} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    (%h) = "pd_op.data" () {dtype:float64,name:"h",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf64>
    (%hw) = "pd_op.data" () {dtype:float64,name:"hw",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xf64>
    (%t54) = "pd_op.matmul" (%h, %hw) {transpose_x:false,transpose_y:false} : (tensor<48x64xf64>, tensor<64x64xf64>) -> tensor<48x64xf64>
    (%i) = "pd_op.data" () {dtype:int32,name:"i",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xi32>
    (%iw) = "pd_op.data" () {dtype:int32,name:"iw",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xi32>
    (%t55) = "pd_op.matmul" (%i, %iw) {transpose_x:false,transpose_y:false} : (tensor<48x64xi32>, tensor<64x64xi32>) -> tensor<48x64xi32>
    (%f) = "pd_op.data" () {dtype:float64,name:"f",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf64>
    (%t56) = "pd_op.cast" (%f) {dtype:float32} : (tensor<48x64xf64>) -> tensor<48x64xf32>
    (%t57) = "pd_op.matmul" (%t56, %w) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%n) = "pd_op.data" () {dtype:float32,name:"n",place:Place(undefined:0),shape:[48,8]} : () -> tensor<48x8xf32>
    (%nw) = "pd_op.data" () {dtype:float32,name:"nw",place:Place(undefined:0),shape:[8,64]} : () -> tensor<8x64xf32>
    (%t58) = "pd_op.matmul" (%n, %nw) {transpose_x:false,transpose_y:false} : (tensor<48x8xf32>, tensor<8x64xf32>) -> tensor<48x64xf32>
    (%m) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf32>
    (%mw) = "pd_op.data" () {dtype:float32,name:"mw",place:Place(undefined:0),shape:[64,2]} : () -> tensor<64x2xf32>
    (%t59) = "pd_op.matmul" (%m, %mw) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x2xf32>) -> tensor<48x2xf32>
    (%a) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[48,-1]} : () -> tensor<48x-1xf32>
    (%aw) = "pd_op.data" () {dtype:float32,name:"aw",place:Place(undefined:0),shape:[-1,64]} : () -> tensor<-1x64xf32>
    (%t60) = "pd_op.matmul" (%a, %aw) {transpose_x:false,transpose_y:false} : (tensor<48x-1xf32>, tensor<-1x64xf32>) -> tensor<48x64xf32>
    (%b) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%t61) = "pd_op.matmul" (%b, %w) {transpose_x:true,transpose_y:false} : (tensor<64x48xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%e) = "pd_op.data" () {dtype:float32,name:"e",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf32>
    (%ev) = "pd_op.data" () {dtype:float32,name:"ev",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xf32>
    (%t62) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[24,24]} : () -> tensor<2xi64>
    (%t63) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xi32>
    (%t64) = "pd_op.split" (%e, %t62, %t63) {} : (tensor<48x64xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<24x64xf32>,tensor<24x64xf32>]
    (%t65, %t66) = "builtin.split" (%t64) {} : (vec[tensor<24x64xf32>,tensor<24x64xf32>]) -> tensor<24x64xf32>, tensor<24x64xf32>
    (%t67) = "pd_op.matmul" (%t65, %ev) {transpose_x:false,transpose_y:false} : (tensor<24x64xf32>, tensor<64x64xf32>) -> tensor<24x64xf32>
    (%t68) = "pd_op.matmul" (%t66, %ev) {transpose_x:false,transpose_y:false} : (tensor<24x64xf32>, tensor<64x64xf32>) -> tensor<24x64xf32>
    (%g) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4,8,16,16]} : () -> tensor<4x8x16x16xf32>
    (%gf) = "pd_op.data" () {dtype:float32,name:"gf",place:Place(undefined:0),shape:[32,8,3,3]} : () -> tensor<32x8x3x3xf32>
    (%t69) = "pd_op.conv2d" (%g, %gf) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<4x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<4x32x16x16xf32>
    (%gd) = "pd_op.data" () {dtype:float32,name:"gd",place:Place(undefined:0),shape:[4,32,16,16]} : () -> tensor<4x32x16x16xf32>
    (%gdf) = "pd_op.data" () {dtype:float32,name:"gdf",place:Place(undefined:0),shape:[32,1,3,3]} : () -> tensor<32x1x3x3xf32>
    (%t70) = "pd_op.depthwise_conv2d" (%gd, %gdf) {data_format:"NCHW",dilations:[1,1],groups:32,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<4x32x16x16xf32>, tensor<32x1x3x3xf32>) -> tensor<4x32x16x16xf32>
    (%hh) = "pd_op.data" () {dtype:float16,name:"hh",place:Place(undefined:0),shape:[48,64]} : () -> tensor<48x64xf16>
    (%hhw) = "pd_op.data" () {dtype:float16,name:"hhw",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xf16>
    (%t71) = "pd_op.cast" (%hh) {dtype:float32} : (tensor<48x64xf16>) -> tensor<48x64xf32>
    (%t72) = "pd_op.cast" (%hhw) {dtype:float32} : (tensor<64x64xf16>) -> tensor<64x64xf32>
    (%t73) = "pd_op.matmul" (%t71, %t72) {transpose_x:false,transpose_y:false} : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    (%t74) = "pd_op.cast" (%t73) {dtype:float64} : (tensor<48x64xf32>) -> tensor<48x64xf64>
    (%o0) = "pd_op.fetch" (%t9) {col:0,name:"few_keys"} : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    (%o1) = "pd_op.fetch" (%t18) {col:1,name:"many_keys"} : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    (%o2) = "pd_op.fetch" (%t27) {col:2,name:"keys_of_the_run"} : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    (%o3) = "pd_op.fetch" (%t43) {col:3,name:"ten_views"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o4) = "pd_op.fetch" (%t47) {col:4,name:"reshaped"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o5) = "pd_op.fetch" (%t49) {col:5,name:"reshaped_again"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o6) = "pd_op.fetch" (%t53) {col:6,name:"joined"} : (tensor<96x64xf32>) -> tensor<96x64xf32>
    (%o7) = "pd_op.fetch" (%t54) {col:7,name:"doubles"} : (tensor<48x64xf64>) -> tensor<48x64xf64>
    (%o8) = "pd_op.fetch" (%t55) {col:8,name:"integers"} : (tensor<48x64xi32>) -> tensor<48x64xi32>
    (%o9) = "pd_op.fetch" (%t57) {col:9,name:"of_doubles"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o10) = "pd_op.fetch" (%t58) {col:10,name:"few_sums"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o11) = "pd_op.fetch" (%t59) {col:11,name:"few_columns"} : (tensor<48x2xf32>) -> tensor<48x2xf32>
    (%o12) = "pd_op.fetch" (%t60) {col:12,name:"sums_of_the_run"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o13) = "pd_op.fetch" (%t61) {col:13,name:"turned"} : (tensor<48x64xf32>) -> tensor<48x64xf32>
    (%o14) = "pd_op.fetch" (%t67) {col:14,name:"a_part"} : (tensor<24x64xf32>) -> tensor<24x64xf32>
    (%o15) = "pd_op.fetch" (%t68) {col:15,name:"another_part"} : (tensor<24x64xf32>) -> tensor<24x64xf32>
    (%o16) = "pd_op.fetch" (%t69) {col:16,name:"convolution"} : (tensor<4x32x16x16xf32>) -> tensor<4x32x16x16xf32>
    (%o17) = "pd_op.fetch" (%t70) {col:17,name:"depthwise"} : (tensor<4x32x16x16xf32>) -> tensor<4x32x16x16xf32>
    (%o18) = "pd_op.fetch" (%t74) {col:18,name:"of_halves"} : (tensor<48x64xf64>) -> tensor<48x64xf64>
}
