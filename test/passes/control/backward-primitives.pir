// Gradients in primitive ops where a shape, a type or a value does not allow them: the numbers are those of the gradient ops, or they are refused. No
// repeats, nothing to repeat or to select, starts that only the run shows, a mask larger than what it fills, numbers beyond f32, values that are
// broadcast, norms of all axes, sums of another type, and complex numbers, whose gradients
// conjugate, extents that only the run shows. Ties of a whole tensor, the variance of nothing, the gradient of a sum of another type.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{each} = for f in tile tile_empty slice fill select select_empty kth put_true put_false norm sum complex open
// DEFINE: %{in} = --input=x=6xf32=0.25..0.75 --pipeline=kernels
// RUN: %{each}; do mkdir %t/$f && pir-opt %t/$f.pir --verify-each '--passes=backward{ones,loss=y,wrt=x}' -o %t/op.pir && pir-run %t/op.pir %{in} --output-dir=%t/$f || exit 1; done
// RUN: %{each}; do echo $f; pir-opt %t/$f.pir --verify-each '--passes=backward{ones,prim,loss=y,wrt=x}' -o %t/prim.pir && pir-run %t/prim.pir %{in} --expect-dir=%t/$f || exit 1; done
// RUN: pir-run %t/ties.pir --input=x=6xf32=1 --print | FileCheck --check-prefix=TIES %s
// RUN: pir-opt %t/wide.pir --verify-each '--passes=backward{ones,loss=y,wrt=g}' -o %t/both.pir && pir-run %t/both.pir --input=x=2x3xf32=1 --input=g=2xf64=1 --print | FileCheck --check-prefix=WIDE %s
// RUN: for f in larger larger_mul; do for p in , ,prim,; do not pir-opt %t/$f.pir "--passes=backward{ones${p}loss=y,wrt=x}" 2>&1 | grep error: ; done; done | FileCheck --check-prefix=LARGER %s
// TIES-COUNT-8: [1, 1, 1]
// TIES: none: float32[0]
// WIDE: fetch1: float64[2]
// WIDE-NEXT: [3, 3]
// LARGER-COUNT-4: error: "pd_op.put_along_axis_grad"
//--- tile.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%r) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%o) = "pd_op.tile" (%z, %r) {stop_gradient:[false]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- tile_empty.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%s) = "pd_op.slice" (%z, %b, %e) {axes:[1], infer_flags:[1], decrease_axis:[], stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x0xf32>
    (%r) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,2]} : () -> tensor<2xi64>
    (%o) = "pd_op.tile" (%s, %r) {stop_gradient:[false]} : (tensor<2x0xf32>, tensor<2xi64>) -> tensor<6x0xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<6x0xf32>) -> tensor<6x0xf32>
}
//--- slice.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%n) = "pd_op.cast" (%x) {dtype:int64, stop_gradient:[true]} : (tensor<6xf32>) -> tensor<6xi64>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2]} : () -> tensor<1xi64>
    (%i) = "pd_op.slice" (%n, %b, %e) {axes:[0], infer_flags:[1], decrease_axis:[], stop_gradient:[true]} : (tensor<6xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    (%k) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[2],stop_gradient:[true],value:1} : () -> tensor<2xi64>
    (%j) = "pd_op.add" (%i, %k) {stop_gradient:[true]} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    (%o) = "pd_op.slice" (%z, %i, %j) {axes:[0,1], infer_flags:[-1,-1], decrease_axis:[0,1], stop_gradient:[false]} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- fill.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%z) = "pd_op.assign" (%x) {stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
    (%m) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2,6],stop_gradient:[true],value:1} : () -> tensor<2x6xb>
    (%v) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:0.5} : () -> tensor<f32>
    (%w) = "pd_op.scale" (%z, %v) {bias:0, bias_after_scale:true, stop_gradient:[false]} : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    (%mm) = "pd_op.logical_not" (%m) {stop_gradient:[true]} : (tensor<2x6xb>) -> tensor<2x6xb>
    (%o) = "pd_op.masked_fill" (%w, %mm, %v) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2x6xb>, tensor<f32>) -> tensor<2x6xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
}
//--- select.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%z) = "pd_op.assign" (%x) {stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
    (%m) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[6],stop_gradient:[true],value:1} : () -> tensor<6xb>
    (%w) = "pd_op.cast" (%z) {dtype:float64, stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf64>
    (%k) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],stop_gradient:[true],value:1e-100} : () -> tensor<f64>
    (%t) = "pd_op.multiply" (%w, %k) {stop_gradient:[false]} : (tensor<6xf64>, tensor<f64>) -> tensor<6xf64>
    (%s) = "pd_op.masked_select" (%t, %m) {stop_gradient:[false]} : (tensor<6xf64>, tensor<6xb>) -> tensor<-1xf64>
    (%v) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],stop_gradient:[true],value:1e+100} : () -> tensor<f64>
    (%o) = "pd_op.multiply" (%s, %v) {stop_gradient:[false]} : (tensor<-1xf64>, tensor<f64>) -> tensor<-1xf64>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf64>) -> tensor<-1xf64>
}
//--- select_empty.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%s) = "pd_op.slice" (%z, %b, %e) {axes:[1], infer_flags:[1], decrease_axis:[], stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x0xf32>
    (%m) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2,0],stop_gradient:[true],value:1} : () -> tensor<2x0xb>
    (%o) = "pd_op.masked_select" (%s, %m) {stop_gradient:[false]} : (tensor<2x0xf32>, tensor<2x0xb>) -> tensor<-1xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- kth.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%s) = "pd_op.sum" (%z, %a) {dtype:Undefined, keepdim:false, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%o, %k) = "pd_op.kthvalue" (%s) {k:1, axis:-1, keepdim:false, stop_gradient:[false,false]} : (tensor<f32>) -> tensor<f32>, tensor<i64>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- put_true.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%z) = "pd_op.assign" (%x) {stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%v) = "pd_op.slice" (%z, %b, %e) {axes:[0], infer_flags:[1], decrease_axis:[], stop_gradient:[false]} : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
    (%i) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,4]} : () -> tensor<2xi64>
    (%l) = "builtin.combine" (%i) {stop_gradient:[true]} : (tensor<2xi64>) -> vec[tensor<2xi64>]
    (%o) = "pd_op.index_put" (%z, %l, %v) {accumulate:true, stop_gradient:[false]} : (tensor<6xf32>, vec[tensor<2xi64>], tensor<1xf32>) -> tensor<6xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
}
//--- put_false.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%z) = "pd_op.assign" (%x) {stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%v) = "pd_op.slice" (%z, %b, %e) {axes:[0], infer_flags:[1], decrease_axis:[], stop_gradient:[false]} : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
    (%i) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,4]} : () -> tensor<2xi64>
    (%l) = "builtin.combine" (%i) {stop_gradient:[true]} : (tensor<2xi64>) -> vec[tensor<2xi64>]
    (%o) = "pd_op.index_put" (%z, %l, %v) {accumulate:false, stop_gradient:[false]} : (tensor<6xf32>, vec[tensor<2xi64>], tensor<1xf32>) -> tensor<6xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
}
//--- norm.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%o) = "pd_op.p_norm" (%z) {porder:inf, axis:-1, epsilon:1e-12, keepdim:false, asvector:true, stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<f32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- sum.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%o) = "pd_op.sum" (%z, %a) {dtype:float64, keepdim:false, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf64>
    (%v) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],stop_gradient:[true],value:1e+100} : () -> tensor<f64>
    (%p) = "pd_op.multiply" (%o, %v) {stop_gradient:[false]} : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    (%w) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],stop_gradient:[true],value:1e-100} : () -> tensor<f64>
    (%q) = "pd_op.multiply" (%p, %w) {stop_gradient:[false]} : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    (%fy) = "pd_op.fetch" (%q) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf64>) -> tensor<2xf64>
}
//--- complex.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
    (%y) = "pd_op.scale" (%x, %h) {bias:0.25, bias_after_scale:true, stop_gradient:[false]} : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
    (%c) = "pd_op.complex" (%x, %y) {stop_gradient:[false]} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xc64>
    (%rexp) = "pd_op.exp" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsqrt) = "pd_op.sqrt" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rlog) = "pd_op.log" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsin) = "pd_op.sin" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rcos) = "pd_op.cos" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rtanh) = "pd_op.tanh" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsigmoid) = "pd_op.sigmoid" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsquare) = "pd_op.square" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%ratan) = "pd_op.atan" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rexpm1) = "pd_op.expm1" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsilu) = "pd_op.silu" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rsoftsign) = "pd_op.softsign" (%c) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rpow) = "pd_op.pow" (%c) {y:3.0, stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rep) = "pd_op.elementwise_pow" (%c, %rexp) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%rcp) = "pd_op.cumprod" (%c) {dim:0, exclusive:false, reverse:false, stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xc64>
    (%rmx) = "pd_op.multiply" (%x, %rexp) {stop_gradient:[false]} : (tensor<6xf32>, tensor<6xc64>) -> tensor<6xc64>
    (%rdx) = "pd_op.divide" (%x, %rexp) {stop_gradient:[false]} : (tensor<6xf32>, tensor<6xc64>) -> tensor<6xc64>
    (%s0) = "pd_op.add" (%c, %rexp) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s1) = "pd_op.add" (%s0, %rsqrt) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s2) = "pd_op.add" (%s1, %rlog) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s3) = "pd_op.add" (%s2, %rsin) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s4) = "pd_op.add" (%s3, %rcos) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s5) = "pd_op.add" (%s4, %rtanh) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s6) = "pd_op.add" (%s5, %rsigmoid) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s7) = "pd_op.add" (%s6, %rsquare) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s8) = "pd_op.add" (%s7, %ratan) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s9) = "pd_op.add" (%s8, %rexpm1) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s10) = "pd_op.add" (%s9, %rsilu) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s11) = "pd_op.add" (%s10, %rsoftsign) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s12) = "pd_op.add" (%s11, %rpow) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s13) = "pd_op.add" (%s12, %rep) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s14) = "pd_op.add" (%s13, %rcp) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s15) = "pd_op.add" (%s14, %rmx) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%s16) = "pd_op.add" (%s15, %rdx) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%q) = "pd_op.multiply" (%s16, %s16) {stop_gradient:[false]} : (tensor<6xc64>, tensor<6xc64>) -> tensor<6xc64>
    (%o) = "pd_op.imag" (%q) {stop_gradient:[false]} : (tensor<6xc64>) -> tensor<6xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<6xf32>) -> tensor<6xf32>
}
//--- ties.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%g) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:6} : () -> tensor<f32>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%max) = "pd_op.max_grad" (%z, %o, %g, %a) {keepdim:false, reduce_all:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%min) = "pd_op.min_grad" (%z, %o, %g, %a) {keepdim:false, reduce_all:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%amax) = "pd_op.amax_grad" (%z, %o, %g) {axis:[0], keepdim:false, reduce_all:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
    (%amin) = "pd_op.amin_grad" (%z, %o, %g) {axis:[0], keepdim:false, reduce_all:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
    (%fmax) = "pd_op.fetch" (%max) {col:0,name:"max",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%fmin) = "pd_op.fetch" (%min) {col:0,name:"min",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%famax) = "pd_op.fetch" (%amax) {col:0,name:"amax",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%famin) = "pd_op.fetch" (%amin) {col:0,name:"amin",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%s) = "pd_op.slice" (%z, %b, %b) {axes:[1], infer_flags:[1], decrease_axis:[], stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x0xf32>
    (%none) = "pd_op.var" (%s) {axis:[0], keepdim:false, unbiased:true, correction:1, stop_gradient:[false]} : (tensor<2x0xf32>) -> tensor<0xf32>
    (%fnone) = "pd_op.fetch" (%none) {col:0,name:"none",persistable:[true],stop_gradient:[false]} : (tensor<0xf32>) -> tensor<0xf32>
}
//--- wide.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[false]} : () -> tensor<2x3xf32>
    (%g) = "pd_op.data" () {dtype:float64,name:"g",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf64>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%o) = "pd_op.sum_grad" (%x, %g, %a) {keepdim:false, reduce_all:false, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<2xf64>, tensor<1xi64>) -> tensor<2x3xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- larger.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%ii) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0,2]} : () -> tensor<2xi64>
    (%is) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,2]} : () -> tensor<2xi64>
    (%i) = "pd_op.reshape" (%ii, %is) {stop_gradient:[true]} : (tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xi64>
    (%w) = "pd_op.assign" (%z) {stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%o) = "pd_op.put_along_axis" (%z, %i, %w) {axis:1, reduce:"add", include_self:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1x2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- larger_mul.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6],stop_gradient:[false]} : () -> tensor<6xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%x, %xs) {stop_gradient:[false]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%ii) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0,2]} : () -> tensor<2xi64>
    (%is) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,2]} : () -> tensor<2xi64>
    (%i) = "pd_op.reshape" (%ii, %is) {stop_gradient:[true]} : (tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xi64>
    (%w) = "pd_op.assign" (%z) {stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%o) = "pd_op.put_along_axis" (%z, %i, %w) {axis:1, reduce:"mul", include_self:true, stop_gradient:[false]} : (tensor<2x3xf32>, tensor<1x2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%fy) = "pd_op.fetch" (%o) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- open.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1],stop_gradient:[false]} : () -> tensor<-1xf32>
    (%t) = "pd_op.tanh" (%x) {stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%m) = "pd_op.mean" (%t, %a) {keepdim:false,stop_gradient:[false]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%fy) = "pd_op.fetch" (%m) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
