// What an attribute cannot hold is refused too: operands of another rank, number or type than it takes, and constants that do not fit.
// RUN: pir-opt %s --split-input-file --emit=pdmodel 2> %t.err || test $? -eq 3
// RUN: FileCheck %s < %t.err
// A matrix.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.sum' unsupported: operand 'axis' must be a constant for 'reduce_sum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"axis",place:Place(undefined:0),shape:[1,1],stop_gradient:[true]} : () -> tensor<1x1xi64>
    (%2) = "pd_op.sum" (%0, %1) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1x1xi64>) -> tensor<-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
}

// -----
// Floats for integers.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.sum' unsupported: operand 'axis' must be a constant for 'reduce_sum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"axis",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xf32>
    (%2) = "pd_op.sum" (%0, %1) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
}

// -----
// A list of which one member has two numbers.
// CHECK: values.pir:[[# @LINE + 6]]:{{.*}}error: 'pd_op.sum' unsupported: operand 'axis' must be a constant for 'reduce_sum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"axis",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%2) = "pd_op.data" () {dtype:int64,name:"two",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xi64>
    (%3) = "builtin.combine" (%1, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<2xi64>) -> vec[tensor<1xi64>,tensor<2xi64>]
    (%4) = "pd_op.sum" (%0, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3xf32>, vec[tensor<1xi64>,tensor<2xi64>]) -> tensor<-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
}

// -----
// A list with a parameter that was not read.
// CHECK: values.pir:[[# @LINE + 6]]:{{.*}}error: 'pd_op.sum' unsupported: operand 'axis' must be a constant for 'reduce_sum'; a parameter that it needs was not read
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"axis",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%2) = "builtin.parameter" () {parameter_name:"w",persistable:[true],stop_gradient:[false]} : () -> tensor<1xi64>
    (%3) = "builtin.combine" (%1, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> vec[tensor<1xi64>,tensor<1xi64>]
    (%4) = "pd_op.sum" (%0, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3xf32>, vec[tensor<1xi64>,tensor<1xi64>]) -> tensor<-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
}

// -----
// Two numbers for one.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.cumsum' unsupported: operand 'axis' must be a constant for 'cumsum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int32,name:"axis",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xi32>
    (%2) = "pd_op.cumsum" (%0, %1) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// It is unknown how many numbers there are for one.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.cumsum' unsupported: operand 'axis' must be a constant for 'cumsum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int32,name:"axis",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xi32>
    (%2) = "pd_op.cumsum" (%0, %1) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<-1xi32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A list for one number.
// CHECK: values.pir:[[# @LINE + 5]]:{{.*}}error: 'pd_op.cumsum' unsupported: operand 'axis' must be a constant for 'cumsum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int32,name:"axis",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi32>
    (%2) = "builtin.combine" (%1) {stop_gradient:[true]} : (tensor<1xi32>) -> vec[tensor<1xi32>]
    (%3) = "pd_op.cumsum" (%0, %2) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<2x3xf32>, vec[tensor<1xi32>]) -> tensor<2x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A fraction.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.cumsum' unsupported: operand 'axis' must be a constant for 'cumsum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2.5} : () -> tensor<1xf32>
    (%2) = "pd_op.cumsum" (%0, %1) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// More than 32 bits.
// CHECK: values.pir:[[# @LINE + 4]]:{{.*}}error: 'pd_op.cumsum' unsupported: operand 'axis' must be a constant for 'cumsum'{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1099511627776} : () -> tensor<1xi64>
    (%2) = "pd_op.cumsum" (%0, %1) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
