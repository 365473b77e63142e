// What a program says of an op is what the op declares, or what every op may carry: every tool that loads one looks.
// RUN: pir-opt %s --split-input-file --verify-diagnostics
// RUN: not pir-opt %s --split-input-file --strict 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: "pd_op.softmax" does not declare attribute axs; did you mean 'axis'?
// STRICT: error: "pd_op.softmax" does not declare attribute wholly_unknown
// STRICT-NOT: does not declare attribute {{op_role|chunk_id|struct_name}}
// RUN: sed '1,/^\/\/ -----/!d' %s > %t.pir
// RUN: not pir-translate %t.pir 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not pir-translate %t.pir --to=json 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not pir-run %t.pir --input=2x3xf32 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not pir-run %t.pir --input=2x3xf32 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not pir-run %t.pir --compile-only --cache=%t.cache 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: :[[@LINE+9]]:5: error: "pd_op.softmax" needs attribute axis
// RUN: sed 's/axs:1/axis:1/' %t.pir | pir-translate - --to=json | sed 's/"axis"/"axs"/' > %t.json
// RUN: not pir-run %t.json --input=2x3xf32 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: .json:1:{{[0-9]+}}: error: "pd_op.softmax" needs attribute axis
// JSON: .json:1:{{[0-9]+}}: warning: "pd_op.softmax" does not declare attribute axs, so nothing reads it; did you mean 'axis'?
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    // expected-error@+2 {{"pd_op.softmax" needs attribute axis}}
    // expected-warning@+1 {{"pd_op.softmax" does not declare attribute axs, so nothing reads it; did you mean 'axis'?}}
    (%1) = "pd_op.softmax" (%0) {axs:1,stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"fetch0",stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// What Paddle's passes and its training write on any op is nothing new; its kind is checked. The same finding comes once.
{
    (%0) = "pd_op.data" () {chunk_id:-1,dtype:float32,name:"x",op_callstack:["a.py"],op_role:0,place:Place(undefined:0),shape:[2,3],stop_gradient:[true],struct_name:"/layer/"} : () -> tensor<2x3xf32>
    // expected-warning@+1 {{"pd_op.softmax" does not declare attribute wholly_unknown, so nothing reads it}}
    (%1) = "pd_op.softmax" (%0) {axis:1,wholly_unknown:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.softmax" (%1) {axis:1,wholly_unknown:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute stop_gradient has kind BOOL, expected ARRAY}}
    (%3) = "pd_op.softmax" (%2) {axis:1,stop_gradient:true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute op_role has kind STR, expected I32}}
    (%4) = "pd_op.softmax" (%2) {axis:1,op_role:"forward"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// Attributes of a dialect's own ops, and ops that carry those of another.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "onednn_op.relu" (%0) {is_test:true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-warning@+1 {{"pd_op.relu" does not declare attribute is_test, so nothing reads it}}
    (%2) = "pd_op.relu" (%1) {is_test:true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "scale(phi_kernel)" (%2) {anything:1,kernel_key:<backend:CPU|layout:NCHW|dtype:float32>,kernel_name:"scale",op_name:"pd_op.scale"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A number that its kind does not hold, flags and integers, integers and fractions.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute axis does not fit its kind I32}}
    (%1) = "pd_op.softmax" (%0) {axis:(Int64)9223372036854775807} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute axis has kind F32, expected I32}}
    (%2) = "pd_op.softmax" (%0) {axis:0.5} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute axis has kind BOOL, expected I32}}
    (%3) = "pd_op.softmax" (%0) {axis:true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{"pd_op.softmax" attribute axis has kind DTYPE, expected I32}}
    (%4) = "pd_op.softmax" (%0) {axis:float32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{element 1 of attribute perm does not fit its kind I32}}
    (%5) = "pd_op.transpose" (%0) {perm:(pd_op.IntArray)[0,4294967296]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%6) = "pd_op.transpose" (%0) {perm:(pd_op.IntArray)[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    // expected-error@+1 {{element 0 of attribute value has kind F32, expected I64}}
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1.5]} : () -> tensor<1xi64>
    // expected-error@+1 {{attribute value has kind DTYPE, expected SCALAR}}
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:float32} : () -> tensor<1xf32>
}
