// Gradients where the derivative has no one value, as Paddle 3.3.1 has them: equal elements of maximum and minimum share the gradient,
// what an exponent of 0 raises has none, and 0 raised to at least 0 gives the exponent none; a bound of clip passes the gradient, 0 passes
// through leaky_relu whole, exp(-|x|) has the slope of the side that the sign of 0 names, and a complex 0 has no angle to change.
// DEFINE: %{with} = --input=y=5xf32=0 --input=g=5xf32=3 --input=h=5xi32=0 --input=k=5xi32=-3 --print
// RUN: for p in kernels "ungrouped,group{few=0},dce,bind"; do pir-run %s %{with} --pipeline="$p"; done | FileCheck %s
// CHECK:      max_x: float32[5]
// CHECK-NEXT: [0, 0, 1.5, 3, 3]
// CHECK-NEXT: max_y: float32[5]
// CHECK-NEXT: [3, 3, 1.5, 0, 0]
// CHECK-NEXT: min_x: float32[5]
// CHECK-NEXT: [3, 3, 1.5, 0, 0]
// CHECK-NEXT: min_y: float32[5]
// CHECK-NEXT: [0, 0, 1.5, 3, 3]
// CHECK-NEXT: whole: int32[5]
// CHECK-NEXT: [-1, -1, -1, -1, -1]
// CHECK-NEXT: none_x: float32[5]
// CHECK-NEXT: [0, 0, 0, 0, 0]
// CHECK-NEXT: none_y: float32[5]
// CHECK-NEXT: [0, 0, 0, 0, 0]
// CHECK-NEXT: base: float32[5]
// CHECK-NEXT: [0, 0, 0, 0, 0]
// CHECK-NEXT: exponent: float32[5]
// CHECK-NEXT: [-inf, -inf, 0, 0, 0]
// CHECK-NEXT: clipped: float32[5]
// CHECK-NEXT: [0, 3, 3, 3, 0]
// CHECK-NEXT: leaky: float32[5]
// CHECK-NEXT: [0.75, 0.75, 3, 3, 3]
// CHECK-NEXT: bessel: float32[5]
// CHECK-NEXT: [-3, -3, -3, -3, -3]
// CHECK-NEXT: angle: float32[5]
// CHECK-NEXT: [0, 0, 0, 0, 0]
// CHECK:      max_x: float32[5]
// CHECK:      exponent: float32[5]
// CHECK-NEXT: [-inf, -inf, 0, 0, 0]
// CHECK-NEXT: clipped: float32[5]
// CHECK-NEXT: [0, 3, 3, 3, 0]
// CHECK-NEXT: leaky: float32[5]
// CHECK-NEXT: [0.75, 0.75, 3, 3, 3]
// CHECK-NEXT: bessel: float32[5]
// CHECK-NEXT: [-3, -3, -3, -3, -3]
// CHECK-NEXT: angle: float32[5]
// CHECK-NEXT: [0, 0, 0, 0, 0]
{
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[5]} : () -> tensor<5xf32>
    (%q) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[5],values:[-2,-1,0,1,2]} : () -> tensor<5xf32>
    (%x) = "pd_op.add" (%y, %q) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%g) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[5]} : () -> tensor<5xf32>
    (%h) = "pd_op.data" () {dtype:int32,name:"h",place:Place(undefined:0),shape:[5]} : () -> tensor<5xi32>
    (%k) = "pd_op.data" () {dtype:int32,name:"k",place:Place(undefined:0),shape:[5]} : () -> tensor<5xi32>
    (%n) = "pd_op.divide" (%y, %y) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%a, %b) = "pd_op.maximum_grad" (%x, %y, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%c, %d) = "pd_op.minimum_grad" (%x, %y, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%e, %f) = "pd_op.maximum_grad" (%h, %h, %k) {} : (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>, tensor<5xi32>
    (%i, %j) = "pd_op.maximum_grad" (%x, %n, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%l, %m) = "pd_op.elementwise_pow_grad" (%x, %y, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%o, %p) = "pd_op.elementwise_pow_grad" (%y, %x, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%lo) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1.0} : () -> tensor<1xf32>
    (%hi) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%r) = "pd_op.clip_grad" (%x, %g, %lo, %hi) {} : (tensor<5xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
    (%s) = "pd_op.leaky_relu_grad" (%x, %g) {negative_slope:0.25} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%t) = "pd_op.i0e" (%y) {} : (tensor<5xf32>) -> tensor<5xf32>
    (%u) = "pd_op.i0e_grad" (%y, %t, %g) {} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    (%z) = "pd_op.complex" (%y, %y) {} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xc64>
    (%v) = "pd_op.angle_grad" (%z, %g) {} : (tensor<5xc64>, tensor<5xf32>) -> tensor<5xc64>
    (%w) = "pd_op.abs" (%v) {} : (tensor<5xc64>) -> tensor<5xf32>
    () = "builtin.shadow_output" (%a) {output_name:"max_x"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%b) {output_name:"max_y"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%c) {output_name:"min_x"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%d) {output_name:"min_y"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%e) {output_name:"whole"} : (tensor<5xi32>) -> 
    () = "builtin.shadow_output" (%i) {output_name:"none_x"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%j) {output_name:"none_y"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%l) {output_name:"base"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%p) {output_name:"exponent"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%r) {output_name:"clipped"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%s) {output_name:"leaky"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%u) {output_name:"bessel"} : (tensor<5xf32>) -> 
    () = "builtin.shadow_output" (%w) {output_name:"angle"} : (tensor<5xf32>) -> 
}
