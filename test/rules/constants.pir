// What rules know of operands: contents of constants of every type, attributes of every kind, lists.
// RUN: pir-opt %s --split-input-file --rules=%S/inputs/constants.drr --trace-rewrites=all 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err
// WHY: of_bools: not "pd_op.where" at {{.*}}: an attribute or operand cannot be made
// WHY: of_bools: not "pd_op.where" at {{.*}}: an attribute or operand cannot be made
// WHY: of_lists: not "pd_op.reshape" at {{.*}}: operands, attributes or readers of results differ
// WHY: of_lists: not "pd_op.reshape" at {{.*}}: operands, attributes or readers of results differ
// WHY: of_floats: not "pd_op.multiply" at {{.*}}: the condition on line 19 does not hold
// WHY: of_floats: not "pd_op.multiply" at {{.*}}: the condition on line 19 does not hold
// WHY: of_floats: not "pd_op.multiply" at {{.*}}: the condition on line 19 does not hold
// WHY: of_floats: not "pd_op.multiply" at {{.*}}: a result would have another type
// WHY: of_lists: not "pd_op.reshape" at {{.*}}: the condition on line 12 does not hold
// WHY: of_attributes: not "pd_op.atan2" at {{.*}}: the condition on line 29 does not hold

// Truth values; an argument of a region is an input.
// CHECK-LABEL: name:"first"
// CHECK: (%2) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:1}
// CHECK-NEXT: (%3) = "pd_op.tanh" (%0) {_c:true,_constant:false,_input:true,_one:true}
// CHECK: (%6) = "pd_op.where" (%2, %0, %5)
// CHECK-NEXT: (%7, %8) = "pd_op.while" (cond=%4, inputs=%4, %0) {
// CHECK: (%9) = "pd_op.tanh" (%arg_1) {_c:true,_constant:false,_input:true,_one:true}
// CHECK-NEXT: () = "cf.yield" (%4, %4, %9)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xb>
    (%3) = "pd_op.where" (%2, %0, %1) {} : (tensor<2xb>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%4) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%5) = "pd_op.data" () {dtype:float32,name:"z",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%6) = "pd_op.where" (%2, %0, %5) {} : (tensor<2xb>, tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
    (%7, %8) = "pd_op.while" (cond=%4, inputs=%4, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%9) = "pd_op.where" (%2, %arg_1, %1) {} : (tensor<2xb>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        () = "cf.yield" (%4, %4, %9) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>) -> 
    }
    (%10) = "pd_op.fetch" (%3) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%8) {col:2,name:"r1"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Shapes.
// CHECK-LABEL: name:"second"
// CHECK: (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:3}
// CHECK-NEXT: (%2) = "pd_op.transpose" (%0) {perm:[1,0]}
// CHECK-NEXT: (%3) = "pd_op.transpose" (%0) {perm:[1,0]}
// CHECK-NEXT: (%4) = "pd_op.transpose" (%0) {perm:[1,0]}
// CHECK-NEXT: (%5) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[2],value:2}
// CHECK: (%7) = "pd_op.reshape" (%0, %6)
// CHECK: (%9) = "builtin.combine" (%1, %8)
// CHECK-NEXT: (%10) = "pd_op.reshape" (%0, %9)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:3} : () -> tensor<i64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:2} : () -> tensor<i64>
    (%3) = "builtin.combine" (%1, %2) {} : (tensor<i64>, tensor<i64>) -> vec[tensor<i64>,tensor<i64>]
    (%4) = "pd_op.reshape" (%0, %3) {} : (tensor<2x3xf32>, vec[tensor<i64>,tensor<i64>]) -> tensor<3x2xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,2]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%0, %5) {} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    (%7) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi64>
    (%8) = "builtin.combine" (%7, %2) {} : (tensor<1xi64>, tensor<i64>) -> vec[tensor<1xi64>,tensor<i64>]
    (%9) = "pd_op.reshape" (%0, %8) {} : (tensor<2x3xf32>, vec[tensor<1xi64>,tensor<i64>]) -> tensor<3x2xf32>
    (%10) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[2],value:2} : () -> tensor<2xi64>
    (%11) = "pd_op.data" () {dtype:int64,name:"w",place:Place(cpu),shape:[2]} : () -> tensor<2xi64>
    (%12) = "pd_op.reshape" (%0, %11) {} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<-1x-1xf32>
    (%13) = "pd_op.data" () {dtype:int64,name:"a",place:Place(cpu),shape:[]} : () -> tensor<i64>
    (%14) = "builtin.combine" (%1, %13) {} : (tensor<i64>, tensor<i64>) -> vec[tensor<i64>,tensor<i64>]
    (%15) = "pd_op.reshape" (%0, %14) {} : (tensor<2x3xf32>, vec[tensor<i64>,tensor<i64>]) -> tensor<3x-1xf32>
    (%16) = "pd_op.fetch" (%4) {col:0,name:"o"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    (%17) = "pd_op.fetch" (%6) {col:1,name:"p"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    (%18) = "pd_op.fetch" (%9) {col:2,name:"q"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    (%19) = "pd_op.fetch" (%12) {col:3,name:"t"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%20) = "pd_op.fetch" (%15) {col:4,name:"u"} : (tensor<3x-1xf32>) -> tensor<3x-1xf32>
}

// -----
// Numbers: not of a tensor that is large, complex or an argument.
// CHECK-LABEL: name:"third"
// CHECK: (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2.5}
// CHECK-NEXT: (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true}
// CHECK-NEXT: (%3) = "pd_op.sin" (%2)
// CHECK-NEXT: (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[70],value:2.5}
// CHECK: (%6) = "pd_op.multiply" (%5, %4)
// CHECK-NEXT: (%7) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[70],value:2}
// CHECK: (%9) = "pd_op.multiply" (%8, %7)
// CHECK: (%11, %12) = "pd_op.while" (cond=%10, inputs=%10, %0) {
// CHECK: (%13) = "pd_op.multiply" (%0, %arg_1)
// CHECK-NEXT: () = "cf.yield" (%10, %10, %13)
// CHECK: (%14) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2],value:3}
// CHECK: (%16) = "pd_op.multiply" (%15, %14)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:2.5} : () -> tensor<2xf32>
    (%2) = "pd_op.multiply" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[70],value:2.5} : () -> tensor<70xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[70]} : () -> tensor<70xf32>
    (%5) = "pd_op.multiply" (%4, %3) {} : (tensor<70xf32>, tensor<70xf32>) -> tensor<70xf32>
    (%6) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[70],value:2} : () -> tensor<70xi64>
    (%7) = "pd_op.data" () {dtype:int64,name:"vv",place:Place(cpu),shape:[70]} : () -> tensor<70xi64>
    (%8) = "pd_op.multiply" (%7, %6) {} : (tensor<70xi64>, tensor<70xi64>) -> tensor<70xi64>
    (%9) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%10, %11) = "pd_op.while" (cond=%9, inputs=%9, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%12) = "pd_op.multiply" (%0, %arg_1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%9, %9, %12) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>) -> 
    }
    (%13) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xi32>
    (%14) = "pd_op.data" () {dtype:int32,name:"tt",place:Place(cpu),shape:[2]} : () -> tensor<2xi32>
    (%15) = "pd_op.multiply" (%14, %13) {} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    (%16) = "pd_op.fetch" (%2) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%5) {col:1,name:"p"} : (tensor<70xf32>) -> tensor<70xf32>
    (%18) = "pd_op.fetch" (%8) {col:2,name:"s"} : (tensor<70xi64>) -> tensor<70xi64>
    (%19) = "pd_op.fetch" (%11) {col:3,name:"r1"} : (tensor<2xf32>) -> tensor<2xf32>
    (%20) = "pd_op.fetch" (%15) {col:4,name:"u"} : (tensor<2xi32>) -> tensor<2xi32>
}

// -----
// Two lists.
// CHECK-LABEL: name:"fifth"
// CHECK: (%1) = "pd_op.exp" (%0)
// CHECK-NEXT: (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0}
// CHECK-NEXT: (%4) = "pd_op.concat" (%2, %3)
// CHECK-NEXT: (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]}
// CHECK-NEXT: (%6) = "pd_op.reshape" (%4, %5) {_persistable:false,_ranks:true,_uses:5}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3) = "pd_op.stack" (%2) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"o"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// Attributes.
// CHECK-LABEL: name:"sixth"
// CHECK: (%2) = "pd_op.atan" (%0) {_number:5,_type:tensor<2xf32>}
// CHECK-NEXT: (%3) = "pd_op.atan2" (%1, %0)
{
    (%0) = "pd_op.data" () {_index:(Index)7,_layout:(pd_op.DataLayout)NCHW,_type:(Type)tensor<2xf32>,dtype:float32,name:"sixth",place:Place(cpu),shape:[5]} : () -> tensor<5xf32>
    (%1) = "pd_op.data" () {_layout:(pd_op.DataLayout)NHWC,_scalar:(pd_op.Scalar)[float32,(Float)1.5],_type:(Type)tensor<3xf32>,dtype:float32,name:"y",place:Place(cpu),shape:[5]} : () -> tensor<5xf32>
    (%2) = "pd_op.atan2" (%0, %1) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%3) = "pd_op.atan2" (%1, %0) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"f"} : (tensor<5xf32>) -> tensor<5xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"g"} : (tensor<5xf32>) -> tensor<5xf32>
}

