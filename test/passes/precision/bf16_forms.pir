// Which ops get the mark of bf16 kernels and keep it, and where conversions are inserted.
// RUN: pir-opt %s --split-input-file --passes=cpu_bfloat16_placement | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=cpu_bfloat16,cpu_bfloat16_type_placement | FileCheck %s --check-prefix=CONVERT

// A reshape and a slice whose lists are known, with an entry that is not -1; not a scale whose bias comes last; not lists that hold another
// type, nor what nobody knows.
// CHECK-LABEL: name:"first"
// CHECK: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.reshape" (%9, %3) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",use_quantizer:false}
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.reshape" (%11, %4) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false}
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.reshape" (%13, %2) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false}
// CHECK-NEXT: "onednn_op.slice" (%9, %5, %6) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.slice" (%9, %5, %4) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.slice" (%9, %4, %6) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.scale" (%9, %7) {bias:1,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.scale" (%9, %7) {bias:1,bias_after_scale:false,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "builtin.combine" (%0, %1)
// CHECK-NEXT: "onednn_op.concat" (%20, %8) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false}
// CHECK-NEXT: "my.op" (%0)
// CHECK-NEXT: "onednn_op.relu" (%22) {mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "builtin.combine" (%22, %0)
// CHECK-NEXT: "onednn_op.concat" (%24, %8) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false}
// CONVERT-LABEL: name:"first"
// CONVERT: "onednn_op.concat" (%24, %8) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float16,name:"y",place:Place(cpu),shape:[2,8]} : () -> tensor<2x8xf16>
    (%2) = "pd_op.data" () {dtype:int64,name:"w",place:Place(cpu),shape:[2]} : () -> tensor<2xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,2]} : () -> tensor<2xi64>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%8) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%9) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%10) = "onednn_op.reshape" (%9, %3) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (tensor<2x8xf32>, tensor<2xi64>) -> tensor<8x2xf32>
    (%11) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%12) = "onednn_op.reshape" (%11, %4) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<16xf32>
    (%13) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%14) = "onednn_op.reshape" (%13, %2) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (tensor<2x8xf32>, tensor<2xi64>) -> tensor<-1x-1xf32>
    (%15) = "onednn_op.slice" (%9, %5, %6) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x8xf32>
    (%16) = "onednn_op.slice" (%9, %5, %4) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x8xf32>
    (%17) = "onednn_op.slice" (%9, %4, %6) {axes:[0],decrease_axis:[],infer_flags:[1],mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<0x8xf32>
    (%18) = "onednn_op.scale" (%9, %7) {bias:1,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%19) = "onednn_op.scale" (%9, %7) {bias:1,bias_after_scale:false,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%20) = "builtin.combine" (%0, %1) {} : (tensor<2x8xf32>, tensor<2x8xf16>) -> vec[tensor<2x8xf32>,tensor<2x8xf16>]
    (%21) = "onednn_op.concat" (%20, %8) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (vec[tensor<2x8xf32>,tensor<2x8xf16>], tensor<1xi32>) -> tensor<4x8xf32>
    (%22) = "my.op" (%0) {} : (tensor<2x8xf32>) -> <<NULL TYPE>>
    (%23) = "onednn_op.relu" (%22) {mkldnn_data_type:"float32",onednn_data_type:""} : (<<NULL TYPE>>) -> tensor<2x8xf32>
    (%24) = "builtin.combine" (%22, %0) {} : (<<NULL TYPE>>, tensor<2x8xf32>) -> vec[<<NULL TYPE>>,tensor<2x8xf32>]
    (%25) = "onednn_op.concat" (%24, %8) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (vec[<<NULL TYPE>>,tensor<2x8xf32>], tensor<1xi32>) -> tensor<4x8xf32>
    (%26) = "pd_op.fetch" (%10) {col:0,name:"a"} : (tensor<8x2xf32>) -> tensor<8x2xf32>
    (%27) = "pd_op.fetch" (%12) {col:1,name:"c"} : (tensor<16xf32>) -> tensor<16xf32>
    (%28) = "pd_op.fetch" (%14) {col:2,name:"d"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%29) = "pd_op.fetch" (%15) {col:3,name:"f"} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    (%30) = "pd_op.fetch" (%16) {col:4,name:"g"} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    (%31) = "pd_op.fetch" (%17) {col:5,name:"g2"} : (tensor<0x8xf32>) -> tensor<0x8xf32>
    (%32) = "pd_op.fetch" (%18) {col:6,name:"h"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%33) = "pd_op.fetch" (%19) {col:7,name:"i"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%34) = "pd_op.fetch" (%21) {col:8,name:"k"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    (%35) = "pd_op.fetch" (%23) {col:9,name:"n"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%36) = "pd_op.fetch" (%25) {col:10,name:"o"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
}

// -----
// A mark is kept only beside another one, or inputs and outputs; an argument of a region is neither.
// CHECK-LABEL: name:"second"
// CHECK: "pd_op.tanh" (%0)
// CHECK-NEXT: "onednn_op.relu" (%2) {mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "pd_op.exp" (%3)
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "pd_op.exp" (%5)
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "pd_op.while" (cond=%1, inputs=%1, %0) {
// CHECK: "onednn_op.relu" (%arg_1) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.relu" (%10) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.relu" (%arg_1) {mkldnn_data_type:"float32",onednn_data_type:""}
// CHECK-NEXT: "pd_op.tanh" (%12)
// CHECK-NEXT: "pd_op.add" (%11, %13)
// CHECK-NEXT: "cf.yield" (%1, %1, %14)
// CONVERT-LABEL: name:"second"
// CONVERT: "cf.yield" (%1, %1, %14)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.tanh" (%0) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "onednn_op.relu" (%2) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.exp" (%3) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%5) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%6) = "pd_op.exp" (%5) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%7) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%8, %9) = "pd_op.while" (cond=%1, inputs=%1, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%10) = "onednn_op.relu" (%arg_1) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
        (%11) = "onednn_op.relu" (%10) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
        (%12) = "onednn_op.relu" (%arg_1) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
        (%13) = "pd_op.tanh" (%12) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
        (%14) = "pd_op.add" (%11, %13) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
        () = "cf.yield" (%1, %1, %14) {} : (tensor<1xb>, tensor<1xb>, tensor<2x8xf32>) -> 
    }
    (%15) = "pd_op.fetch" (%4) {col:0,name:"b"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%16) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%17) = "pd_op.fetch" (%9) {col:2,name:"r1"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// Conversions: not where one is, nor of an absent operand or a list; the format is the op's. One of the two marks is enough.
// CHECK-LABEL: name:"third"
// CHECK: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CHECK-NEXT: "onednn_op.relu" (%2) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.dequantize" (%3) {scale:1,shift:0}
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"}
// CHECK-NEXT: "onednn_op.matmul" (%0, %0) {data_format:"NHWC",force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"",transpose_x:true,transpose_y:false}
// CHECK-NEXT: "builtin.combine" (%0, %0)
// CHECK: "onednn_op.concat" (%7, %8) {mkldnn_data_type:"bfloat16",onednn_data_type:"",use_quantizer:false}
// CHECK-NEXT: "my.op" (%0)
// CHECK-NEXT: "onednn_op.cast" (%10) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CHECK-NEXT: "pd_op.while" (cond=%1, inputs=%1, %0) {
// CHECK: "onednn_op.relu" (%arg_1) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CHECK-NEXT: "cf.yield" (%1, %1, %15)
// CHECK: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CHECK-NEXT: "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16"}
// CONVERT-LABEL: name:"third"
// CONVERT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.relu" (%2) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-NEXT: "onednn_op.dequantize" (%3) {scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.relu" (%5) {mkldnn_data_type:"float32",onednn_data_type:"bfloat16"}
// CONVERT-NEXT: "onednn_op.dequantize" (%6) {scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NHWC",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NHWC",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.matmul" (%8, %9) {data_format:"NHWC",force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"",transpose_x:true,transpose_y:false}
// CONVERT-NEXT: "onednn_op.dequantize" (%10) {scale:1,shift:0}
// CONVERT-NEXT: "builtin.combine" (%0, %0)
// CONVERT: "onednn_op.concat" (%12, %13) {mkldnn_data_type:"bfloat16",onednn_data_type:"",use_quantizer:false}
// CONVERT-NEXT: "my.op" (%0)
// CONVERT-NEXT: "onednn_op.cast" (%15) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-NEXT: "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-NEXT: "pd_op.while" (cond=%1, inputs=%1, %0) {
// CONVERT: "onednn_op.quantize" (%arg_1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.relu" (%20) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-NEXT: "onednn_op.dequantize" (%21) {scale:1,shift:0}
// CONVERT-NEXT: "cf.yield" (%1, %1, %22)
// CONVERT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.relu" (%23) {mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-NEXT: "onednn_op.dequantize" (%24) {scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0}
// CONVERT-NEXT: "onednn_op.relu" (%26) {mkldnn_data_type:"bfloat16"}
// CONVERT-NEXT: "onednn_op.dequantize" (%27) {scale:1,shift:0}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2) = "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%3) = "onednn_op.relu" (%2) {mkldnn_data_type:"bfloat16",onednn_data_type:""} : (tensor<2x8xbf16>) -> tensor<2x8xbf16>
    (%4) = "onednn_op.dequantize" (%3) {scale:1,shift:0} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%5) = "onednn_op.relu" (%0) {mkldnn_data_type:"float32",onednn_data_type:"bfloat16"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%6) = "onednn_op.matmul" (%0, %0) {data_format:"NHWC",force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"",transpose_x:true,transpose_y:false} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
    (%7) = "builtin.combine" (%0, %0) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> vec[tensor<2x8xf32>,tensor<2x8xf32>]
    (%8) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%9) = "onednn_op.concat" (%7, %8) {mkldnn_data_type:"bfloat16",onednn_data_type:"",use_quantizer:false} : (vec[tensor<2x8xf32>,tensor<2x8xf32>], tensor<1xi32>) -> tensor<4x8xf32>
    (%10) = "my.op" (%0) {} : (tensor<2x8xf32>) -> <<NULL TYPE>>
    (%11) = "onednn_op.cast" (%10) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""} : (<<NULL TYPE>>) -> tensor<2x8xf32>
    (%12) = "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%13, %14) = "pd_op.while" (cond=%1, inputs=%1, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%15) = "onednn_op.relu" (%arg_1) {mkldnn_data_type:"bfloat16",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
        () = "cf.yield" (%1, %1, %15) {} : (tensor<1xb>, tensor<1xb>, tensor<2x8xf32>) -> 
    }
    (%16) = "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16",onednn_data_type:""} : (tensor<2x8xf32>) -> <<NULL TYPE>>
    (%17) = "onednn_op.relu" (%0) {mkldnn_data_type:"bfloat16"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%18) = "pd_op.fetch" (%4) {col:0,name:"d"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%19) = "pd_op.fetch" (%5) {col:1,name:"b"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%20) = "pd_op.fetch" (%6) {col:2,name:"e"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    (%21) = "pd_op.fetch" (%9) {col:3,name:"f"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    (%22) = "pd_op.fetch" (%11) {col:4,name:"g"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%23) = "pd_op.fetch" (%12) {col:5,name:"h"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%24) = "pd_op.fetch" (%14) {col:6,name:"r1"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%25) = "pd_op.fetch" (%16) {col:7,name:"n"} : (<<NULL TYPE>>) -> <<NULL TYPE>>
    (%26) = "pd_op.fetch" (%17) {col:8,name:"k"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// A cast at the end of the program, which nobody reads.
// CHECK-LABEL: name:"fourth"
// CHECK: "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
// CONVERT-LABEL: name:"fourth"
// CONVERT: "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""}
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"fourth",place:Place(cpu),shape:[2]} : () -> tensor<2xbf16>
    (%1) = "onednn_op.cast" (%0) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:""} : (tensor<2xbf16>) -> tensor<2xf32>
}

