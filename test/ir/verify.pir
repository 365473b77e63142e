// The verifier reads the op tables and reports every finding. Stated element types that disagree are warnings.
// RUN: pir-opt %s --split-input-file --verify-diagnostics
// RUN: not pir-opt %s --split-input-file --strict 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: "pd_op.exp" result out has element type f64, expected f32
// STRICT: error: "my_op.unknown" is not known to any dialect
// STRICT: error: "pd_op.exp" result 0 (out) is a list, expected a tensor
// STRICT: error: "pd_op.exp" result 0 (out) has no type
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.exp" expects 1 operand, has 2}}
    (%1) = "pd_op.exp" (%0, %0) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.add" expects 2 operands, has 1}}
    (%2) = "pd_op.add" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.add" operand 1 (y) is missing}}
    (%3) = "pd_op.add" (%0, <<NULL VALUE>>) {stop_gradient:[true]} : (tensor<2x3xf32>, <<NULL TYPE>>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.exp" expects 1 result, has 2}}
    (%4, %5) = "pd_op.exp" (%0) {stop_gradient:[true,true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
    // expected-error@+1 {{attribute transpose_x has kind STR, expected BOOL}}
    (%6) = "pd_op.matmul" (%0, %0) {stop_gradient:[true],transpose_x:"yes",transpose_y:true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    // expected-error@+1 {{element 1 of attribute perm has kind STR, expected I32}}
    (%7) = "pd_op.transpose" (%0) {perm:[1,"0"],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    // expected-error@+1 {{"pd_op.exp" expects 0 regions, has 1}}
    (%8) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    {
    }
    // Numbers of any kind stand for each other: file versions differ.
    (%9) = "pd_op.leaky_relu" (%0) {negative_slope:(Double)0.02,stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// What the file states of types is not a fact.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xf32>
    // expected-warning@+1 {{"pd_op.exp" result out is stated with element type f64, expected f32}}
    (%1) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x2xf32>) -> tensor<2x2xf64>
    // expected-warning@+1 {{"pd_op.where" operand condition is stated with element type f32, expected b}}
    (%2) = "pd_op.where" (%0, %0, %0) {stop_gradient:[true]} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    (%3) = "my_op.unknown" (%2) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// A type that an attribute states, or that the op itself derives, is no conflict with the operand's.
{
    (%0) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xi32>
    (%1) = "pd_op.data" () {dtype:bool,name:"y",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xb>
    (%2) = "pd_op.data" () {dtype:complex64,name:"z",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xc64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.sum" (%0, %3) {dtype:float32,keepdim:false,stop_gradient:[true]} : (tensor<2x2xi32>, tensor<0xi64>) -> tensor<f32>
    (%5) = "pd_op.sum" (%1, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x2xb>, tensor<0xi64>) -> tensor<i64>
    (%6) = "pd_op.abs" (%2) {stop_gradient:[true]} : (tensor<2x2xc64>) -> tensor<2x2xf32>
    (%7) = "pd_op.acos" (%0) {stop_gradient:[true]} : (tensor<2x2xi32>) -> tensor<2x2xf32>
    // expected-warning@+1 {{"pd_op.sum" result out is stated with element type f64, expected f32}}
    (%8) = "pd_op.sum" (%0, %3) {dtype:float32,keepdim:false,stop_gradient:[true]} : (tensor<2x2xi32>, tensor<0xi64>) -> tensor<f64>
    // Of a result that has its type from an attribute alone, too.
    // expected-warning@+1 {{"pd_op.full" result out is stated with element type f64, expected f32}}
    (%15) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],stop_gradient:[true],value:1} : () -> tensor<2xf64>
    // expected-warning@+1 {{"pd_op.cast" result out is stated with element type i64, expected i32}}
    (%16) = "pd_op.cast" (%15) {dtype:int32,stop_gradient:[true]} : (tensor<2xf64>) -> tensor<2xi64>
    // expected-warning@+1 {{"pd_op.unique" result inverse is stated with element type i64, expected i32}}
    (%17, %18, %19, %20) = "pd_op.unique" (%0) {axis:[],dtype:int32,is_sorted:true,return_counts:true,return_index:true,return_inverse:true,stop_gradient:[true,true,true,true]} : (tensor<2x2xi32>) -> tensor<-1xi32>, tensor<-1xi32>, tensor<4xi64>, tensor<-1xi32>
    // Ops that move elements keep their type, though they have a hook too, which derives the shape.
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    // expected-warning@+1 {{"pd_op.slice" result out is stated with element type i64, expected i32}}
    (%11) = "pd_op.slice" (%0, %9, %10) {axes:[0],decrease_axis:[0],infer_flags:[1],stop_gradient:[true]} : (tensor<2x2xi32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    // expected-warning@+1 {{"pd_op.slice" result out is stated with element type f32, expected c64}}
    (%12) = "pd_op.slice" (%2, %9, %10) {axes:[0],decrease_axis:[0],infer_flags:[1],stop_gradient:[true]} : (tensor<2x2xc64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    // expected-warning@+1 {{"pd_op.acos" result out is stated with element type i64, expected i32}}
    (%13) = "pd_op.acos" (%0) {stop_gradient:[true]} : (tensor<2x2xi32>) -> tensor<2x2xi64>
    // expected-warning@+1 {{"pd_op.abs" result out is stated with element type f64, expected c64}}
    (%14) = "pd_op.abs" (%2) {stop_gradient:[true]} : (tensor<2x2xc64>) -> tensor<2x2xf64>
}

// -----
{
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
    // expected-error@+1 {{"pd_op.if" region 1 does not end with a terminator}}
    (%1) = "pd_op.if" (%0) {stop_gradient:[true]} -> tensor<1xb> {
        // expected-error@+1 {{"cf.yield" must be the last op of its block}}
        () = "cf.yield" (%0) {} : (tensor<1xb>) -> 
        () = "cf.yield" (%0) {} : (tensor<1xb>) -> 
    } else {
        (%2) = "pd_op.logical_not" (%0) {stop_gradient:[true]} : (tensor<1xb>) -> tensor<1xb>
    }
}

// -----
// Lists in place of tensors, and types that are missing, are not facts either. Absent are the gradient of an operand, an optional result, and
// what an op makes that nothing needs.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    // expected-warning@+1 {{"pd_op.dpsgd" result 0 (param_out) is a list, expected a tensor}}
    (%1) = "pd_op.dpsgd" (%0, %0, %0) {batch_size:(Float)16,clip:(Float)10,seed:(Int32)3,sigma:(Float)0} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> vec[]
    // expected-warning@+1 {{"pd_op.dpsgd" result 0 (param_out) has no type}}
    (%2) = "pd_op.dpsgd" (%0, %0, %0) {batch_size:(Float)16,clip:(Float)10,seed:(Int32)3,sigma:(Float)0} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> <<NULL TYPE>>
    // expected-warning@+1 {{"pd_op.exp" result 0 (out) is a list, expected a tensor}}
    (%3) = "pd_op.exp" (%0) {} : (tensor<2x2xf32>) -> vec[tensor<2x2xf32>]
    // expected-warning@+1 {{"pd_op.exp" result 0 (out) has no type}}
    (%4) = "pd_op.exp" (%0) {} : (tensor<2x2xf32>) -> <<NULL TYPE>>
    (%5) = "pd_op.exp" (%4) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%6, %7) = "pd_op.matmul_grad" (%0, %0, %0) {transpose_x:false,transpose_y:false} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> <<NULL TYPE>>, tensor<2x2xf32>
    (%8) = "pd_op.cast" (%7) {dtype:float64} : (tensor<2x2xf32>) -> <<NULL TYPE>>
    (%9) = "builtin.combine" (%0, %7) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> vec[tensor<2x2xf32>, tensor<2x2xf32>]
    (%10, %11) = "builtin.split" (%9) {} : (vec[tensor<2x2xf32>, tensor<2x2xf32>]) -> tensor<2x2xf32>, tensor<2x2xf32>
    (%12, %13) = "pd_op.sgd_" (%0, %0, %0, <<NULL VALUE>>) {multi_precision:false} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, <<NULL TYPE>>) -> tensor<2x2xf32>, <<NULL TYPE>>
}

// -----
// What regions get and hand out keeps its kind, since memory is handed over as it is.
{
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<f32>
    (%3) = "pd_op.if" (%0) {} -> tensor<2xf32> {
        // expected-error@+1 {{"cf.yield" operand 0 is an array of tensors, but result 0, which it becomes, is a tensor}}
        () = "cf.yield" (%2) {} : (pd_op.tensor_array<f32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%4, %5) = "pd_op.if" (%0) {} -> tensor<2xf32>, pd_op.tensor_array<f32> {
        () = "cf.yield" (%1, %2) {} : (tensor<2xf32>, pd_op.tensor_array<f32>) -> 
    } else {
        // expected-error@+1 {{"cf.yield" operand 1 is a tensor, but result 1, which it becomes, is an array of tensors}}
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%6) = "pd_op.while" (cond=%0, inputs=%1) {
    ^%arg_0 {}
        // expected-error@+1 {{"cf.yield" operand 1 is an array of tensors, but result 0, which it becomes, is a tensor}}
        () = "cf.yield" (%0, %2) {} : (tensor<1xb>, pd_op.tensor_array<f32>) -> 
    }
}
