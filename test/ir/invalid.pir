// Every error of a run is reported, each at its place.
// RUN: pir-opt %s --split-input-file --verify-diagnostics
{
    (%0) = "my_op.a" () {} : () -> tensor<f32>
    // expected-error@+1 {{%1 is not defined before this use}}
    (%2) = "my_op.b" (%0, %1) {} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    // expected-note@+1 {{defined here, after its use}}
    (%1) = "my_op.b" (%0) {} : (tensor<f32>) -> tensor<f32>
    // expected-error@+1 {{2 operands, but 1 operand types}}
    (%3) = "my_op.b" (%0, %0) {} : (tensor<f32>) -> tensor<f32>
    // What the broken op defines may be used: no further error.
    (%4) = "my_op.b" (%3) {} : (tensor<f32>) -> tensor<f32>
    // expected-error@+1 {{%4 is defined twice}}
    (%4) = "my_op.b" (%3) {} : (tensor<f32>) -> tensor<f32>
    // expected-error@+1 {{1 results, but 2 result types}}
    (%5) = "my_op.b" () {} : () -> tensor<f32>, tensor<f32>
    // expected-error@+1 {{expected ',', found ':'}}
    (%6) = "my_op.b" (%0 {} : () -> tensor<f32>
    // expected-error@+1 {{expected the name of an op, found ':'}}
    (%7) = : () -> tensor<f32>
    // expected-error@+1 {{the attribute 'a' is given twice}}
    (%8) = "my_op.b" () {a:1,b:2,a:3} : () -> tensor<f32>
    // expected-error@+1 {{99999999999999999999 does not fit 64 bits}}
    (%9) = "my_op.b" () {a:99999999999999999999} : () -> tensor<f32>
    // expected-error@+1 {{1e999 is out of range}}
    (%10) = "my_op.b" () {a:1e999} : () -> tensor<f32>
    // expected-error@+1 {{3000000000 does not fit an int32}}
    (%11) = "my_op.b" () {a:(Int32)3000000000} : () -> tensor<f32>
    // expected-error@+1 {{expected an integer, found '1.5'}}
    (%12) = "my_op.b" () {a:(Int32)1.5} : () -> tensor<f32>
    // expected-error@+1 {{unknown element type 'f99'}}
    (%13) = "my_op.b" () {} : () -> tensor<2xf99>
    // expected-error@+1 {{dimension '99999999999999999999' is no 64-bit integer}}
    (%14) = "my_op.b" () {} : () -> tensor<99999999999999999999xf32>
    // expected-error@+1 {{more than 16 dimensions}}
    (%15) = "my_op.b" () {} : () -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
    // expected-error@+1 {{unknown escape in a string}}
    (%16) = "my_op.b" () {a:(str)"\q"} : () -> tensor<f32>
    // expected-error@+1 {{types and attributes nest deeper than 64 levels}}
    (%17) = "my_op.b" () {a:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} : () -> tensor<f32>
}
// -----
{
    (%0) = "my_op.a" () {} : () -> tensor<b>
    // expected-error@+1 {{1 results, but 2 inputs}}
    (%1) = "pd_op.while" (cond=%0, inputs=%0, %0) { 
    ^%arg_0 {}, %arg_1 {}
        () = "cf.yield" (%0, %arg_0) {} : (tensor<b>, tensor<b>) -> 
    }
    (%2) = "pd_op.while" (cond=%0, inputs=%0) { 
    // expected-error@+1 {{more arguments than the 1 inputs}}
    ^%arg_2 {}, %arg_3 {}
        () = "cf.yield" (%0, %arg_2) {} : (tensor<b>, tensor<b>) -> 
    }
}
// -----
// expected-error@+7 {{expected '}', found the end of the text}}
// expected-note@+3 {{of the op that begins here}}
{
    (%0) = "my_op.a" () {} : () -> tensor<b>
    (%1) = "pd_op.if" (%0) {} -> tensor<f32> {
        () = "cf.yield" () {} : () -> 
    
// -----
{
}
// expected-error@+1 {{expected the end of the text, found '}'}}
}
// -----
{
    // expected-error@+1 {{expected an op or '}', found 'nonsense'}}
    nonsense
}
// -----
{
    // expected-error@+1 {{the string does not end}}
    (%0) = "my_op.a" () {a:"no end} : () -> tensor<f32>
}
// -----
{
    (%0) = "my_op.a" () {} : () -> tensor<2xf32>
    // expected-warning@+1 {{operand 0 is tensor<2xf32>, not tensor<3xf32>}}
    (%1) = "my_op.b" (%0) {} : (tensor<3xf32>) -> tensor<2xf32>
}
// -----
{
    () = "my_op.regions" () {} : () ->  ({
    // expected-error@+2 {{expected ')', found '('}}
    }
    (%0) = "my_op.a" () {} : () -> i64
    })
}

// -----
// The value of a scalar is a number.
{
    // expected-error@+1 {{expected a number as the value of a scalar}}
    () = "my_op.a" () {s:(pd_op.Scalar)[bool,qrue]} : () -> 
    // expected-error@+1 {{expected a number as the value of a scalar}}
    () = "my_op.a" () {s:(pd_op.Scalar)[int64,[1]]} : () -> 
}
