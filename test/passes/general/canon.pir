// RUN: pir-opt %s --split-input-file --verify-each --passes=canon | FileCheck %s

// Identities are found from what the ops compute: a cast to the same type, a scale by 1, a reshape and a transpose that
// change nothing, a dropout that scales while training.
// CHECK:      (%0) = "pd_op.data"
// CHECK-NEXT: "pd_op.fetch" (%0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.cast" (%0) {dtype:float32,stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%3, %4) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0,1],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
    (%8, %9) = "pd_op.dropout" (%6, <<NULL VALUE>>, %7) {fix_seed:false,is_test:true,mode:"upscale_in_train",seed:0,stop_gradient:[true,true]} : (tensor<2x3xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x3xf32>, tensor<2x3xu8>
    (%10) = "pd_op.fetch" (%8) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// What changes something stays: another type, a factor, a bias, another shape, another order of axes.
// CHECK: "pd_op.cast"
// CHECK: "pd_op.scale"
// CHECK: "pd_op.scale"
// CHECK: "pd_op.transpose"
// CHECK: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[3,3],stop_gradient:[true]} : () -> tensor<3x3xf64>
    (%1) = "pd_op.cast" (%0) {dtype:float32,stop_gradient:[true]} : (tensor<3x3xf64>) -> tensor<3x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<3x3xf32>, tensor<1xf32>) -> tensor<3x3xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<3x3xf32>, tensor<1xf32>) -> tensor<3x3xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[1,0],stop_gradient:[true]} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----
// Two rearrangements are one, and a reshape of a reshape reads the first one's operand.
// CHECK:      (%0) = "pd_op.data"
// CHECK:      (%[[T:[0-9]+]]) = "pd_op.transpose" (%0) {perm:[2,0,1]
// CHECK:      (%[[R:[0-9]+]]) = "pd_op.reshape" (%[[T]],
// CHECK:      "pd_op.fetch" (%[[R]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4],stop_gradient:[true]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,2,0],stop_gradient:[true]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    (%2) = "pd_op.transpose" (%1) {perm:[1,2,0],stop_gradient:[true]} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[8,3]} : () -> tensor<2xi64>
    (%4) = "pd_op.reshape" (%2, %3) {stop_gradient:[true]} : (tensor<4x2x3xf32>, tensor<2xi64>) -> tensor<8x3xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[24]} : () -> tensor<1xi64>
    (%6) = "pd_op.reshape" (%4, %5) {stop_gradient:[true]} : (tensor<8x3xf32>, tensor<1xi64>) -> tensor<24xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<24xf32>) -> tensor<24xf32>
}

// -----
// The 0 of the second reshape copies an extent of its operand, so that operand stays.
// CHECK: "pd_op.reshape"
// CHECK: "pd_op.reshape"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4],stop_gradient:[true]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[8,3]} : () -> tensor<2xi64>
    (%2) = "pd_op.reshape" (%0, %1) {stop_gradient:[true]} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<8x3xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0,3,1]} : () -> tensor<3xi64>
    (%4) = "pd_op.reshape" (%2, %3) {stop_gradient:[true]} : (tensor<8x3xf32>, tensor<3xi64>) -> tensor<8x3x1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<8x3x1xf32>) -> tensor<8x3x1xf32>
}
