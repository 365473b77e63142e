// Groups that state where their operands and results lie, in other orders of memory and in parts of larger tensors. A called op
// that adds or removes axes of extent 1 keeps the order if its readers support it; else the tensor is copied first. A group whose
// operands do not lie as it states, or whose results do not fit where they should lie, is called; what is no order and no place at
// all is as if it were not stated.
// RUN: rm -rf %t && mkdir -p %t/a && sed -E 's/,(layouts|places):[[][][0-9,-]*[]]//g' %s > %t/plain.pir
// DEFINE: %{in} = --input=x=2x3x4x5xf32=random:1 --input=y=4x3xf32=random:2 --input=x4=2x3x3x5xf32=random:3
// RUN: pir-run %t/plain.pir --pipeline=kernels %{in} --output-dir=%t/a
// RUN: for p in kernels compile "bind --threads=2" "bind --guard-pages=end" "bind --cache=%t/cache" "bind --cache=%t/cache"; do \
// RUN:   pir-run %s --pipeline=$p %{in} --expect-dir=%t/a || exit 1; done
// RUN: pir-run %s --pipeline=bind %{in} --explain --profile=%t/trace 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t/trace
// The order of %g goes through two changes of axes to a sine; a square root of other axes and an op of a kernel read copies.
// TRACE: "name":"pd_op.exp"
// TRACE: "name":"pd_op.tanh"
// TRACE: "name":"pd_op.sin"
// TRACE: "name":"copy"
// TRACE: "name":"pd_op.sqrt"
// TRACE: "name":"copy"
// TRACE: "name":"pd_op.nonzero"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4,5]} : () -> tensor<2x3x4x5xf32>
    (%x4) = "pd_op.data" () {dtype:float32,name:"x4",place:Place(undefined:0),shape:[2,3,3,5]} : () -> tensor<2x3x3x5xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%g) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[0,2,3,1]]} -> tensor<2x3x4x5xf32> {
        (%g0) = "pd_op.exp" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%g0) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%u) = "pd_op.unsqueeze" (%g, %k) {} : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<2x1x3x4x5xf32>
    (%a) = "pd_op.tanh" (%u) {} : (tensor<2x1x3x4x5xf32>) -> tensor<2x1x3x4x5xf32>
    (%b) = "pd_op.squeeze" (%u, %k) {} : (tensor<2x1x3x4x5xf32>, tensor<1xi64>) -> tensor<2x3x4x5xf32>
    (%c) = "pd_op.sin" (%b) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,60]} : () -> tensor<2xi64>
    (%r) = "pd_op.reshape" (%g, %s) {} : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<2x60xf32>
    (%d) = "pd_op.sqrt" (%r) {} : (tensor<2x60xf32>) -> tensor<2x60xf32>
    (%s2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,3,4,5,1]} : () -> tensor<5xi64>
    (%v) = "pd_op.reshape" (%g, %s2) {} : (tensor<2x3x4x5xf32>, tensor<5xi64>) -> tensor<2x3x4x5x1xf32>
    (%n) = "pd_op.nonzero" (%v) {} : (tensor<2x3x4x5x1xf32>) -> tensor<-1x5xi64>
    (%e) = "pd_op.assign" (%g) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%one) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%w) = "pd_op.cumsum" (%e, %one) {exclusive:false,flatten:false,reverse:false} : (tensor<2x3x4x5xf32>, tensor<1xi32>) -> tensor<2x3x4x5xf32>
    (%f0) = "pd_op.fetch" (%a) {col:0,name:"a"} : (tensor<2x1x3x4x5xf32>) -> tensor<2x1x3x4x5xf32>
    (%f1) = "pd_op.fetch" (%c) {col:1,name:"c"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%f2) = "pd_op.fetch" (%d) {col:2,name:"d"} : (tensor<2x60xf32>) -> tensor<2x60xf32>
    (%f3) = "pd_op.fetch" (%n) {col:3,name:"n"} : (tensor<-1x5xi64>) -> tensor<-1x5xi64>
    (%f4) = "pd_op.fetch" (%w) {col:4,name:"w"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%f5) = "pd_op.fetch" (%g) {col:5,name:"g"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p1) = "cinn_op.group" (%x) {kind:"elements",layouts:[[0,2,3,1],[]]} -> tensor<2x3x4x5xf32> {
        (%q1) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q1) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z1) = "pd_op.fetch" (%p1) {col:6,name:"p1"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p2) = "cinn_op.group" (%g) {kind:"elements",layouts:[[0,3,2,1],[]]} -> tensor<2x3x4x5xf32> {
        (%q2) = "pd_op.tanh" (%g) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q2) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z2) = "pd_op.fetch" (%p2) {col:7,name:"p2"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p3) = "cinn_op.group" (%g) {kind:"elements",layouts:[[0,2,3,1],[]]} -> tensor<2x3x4x5xf32> {
        (%q3) = "pd_op.tanh" (%g) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q3) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z3) = "pd_op.fetch" (%p3) {col:8,name:"p3"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p4) = "cinn_op.group" (%g) {kind:"elements",layouts:[[0,2,3],[]]} -> tensor<2x3x4x5xf32> {
        (%q4) = "pd_op.tanh" (%g) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q4) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z4) = "pd_op.fetch" (%p4) {col:9,name:"p4"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p5) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[0,0,1,2]]} -> tensor<2x3x4x5xf32> {
        (%q5) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q5) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z5) = "pd_op.fetch" (%p5) {col:10,name:"p5"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p6) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[9,1,2,3]]} -> tensor<2x3x4x5xf32> {
        (%q6) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q6) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z6) = "pd_op.fetch" (%p6) {col:11,name:"p6"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p7) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[0,-1,2,3]]} -> tensor<2x3x4x5xf32> {
        (%q7) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q7) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z7) = "pd_op.fetch" (%p7) {col:12,name:"p7"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p8) = "cinn_op.group" (%x) {kind:"elements",layouts:[[]]} -> tensor<2x3x4x5xf32> {
        (%q8) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q8) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z8) = "pd_op.fetch" (%p8) {col:13,name:"p8"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p9) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[0,1,2,3,4,5,6,7,8,9]]} -> tensor<2x3x4x5xf32> {
        (%q9) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q9) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z9) = "pd_op.fetch" (%p9) {col:14,name:"p9"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p10) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[1,0]]} -> tensor<2x3x4x5xf32> {
        (%q10) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q10) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z10) = "pd_op.fetch" (%p10) {col:15,name:"p10"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p11) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,1,6,7]]} -> tensor<2x3x4x5xf32> {
        (%q11) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q11) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z11) = "pd_op.fetch" (%p11) {col:16,name:"p11"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p12) = "cinn_op.group" (%p11) {kind:"elements",places:[[1,1,6,7],[]]} -> tensor<2x3x4x5xf32> {
        (%q12) = "pd_op.tanh" (%p11) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q12) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z12) = "pd_op.fetch" (%p12) {col:17,name:"p12"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p13) = "cinn_op.group" (%p11) {kind:"elements",places:[[1,2,6,7],[]]} -> tensor<2x3x4x5xf32> {
        (%q13) = "pd_op.tanh" (%p11) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q13) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z13) = "pd_op.fetch" (%p13) {col:18,name:"p13"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p14) = "cinn_op.group" (%p11) {kind:"elements",places:[[1,1,6,9],[]]} -> tensor<2x3x4x5xf32> {
        (%q14) = "pd_op.tanh" (%p11) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q14) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z14) = "pd_op.fetch" (%p14) {col:19,name:"p14"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p15) = "cinn_op.group" (%p11) {kind:"elements"} -> tensor<2x3x4x5xf32> {
        (%q15) = "pd_op.tanh" (%p11) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q15) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z15) = "pd_op.fetch" (%p15) {col:20,name:"p15"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p16) = "cinn_op.group" (%p11) {kind:"elements",places:[[],[1,4,6,7]]} -> tensor<2x3x4x5xf32> {
        (%q16) = "pd_op.sin" (%p11) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q16) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z16) = "pd_op.fetch" (%p16) {col:21,name:"p16"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p17) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,3,6,5]]} -> tensor<2x3x4x5xf32> {
        (%q17) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q17) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z17) = "pd_op.fetch" (%p17) {col:22,name:"p17"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p18) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,0,6,5]]} -> tensor<2x3x4x5xf32> {
        (%q18) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q18) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z18) = "pd_op.fetch" (%p18) {col:23,name:"p18"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p19) = "cinn_op.group" (%x) {kind:"elements",places:[[],[2,0,8,5]]} -> tensor<2x3x4x5xf32> {
        (%q19) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q19) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z19) = "pd_op.fetch" (%p19) {col:24,name:"p19"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p20) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,0,8,5]]} -> tensor<2x3x4x5xf32> {
        (%q20) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q20) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z20) = "pd_op.fetch" (%p20) {col:25,name:"p20"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p21) = "cinn_op.group" (%x) {kind:"elements",layouts:[[],[0,2,3,1]],places:[[],[1,0,6,5]]} -> tensor<2x3x4x5xf32> {
        (%q21) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q21) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z21) = "pd_op.fetch" (%p21) {col:26,name:"p21"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p22) = "cinn_op.group" (%v) {kind:"elements"} -> tensor<2x3x4x5x1xf32> {
        (%q22) = "pd_op.tanh" (%v) {} : (tensor<2x3x4x5x1xf32>) -> tensor<2x3x4x5x1xf32>
        () = "cf.yield" (%q22) {} : (tensor<2x3x4x5x1xf32>) -> 
    }
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p23) = "cinn_op.group" (%v) {kind:"elements",places:[[],[1,0,6,5]]} -> tensor<2x3x4x5x1xf32> {
        (%q23) = "pd_op.tanh" (%v) {} : (tensor<2x3x4x5x1xf32>) -> tensor<2x3x4x5x1xf32>
        () = "cf.yield" (%q23) {} : (tensor<2x3x4x5x1xf32>) -> 
    }
    (%z23) = "pd_op.fetch" (%p23) {col:27,name:"p23"} : (tensor<2x3x4x5x1xf32>) -> tensor<2x3x4x5x1xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p24) = "cinn_op.group" (%x4) {kind:"elements",places:[[],[1,0,6,5]]} -> tensor<2x3x3x5xf32> {
        (%q24) = "pd_op.tanh" (%x4) {} : (tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
        () = "cf.yield" (%q24) {} : (tensor<2x3x3x5xf32>) -> 
    }
    (%z24) = "pd_op.fetch" (%p24) {col:28,name:"p24"} : (tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
    (%p25) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,0,3,6]]} -> tensor<2x3x4x5xf32> {
        (%q25) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q25) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z25) = "pd_op.fetch" (%p25) {col:29,name:"p25"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p26) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,0,6,6]]} -> tensor<2x3x4x5xf32> {
        (%q26) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q26) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z26) = "pd_op.fetch" (%p26) {col:30,name:"p26"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p27) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,4,6,13]]} -> tensor<2x3x4x5xf32> {
        (%q27) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q27) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z27) = "pd_op.fetch" (%p27) {col:31,name:"p27"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: an operand lies elsewhere than its code expects
    (%p28) = "cinn_op.group" (%x) {kind:"elements",places:[[1,0,3,7],[]]} -> tensor<2x3x4x5xf32> {
        (%q28) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q28) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z28) = "pd_op.fetch" (%p28) {col:32,name:"p28"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p29) = "cinn_op.group" (%x) {kind:"elements",places:[[],[7,0,6,8]]} -> tensor<2x3x4x5xf32> {
        (%q29) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q29) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z29) = "pd_op.fetch" (%p29) {col:33,name:"p29"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    // CHECK: its ops are called: a result cannot lie where other groups expect it
    (%p30) = "cinn_op.group" (%y) {kind:"elements",places:[[],[0,0,6,11]]} -> tensor<-1x3xf32> {
        (%q30) = "pd_op.tanh" (%y) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
        () = "cf.yield" (%q30) {} : (tensor<-1x3xf32>) -> 
    }
    (%z30) = "pd_op.fetch" (%p30) {col:34,name:"p30"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%p31) = "cinn_op.group" (%x) {kind:"elements",places:[[],[99,0,6,12]]} -> tensor<2x3x4x5xf32> {
        (%q31) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q31) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z31) = "pd_op.fetch" (%p31) {col:35,name:"p31"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p32) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,7,6,12]]} -> tensor<2x3x4x5xf32> {
        (%q32) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q32) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z32) = "pd_op.fetch" (%p32) {col:36,name:"p32"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p33) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,-1,6,12]]} -> tensor<2x3x4x5xf32> {
        (%q33) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q33) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z33) = "pd_op.fetch" (%p33) {col:37,name:"p33"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p34) = "cinn_op.group" (%x) {kind:"elements",places:[[],[1,0,6]]} -> tensor<2x3x4x5xf32> {
        (%q34) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q34) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z34) = "pd_op.fetch" (%p34) {col:38,name:"p34"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    (%p35) = "cinn_op.group" (%x) {kind:"elements",places:[[]]} -> tensor<2x3x4x5xf32> {
        (%q35) = "pd_op.tanh" (%x) {} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
        () = "cf.yield" (%q35) {} : (tensor<2x3x4x5xf32>) -> 
    }
    (%z35) = "pd_op.fetch" (%p35) {col:39,name:"p35"} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
}
