// Readers of memory that was written in place read the written value: behind the write, in later iterations, behind a branch.
// Paddle's executor computes the numbers below.
// RUN: pir-opt %s --split-input-file --verify-each --passes=writes > %t
// RUN: FileCheck %s < %t
// RUN: pir-opt %s --split-input-file --passes=writes,writes | diff - %t
// RUN: for p in kernels compile; do sed -n '/^\/\/ row$/,/^}$/p' %s | pir-run - --input=x=1xf32=0 --pipeline=$p --print | FileCheck %s --check-prefix=ROW; done
// RUN: for p in kernels compile; do sed -n '/^\/\/ loop$/,/^}$/p' %s | pir-run - --input=x=3x2xf32=0 --pipeline=$p --print | FileCheck %s --check-prefix=LOOP; done
// RUN: for p in kernels compile; do sed -n '/^\/\/ nested$/,/^}$/p' %s | pir-run - --input=x=1xf32=0 --pipeline=$p --print | FileCheck %s --check-prefix=NESTED; done
// RUN: sed -n '/^\/\/ nested$/,/^}$/p' %s | pir-opt - --pipeline=ungrouped --verify-numerics -o /dev/null

// Two writes to one variable, by either name.
// row
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%one) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%a) = "pd_op.scale" (%x, %one) {bias:-2,bias_after_scale:true} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%b) = "pd_op.relu_" (%a) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%c) = "pd_op.increment_" (%a) {value:3} : (tensor<1xf32>) -> tensor<1xf32>
    (%d) = "pd_op.subtract" (%b, %x) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%e) = "pd_op.add" (%a, %d) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%f0) = "pd_op.fetch" (%e) {col:0,name:"e"} : (tensor<1xf32>) -> tensor<1xf32>
}
// CHECK: [[B:%.*]]) = "pd_op.relu_"
// CHECK-NEXT: [[C:%.*]]) = "pd_op.increment_" ([[B]])
// CHECK-NEXT: [[D:%.*]]) = "pd_op.subtract" ([[C]], %0)
// CHECK-NEXT: "pd_op.add" ([[C]], [[D]])
// ROW: e: float32[1]
// ROW-NEXT: [6]

// -----

// The counter and the condition of a loop come from outside of it, as those of recurrent cells in static programs.
// loop
{
    (%d) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xf32>
    (%140) = "pd_op.shape64" (%d) {} : (tensor<-1x2xf32>) -> tensor<2xi64>
    (%141) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%142) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%143) = "pd_op.slice" (%140, %141, %142) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%144) = "pd_op.cast" (%143) {dtype:int32} : (tensor<i64>) -> tensor<i32>
    (%145) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],value:0} : () -> tensor<i64>
    (%146) = "pd_op.cast" (%144) {dtype:int64} : (tensor<i32>) -> tensor<i64>
    (%147) = "pd_op.less_than" (%145, %146) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    () = "pd_op.while" (cond=%147, inputs=) { 
        (%186) = "pd_op.increment_" (%145) {value:1} : (tensor<i64>) -> tensor<i64>
        (%189) = "pd_op.less_than" (%145, %146) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        (%190) = "pd_op.assign_out_" (%189, %147) {} : (tensor<b>, tensor<b>) -> tensor<b>
        () = "cf.yield" (%147) {} : (tensor<b>) -> 
    }
    (%f0) = "pd_op.fetch" (%145) {col:0,name:"i"} : (tensor<i64>) -> tensor<i64>
}
// CHECK: [[I:%.*]], {{%.*}}) = "pd_op.while" (cond=[[FIRST:%.*]], inputs={{%.*}}, [[FIRST]])
// CHECK-NEXT: ^[[J:%.*]] {}, [[COND:%.*]] {}
// CHECK-NEXT: [[K:%.*]]) = "pd_op.increment_" ([[J]])
// CHECK-NEXT: [[LESS:%.*]]) = "pd_op.less_than" ([[K]],
// CHECK-NEXT: [[NEXT:%.*]]) = "pd_op.assign_out_" ([[LESS]], [[COND]])
// CHECK-NEXT: "cf.yield" ([[NEXT]], [[K]], [[NEXT]])
// CHECK: "pd_op.fetch" ([[I]])
// LOOP: i: int64[]
// LOOP-NEXT: 3

// -----

// A branch in a loop writes a value from outside of both; the loop's result and its argument are written too.
// nested
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%n) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:5} : () -> tensor<i64>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:0} : () -> tensor<i64>
    (%three) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%sum) = "pd_op.scale" (%x, %three) {bias:-2,bias_after_scale:true} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%two) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:2} : () -> tensor<i64>
    (%c) = "pd_op.less_than" (%i, %n) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    (%r) = "pd_op.while" (cond=%c, inputs=%i) {
    ^%k {}
        (%even) = "pd_op.less_than" (%k, %two) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        (%d) = "pd_op.if" (%even) {} -> tensor<1xf32> {
            (%s) = "pd_op.scale_" (%sum, %three) {bias:1,bias_after_scale:true} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
            (%t) = "pd_op.add" (%sum, %x) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
            () = "cf.yield" (%t) {} : (tensor<1xf32>) -> 
        } else {
            (%u) = "pd_op.subtract" (%sum, %x) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
            () = "cf.yield" (%u) {} : (tensor<1xf32>) -> 
        }
        (%w) = "pd_op.add_" (%sum, %d) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
        (%j) = "pd_op.increment_" (%k) {value:1} : (tensor<i64>) -> tensor<i64>
        (%e) = "pd_op.less_than" (%k, %n) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        () = "cf.yield" (%e, %k) {} : (tensor<b>, tensor<i64>) -> 
    }
    (%q) = "pd_op.increment_" (%r) {value:100} : (tensor<i64>) -> tensor<i64>
    (%f0) = "pd_op.fetch" (%sum) {col:0,name:"sum"} : (tensor<1xf32>) -> tensor<1xf32>
    (%f1) = "pd_op.fetch" (%r) {col:1,name:"r"} : (tensor<i64>) -> tensor<i64>
}
// CHECK: [[R:%.*]], [[SUM:%.*]]) = "pd_op.while"
// CHECK-NEXT: ^[[K:%.*]] {}, [[BEFORE:%.*]] {}
// CHECK: [[T:%.*]], [[BEHIND:%.*]]) = "pd_op.if"
// CHECK-NEXT: [[SCALED:%.*]]) = "pd_op.scale_" ([[BEFORE]],
// CHECK: "cf.yield" ({{%.*}}, [[SCALED]])
// CHECK: "cf.yield" ({{%.*}}, [[BEFORE]])
// CHECK: "pd_op.add_" ([[BEHIND]], [[T]])
// CHECK: [[LAST:%.*]]) = "pd_op.increment_" ([[R]])
// CHECK-NEXT: "pd_op.fetch" ([[SUM]])
// CHECK-NEXT: "pd_op.fetch" ([[LAST]])
// NESTED: sum: float32[1]
// NESTED-NEXT: [-464]
// NESTED: r: int64[]
// NESTED-NEXT: 105

// -----

// The shape that a branch writes has another extent: the result's is not known.
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[]} : () -> tensor<b>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    () = "pd_op.if" (%c) {} -> {
        (%z) = "pd_op.assign_out_" (%y, %x) {} : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
        () = "cf.yield" () {} : () -> 
    } else {
        () = "cf.yield" () {} : () -> 
    }
    (%e) = "pd_op.relu" (%x) {} : (tensor<2xf32>) -> tensor<-1xf32>
    (%f) = "pd_op.fetch" (%e) {col:0,name:"e"} : (tensor<-1xf32>) -> tensor<-1xf32>
}
// CHECK: ([[OUT:%.*]]) = "pd_op.if" ({{.*}}) {} -> tensor<-1xf32> {
// CHECK-NEXT: [[Z:%.*]]) = "pd_op.assign_out_"
// CHECK-NEXT: "cf.yield" ([[Z]])
// CHECK: else
// CHECK-NEXT: "cf.yield" (%0)
// CHECK: "pd_op.relu" ([[OUT]])

// -----

// A parameter that is written is read as any other value.
{
    (%p) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"p"} : () -> tensor<1xf32>
    (%q) = "pd_op.increment_" (%p) {value:1} : (tensor<1xf32>) -> tensor<1xf32>
    (%r) = "pd_op.relu" (%p) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%f) = "pd_op.fetch" (%r) {col:0,name:"r"} : (tensor<1xf32>) -> tensor<1xf32>
}
// CHECK: (%0) = "builtin.parameter"
// CHECK-NEXT: [[Q:%.*]]) = "pd_op.increment_" (%0)
// CHECK-NEXT: "pd_op.relu" ([[Q]])

// -----

// Statistics that are fixed are not written, though batch_norm_ says so: the layer may be shared, and stand in a loop.
{
    (%mean) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"mean"} : () -> tensor<2xf32>
    (%variance) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"variance"} : () -> tensor<2xf32>
    (%scale) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"scale"} : () -> tensor<2xf32>
    (%bias) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"bias"} : () -> tensor<2xf32>
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,-1,-1]} : () -> tensor<-1x2x-1x-1xf32>
    (%y1, %m1, %v1, %sm1, %sv1, %rs1) = "pd_op.batch_norm_" (%x, %mean, %variance, %scale, %bias) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<-1xu8>
    (%y2, %m2, %v2, %sm2, %sv2, %rs2) = "pd_op.batch_norm_" (%y1, %mean, %variance, %scale, %bias) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<-1xu8>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[]} : () -> tensor<b>
    (%w) = "pd_op.while" (cond=%c, inputs=%y2) {
    ^%a {}
        (%y3, %m3, %v3, %sm3, %sv3, %rs3) = "pd_op.batch_norm_" (%a, %mean, %variance, %scale, %bias) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<-1xu8>
        () = "cf.yield" (%c, %y3) {} : (tensor<b>, tensor<-1x2x-1x-1xf32>) -> 
    }
    (%f) = "pd_op.fetch" (%w) {col:0,name:"y"} : (tensor<-1x2x-1x-1xf32>) -> tensor<-1x2x-1x-1xf32>
}
// CHECK-COUNT-2: "pd_op.batch_norm_" ({{%[0-9]+}}, %0, %1, %2, %3)
// CHECK: "pd_op.while" (cond={{%[0-9]+}}, inputs={{%[0-9]+}}) {
// CHECK: "pd_op.batch_norm_" (%arg_0, %0, %1, %2, %3)

// -----

// In training the second use of the layer continues from the first one's statistics.
{
    (%mean) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"mean"} : () -> tensor<2xf32>
    (%variance) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"variance"} : () -> tensor<2xf32>
    (%scale) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"scale"} : () -> tensor<2xf32>
    (%bias) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"bias"} : () -> tensor<2xf32>
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,-1,-1]} : () -> tensor<-1x2x-1x-1xf32>
    (%y1, %m1, %v1, %sm1, %sv1, %rs1) = "pd_op.batch_norm_" (%x, %mean, %variance, %scale, %bias) {data_format:"NCHW",epsilon:1e-05,is_test:false,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<-1xu8>
    (%y2, %m2, %v2, %sm2, %sv2, %rs2) = "pd_op.batch_norm_" (%y1, %mean, %variance, %scale, %bias) {data_format:"NCHW",epsilon:1e-05,is_test:false,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<-1x2x-1x-1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<-1xu8>
    (%f) = "pd_op.fetch" (%v2) {col:0,name:"y"} : (tensor<2xf32>) -> tensor<2xf32>
}
// CHECK: ({{%[0-9]+}}, [[M:%[0-9]+]], [[V:%[0-9]+]], {{.*}}) = "pd_op.batch_norm_" ({{%[0-9]+}}, %0, %1, %2, %3)
// CHECK: "pd_op.batch_norm_" ({{%[0-9]+}}, [[M]], [[V]], %2, %3)
