// RUN: pir-opt %s --split-input-file --verify-each --passes=expose_state_pass | FileCheck %s

// A parameter that a step writes comes in and goes out by its name; what reads it behind the step reads the new value.
// One that nothing writes stays.
// CHECK:      (%[[W:[0-9]+]]) = "pd_op.data" () {{.*}}name:"w"
// CHECK-NEXT: "builtin.parameter" () {{.*}}parameter_name:"rate"
// CHECK:      (%[[NEW:[0-9]+]], %{{[0-9]+}}) = "pd_op.sgd_" (%[[W]],
// CHECK-NEXT: "pd_op.relu" (%[[NEW]])
// CHECK-NEXT: "pd_op.fetch" ({{.*}}name:"out"
// CHECK-NEXT: "pd_op.fetch" (%[[NEW]]) {col:1,name:"w"}
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"rate",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3, %4) = "pd_op.sgd_" (%0, %1, %2, <<NULL VALUE>>) {multi_precision:false} : (tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<4xf32>, <<NULL TYPE>>
    (%5) = "pd_op.relu" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// An input that is written goes out as well, once, with its last value. What no state holds, or no result names, is left.
// CHECK:      (%[[W:[0-9]+]]) = "pd_op.data" () {{.*}}name:"w"
// CHECK:      (%[[ONE:[0-9]+]]) = "pd_op.sgd_" (%[[W]],
// CHECK-NEXT: (%[[TWO:[0-9]+]], %{{[0-9]+}}) = "pd_op.sgd_" (%[[ONE]],
// CHECK-NEXT: (%[[MADE:[0-9]+]]) = "pd_op.abs" (%[[TWO]])
// CHECK-NEXT: (%{{[0-9]+}}) = "pd_op.sgd_" (%[[MADE]],
// CHECK-NEXT: "pd_op.fetch" (%[[TWO]]) {col:0,name:"w"}
// CHECK-NEXT: }
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"rate",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"master",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%4) = "pd_op.sgd_" (%0, %1, %2) {multi_precision:false} : (tensor<4xf32>, tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%5, %6) = "pd_op.sgd_" (%4, %1, %2, %3) {multi_precision:false} : (tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, <<NULL TYPE>>
    (%7) = "pd_op.abs" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%8) = "pd_op.sgd_" (%7, %1, %2, %3) {multi_precision:false} : (tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----
// A state that one branch alone writes goes out with the value of the branch that ran.
// CHECK:      (%[[N:[0-9]+]]) = "pd_op.data" () {{.*}}name:"n"
// CHECK:      (%[[LAST:[0-9]+]]) = "pd_op.if"
// CHECK-NEXT: (%[[MORE:[0-9]+]]) = "pd_op.increment_" (%[[N]])
// CHECK-NEXT: "cf.yield" (%[[MORE]])
// CHECK:      "cf.yield" (%[[N]])
// CHECK:      "pd_op.fetch" (%[[LAST]]) {col:0,name:"n"}
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"n",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[]} : () -> tensor<b>
    () = "pd_op.if" (%1) {} -> {
        (%2) = "pd_op.increment_" (%0) {value:1} : (tensor<1xf32>) -> tensor<1xf32>
        () = "cf.yield" () {} : () -> 
    } else {
        () = "cf.yield" () {} : () -> 
    }
}

// -----
// A parameter that is read and set is a state, which goes out with the value that is set; one that is only set stays an output.
// CHECK:      (%[[N:[0-9]+]]) = "pd_op.data" () {{.*}}name:"n"
// CHECK:      (%[[SUM:[0-9]+]]) = "pd_op.add" (%[[N]],
// CHECK-NEXT: (%[[ABS:[0-9]+]]) = "pd_op.abs"
// CHECK-NEXT: "builtin.set_parameter" (%[[ABS]]) {parameter_name:"seen"}
// CHECK-NEXT: "pd_op.fetch" (%[[ABS]]) {col:0,name:"out"}
// CHECK-NEXT: "pd_op.fetch" (%[[SUM]]) {{.*}}name:"n"}
// CHECK-NEXT: }
{
    (%0) = "builtin.parameter" () {parameter_name:"n"} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    () = "builtin.set_parameter" (%2) {parameter_name:"n"} : (tensor<1xf32>) -> 
    (%3) = "pd_op.abs" (%0) {} : (tensor<1xf32>) -> tensor<1xf32>
    () = "builtin.set_parameter" (%3) {parameter_name:"seen"} : (tensor<1xf32>) -> 
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<1xf32>) -> tensor<1xf32>
}
