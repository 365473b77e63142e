// Groups that a text states and no code can be made for: each is refused with its reason and its place, on a processor and on a device.
// RUN: not pir-opt %s --split-input-file --emit=loops 2>&1 >/dev/null | FileCheck %s
// RUN: not pir-opt %s --split-input-file --emit=loops --target=sm_80 2>&1 >/dev/null | FileCheck %s
// RUN: (echo '{'; echo ' (%r0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>'; \
// RUN:   echo ' (%a) = "cinn_op.group" (%r0) -> tensor<4xf32> {'; for i in $(seq 201); do \
// RUN:   echo " (%r$i) = \"pd_op.tanh\" (%r$((i - 1))) {} : (tensor<4xf32>) -> tensor<4xf32>"; done; \
// RUN:   echo '() = "cf.yield" (%r201) {} : (tensor<4xf32>) -> '; echo '}'; echo '}') > %t
// RUN: not pir-opt %t --emit=loops 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: :4:2: error: unsupported: ops nested too deeply, in "pd_op.tanh"
// RUN: (echo '{'; echo ' (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>'; \
// RUN:   echo " ($(seq -s, 65 | sed 's/[0-9][0-9]*/%a&/g')) = \"cinn_op.group\" (%x) -> $(printf 'tensor<4xf32>,%.0s' $(seq 65) | sed 's/,$//') {"; \
// RUN:   for i in $(seq 65); do echo " (%r$i) = \"pd_op.tanh\" (%x) {} : (tensor<4xf32>) -> tensor<4xf32>"; done; \
// RUN:   echo "() = \"cf.yield\" ($(seq -s, 65 | sed 's/[0-9][0-9]*/%r&/g')) {} : ($(printf 'tensor<4xf32>,%.0s' $(seq 65) | sed 's/,$//')) -> "; echo '}'; echo '}') > %t
// RUN: not pir-opt %t --emit=loops 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: :3:2: error: unsupported: a group with so many results, in "cinn_op.group"
// CHECK: :5: error: unsupported: a result that is an operand, or that is handed out twice, in "cinn_op.group"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a, %b) = "cinn_op.group" (%x) -> tensor<4x4xf32>, tensor<4x4xf32> {
        (%r) = "pd_op.relu" (%x) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%r, %r) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :5: error: unsupported: a result that is an operand, or that is handed out twice, in "cinn_op.group"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%x) -> tensor<4x4xf32> {
        () = "cf.yield" (%x) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :5: error: unsupported: an op that no clause describes, in "data(phi_kernel)"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%y) -> tensor<4x4xf32> {
        (%r) = "pd_op.relu" (%x) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :5: error: unsupported: an op that no clause describes, in "data(phi_kernel)"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%a) = "cinn_op.group" (%l) -> tensor<4x4xf32> {
        (%r) = "pd_op.add_n" (%l) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: an axis that is not known, in "pd_op.concat"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.data" () {dtype:int32,name:"k",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi32>
    (%a) = "cinn_op.group" (%x, %k) -> tensor<-1x-1xf32> {
        (%l) = "builtin.combine" (%x, %x) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
        (%r) = "pd_op.concat" (%l, %k) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>], tensor<1xi32>) -> tensor<-1x-1xf32>
        () = "cf.yield" (%r) {} : (tensor<-1x-1xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
// -----
// CHECK: :9: error: unsupported: axes that are not known, in "pd_op.sum"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.data" () {dtype:int64,name:"k",place:Place(undefined:0),shape:[1]} : () -> tensor<1xi64>
    (%a) = "cinn_op.group" (%x, %k) -> tensor<4xf32> {
        (%r) = "pd_op.sum" (%x, %k) {dtype:float32,keepdim:false} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4xf32>
        () = "cf.yield" (%r) {} : (tensor<4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4xf32>) -> tensor<4xf32>
}
// -----
// CHECK: :9: error: unsupported: an axis beyond the rank, in "pd_op.sum"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5]} : () -> tensor<1xi64>
    (%a) = "cinn_op.group" (%x, %k) -> tensor<4xf32> {
        (%r) = "pd_op.sum" (%x, %k) {dtype:float32,keepdim:false} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4xf32>
        () = "cf.yield" (%r) {} : (tensor<4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4xf32>) -> tensor<4xf32>
}
// -----
// CHECK: :9: error: unsupported: axes that the run shows, in "pd_op.reduce_as"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xf32>
    (%a) = "cinn_op.group" (%x, %y) -> tensor<-1x-1xf32> {
        (%r) = "pd_op.reduce_as" (%x, %y) {} : (tensor<4x4xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
        () = "cf.yield" (%r) {} : (tensor<-1x-1xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
// -----
// CHECK: :9: error: unsupported: a third contraction in a group, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%x) -> tensor<4x4xf32> {
        (%m) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%n) = "pd_op.matmul" (%m, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%o) = "pd_op.matmul" (%n, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%o) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a group that is not the attention it states to be, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%x) {kind:"attention"} -> tensor<4x4xf32> {
        (%m) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%n) = "pd_op.matmul" (%m, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%n) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a clause of this kind, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a, %b) = "cinn_op.group" (%x) -> tensor<4x4xf32>, tensor<4x4xf32> {
        (%m) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%n) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%m, %n) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: an operand of a contraction that is computed in its group, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%x) -> tensor<4x4xf32> {
        (%r) = "pd_op.relu" (%x) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
        (%m) = "pd_op.matmul" (%r, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%m) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a result after a contraction that has another shape, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%a) = "cinn_op.group" (%x, %k) -> tensor<1x4x4xf32> {
        (%m) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%t) = "pd_op.unsqueeze" (%m, %k) {} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<1x4x4xf32>
        () = "cf.yield" (%t) {} : (tensor<1x4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a clause of this kind, in "pd_op.matmul"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%a) = "cinn_op.group" (%x, %k) -> tensor<4x4xf32> {
        (%m) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        (%t) = "pd_op.sum" (%m, %k) {dtype:float32,keepdim:true} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
        (%u) = "pd_op.add" (%m, %t) {} : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%u) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: elements that are not computed on, in "pd_op.cast"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%a) = "cinn_op.group" (%x) -> tensor<4x4xc64> {
        (%r) = "pd_op.cast" (%x) {dtype:complex64} : (tensor<4x4xf32>) -> tensor<4x4xc64>
        () = "cf.yield" (%r) {} : (tensor<4x4xc64>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xc64>) -> tensor<4x4xc64>
}
// -----
// CHECK: :9: error: unsupported: a list without known members, in "pd_op.add_n"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%n2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%z) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8,4]} : () -> tensor<8x4xf32>
    (%l) = "pd_op.split" (%y, %n2, %z) {} : (tensor<8x4xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%a) = "cinn_op.group" (%l) -> tensor<4x4xf32> {
        (%r) = "pd_op.add_n" (%l) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: {{a list from outside|a list without known members}}, in "pd_op.concat"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%n2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%z) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8,4]} : () -> tensor<8x4xf32>
    (%l) = "pd_op.split" (%y, %n2, %z) {} : (tensor<8x4xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%a) = "cinn_op.group" (%l, %k) -> tensor<8x4xf32> {
        (%r) = "pd_op.concat" (%l, %k) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>], tensor<1xi32>) -> tensor<8x4xf32>
        () = "cf.yield" (%r) {} : (tensor<8x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a list without known members, in "pd_op.stack"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%n2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%z) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8,4]} : () -> tensor<8x4xf32>
    (%l) = "pd_op.split" (%y, %n2, %z) {} : (tensor<8x4xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%a) = "cinn_op.group" (%l) -> tensor<2x4x4xf32> {
        (%r) = "pd_op.stack" (%l) {axis:0} : (vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> tensor<2x4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<2x4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
}
// -----
// CHECK: :5: error: unsupported: an op that no clause describes, in "data(phi_kernel)"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%n2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%z) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8,4]} : () -> tensor<8x4xf32>
    (%l) = "pd_op.split" (%y, %n2, %z) {} : (tensor<8x4xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%a) = "cinn_op.group" (%l) -> tensor<4x4xf32> {
        (%p, %q) = "builtin.split" (%l) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> tensor<4x4xf32>, tensor<4x4xf32>
        () = "cf.yield" (%p) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: values that would be computed over and over, in "pd_op.roll"
{
    (%r0) = "pd_op.data" () {dtype:float32,name:"r0",place:Place(undefined:0),shape:[8192]} : () -> tensor<8192xf32>
    (%s0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%s1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%s2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%s3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
    (%s4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[16]} : () -> tensor<1xi64>
    (%s5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[32]} : () -> tensor<1xi64>
    (%s6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64]} : () -> tensor<1xi64>
    (%s7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[128]} : () -> tensor<1xi64>
    (%s8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[256]} : () -> tensor<1xi64>
    (%s9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[512]} : () -> tensor<1xi64>
    (%s10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1024]} : () -> tensor<1xi64>
    (%s11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2048]} : () -> tensor<1xi64>
    (%s12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4096]} : () -> tensor<1xi64>
    (%a) = "cinn_op.group" (%r0, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11, %s12) -> tensor<8192xf32> {
        (%t0) = "pd_op.roll" (%r0, %s0) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r1) = "pd_op.add" (%r0, %t0) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t1) = "pd_op.roll" (%r1, %s1) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r2) = "pd_op.add" (%r1, %t1) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t2) = "pd_op.roll" (%r2, %s2) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r3) = "pd_op.add" (%r2, %t2) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t3) = "pd_op.roll" (%r3, %s3) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r4) = "pd_op.add" (%r3, %t3) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t4) = "pd_op.roll" (%r4, %s4) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r5) = "pd_op.add" (%r4, %t4) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t5) = "pd_op.roll" (%r5, %s5) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r6) = "pd_op.add" (%r5, %t5) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t6) = "pd_op.roll" (%r6, %s6) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r7) = "pd_op.add" (%r6, %t6) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t7) = "pd_op.roll" (%r7, %s7) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r8) = "pd_op.add" (%r7, %t7) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t8) = "pd_op.roll" (%r8, %s8) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r9) = "pd_op.add" (%r8, %t8) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t9) = "pd_op.roll" (%r9, %s9) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r10) = "pd_op.add" (%r9, %t9) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t10) = "pd_op.roll" (%r10, %s10) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r11) = "pd_op.add" (%r10, %t10) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t11) = "pd_op.roll" (%r11, %s11) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r12) = "pd_op.add" (%r11, %t11) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        (%t12) = "pd_op.roll" (%r12, %s12) {axis:[0]} : (tensor<8192xf32>, tensor<1xi64>) -> tensor<8192xf32>
        (%r13) = "pd_op.add" (%r12, %t12) {} : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
        () = "cf.yield" (%r13) {} : (tensor<8192xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<8192xf32>) -> tensor<8192xf32>
}
// -----
// CHECK: :9: error: unsupported: a list of this length, in "pd_op.concat"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%a, %b) = "cinn_op.group" (%x, %k) -> tensor<260x4xf32>, tensor<260x4xf32> {
        (%l) = "builtin.combine" (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>]
        (%r) = "pd_op.concat" (%l, %k) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>], tensor<1xi32>) -> tensor<260x4xf32>
        (%q) = "pd_op.exp" (%r) {} : (tensor<260x4xf32>) -> tensor<260x4xf32>
        (%s) = "pd_op.concat" (%l, %k) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>,tensor<4x4xf32>], tensor<1xi32>) -> tensor<260x4xf32>
        () = "cf.yield" (%q, %s) {} : (tensor<260x4xf32>, tensor<260x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<260x4xf32>) -> tensor<260x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a contraction whose indices are not affine, in "pd_op.bilinear"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1,-1]} : () -> tensor<-1x-1x-1xf32>
    (%a) = "cinn_op.group" (%x, %y) -> tensor<4x4xf32> {
        (%m) = "pd_op.bilinear" (%x, %x, %y) {} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<-1x-1x-1xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%m) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: elements that are not computed on, in "pd_op.relu"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%a) = "cinn_op.group" (%A) -> tensor<4x4xf32> {
        (%r) = "pd_op.relu" (%A) {} : (tensor_array<f32>) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: an operand of unknown rank, in "pd_op.mean_all"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%a) = "cinn_op.group" (%A) -> tensor<f32> {
        (%r) = "pd_op.mean_all" (%A) {} : (tensor_array<f32>) -> tensor<f32>
        () = "cf.yield" (%r) {} : (tensor<f32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<f32>) -> tensor<f32>
}
// -----
// CHECK: :5: error: unsupported: a result of unknown rank, in "cinn_op.group"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%a) = "cinn_op.group" (%A) -> tensor_array<f32> {
        (%r) = "pd_op.assign" (%A) {} : (tensor_array<f32>) -> tensor_array<f32>
        () = "cf.yield" (%r) {} : (tensor_array<f32>) -> 
    }
    (%f) = "pd_op.fetch" (%x) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: a list from outside, in "builtin.split"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> vec[tensor<4x4xf32>,tensor<4x4xf32>]
    (%w) = "pd_op.while" (cond=%c, inputs=%l) {
    ^%arg {}
    (%a) = "cinn_op.group" (%arg) -> tensor<4x4xf32> {
        (%p, %q) = "builtin.split" (%arg) {} : (vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> tensor<4x4xf32>, tensor<4x4xf32>
        () = "cf.yield" (%p) {} : (tensor<4x4xf32>) -> 
    }
    () = "cf.yield" (%c, %arg) {} : (tensor<1xb>, vec[tensor<4x4xf32>,tensor<4x4xf32>]) -> 
    }
    (%f) = "pd_op.fetch" (%x) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :5: error: unsupported: a value from outside that is no operand, in "cinn_op.group"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%w) = "pd_op.while" (cond=%c, inputs=%x) {
    ^%arg {}
    (%a) = "cinn_op.group" (%x) -> tensor<4x4xf32> {
        (%r) = "pd_op.relu" (%arg) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    () = "cf.yield" (%c, %a) {} : (tensor<1xb>, tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%x) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// -----
// CHECK: :9: error: unsupported: members whose ranks differ, in "pd_op.concat"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%a) = "cinn_op.group" (%x, %A, %k) -> tensor<8x4xf32> {
        (%l) = "builtin.combine" (%x, %A) {} : (tensor<4x4xf32>, tensor_array<f32>) -> vec[tensor<4x4xf32>,tensor_array<f32>]
        (%r) = "pd_op.concat" (%l, %k) {} : (vec[tensor<4x4xf32>,tensor_array<f32>], tensor<1xi32>) -> tensor<8x4xf32>
        () = "cf.yield" (%r) {} : (tensor<8x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
}
// -----
// CHECK: :5: error: unsupported: a value whose rank or element type is not known, in "create_array(phi_kernel)"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%a) = "cinn_op.group" (%x, %A) -> tensor<4x4xf32> {
        (%r) = "pd_op.scale" (%x, %A) {bias:1.0,bias_after_scale:true} : (tensor<4x4xf32>, tensor_array<f32>) -> tensor<4x4xf32>
        () = "cf.yield" (%r) {} : (tensor<4x4xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%a) {col:0,name:"o"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
