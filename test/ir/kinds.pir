// Kinds of untagged attributes come from the op's declaration, else from their shape.
// RUN: pir-opt %s --fragment --emit=typed --strip-debug | FileCheck %s
// CHECK: "pd_op.scale" {{.*}} {bias:({{Float|Double}})0,bias_after_scale:true}
(%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
// CHECK: {dtype:(pd_op.DataType)Undefined,keepdim:false}
(%3) = "pd_op.sum" (%2, %4) {dtype:Undefined,keepdim:false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
// CHECK: {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[2],value:(Double)1}
(%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xf32>
// CHECK: {a:(Int32)1,b:(Int64)3000000000,c:(Float)0.5,d:[(Int64)1,(Int64)3000000000],e:[(Float)1,(Float)2.5],f:true,g:"x",h:(pd_op.DataType)int8,i:(Double)1e+300,j:["a",(Int32)1]}
(%6) = "my_op.any" () {a:1,b:3000000000,c:0.5,d:[1,3000000000],e:[1,2.5],f:true,g:"x",h:int8,i:1e300,j:["a",1]} : () -> tensor<f32>
