// The typed form keeps what Paddle's text loses.
// RUN: pir-translate %s --to=typed --strip-debug > %t && grep -v '^//' %s | diff - %t
// RUN: pir-translate %s --to=text | FileCheck %s
// RUN: pir-translate %s --to=typed | pir-translate - --to=typed | FileCheck %s --check-prefix=LOC
program {format:"json",trainable:true,version:1}
{
^(%arg_0: tensor<2xf32> {stop_gradient:true}, %kwarg_mask: tensor<2xb> {}):
    (%0) = "my_op.numbers" () {a:(Float)0.1,b:(Double)0.1,c:(Double)0.10000000149011612,d:(Float)16777216,e:(Double)1e+300,f:(Double)5e-324,g:(Float)3.4028235e+38,h:(Float)-0,i:(Double)nan,j:(Double)nan(0x7ff8000000000001),k:(Float)-inf,l:(Int32)-5,m:(Int64)-9223372036854775808,n:(Index)7,o:(Complex64)real:0.1 imag:-2} : () -> tensor<f32>
    (%1) = "my_op.texts" () {a:"plain \"quoted\"",b:(str)"back\\slash\nand \"quote\" \x01",c:(name)"tensor",d:(opaque)"raw, {text}",e:(str)"\\"} : () -> tensor<0xf32>
    (%2) = "my_op.others" () {a:(pd_op.IntArray)[1,-2],b:[(Int64)1,(Int32)2,[true]],c:(pd_op.DataType)bfloat16,d:(pd_op.Place)Place(gpu:1),e:(pd_op.Place)[9,2,"my\"npu"],f:(pd_op.DataLayout)NHWC,g:(Type)tensor<2xf32>,h:(Pointer)0x7f00,i:(pd_op.Scalar)[float64,(Double)1.5],j:(pd_kernel.KernelKey)["CPU",(pd_op.DataLayout)NCHW,(pd_op.DataType)float32],k:(pd_dist.ProcessMesh)[(pd_op.IntArray)[2],(pd_op.IntArray)[0,1],["x"]],l:<#AttrNull>} : () -> i64
    (%3, %4, %5) = "my_op.types" (%arg_0, %kwarg_mask) {op_callstack:["File \"a.py\""]} : (tensor<2xf32>, tensor<2xb>) -> tensor<2x-1xf32, layout:NHWC, lod:[[0,2],[0,1,2]], offset:16>, pd_op.tensor_array<2x3xf32>, pd_op.sparsecootensor<4x8xf32, nonzero:[3], parts:[tensor<2x3xi64>,tensor<3xf32>]>
    (%6, %7, %8) = "my_op.more" () {} : () -> allocated<gpu, pd_op.selectedrows<5x4xf32>>, pd_dist.dist<tensor<4x8xf32>, (pd_dist.TensorDist)[(pd_dist.ProcessMesh)[(pd_op.IntArray)[2],(pd_op.IntArray)[0,1],["x"]],(pd_op.IntArray)[0,-1],[]], [2,8]>, !"odd \"type\""
    (%9) = "pd_op.while" (%kwarg_mask, %arg_0) {stop_gradient:[true]} : (tensor<2xb>, tensor<2xf32>) -> tensor<2xf32> ({
    ^(%arg_1: tensor<2xf32> {persistable:false,stop_gradient:true}):
        () = "cf.yield" (%kwarg_mask, %arg_1) {} : (tensor<2xb>, tensor<2xf32>) -> 
    })
    () = "my_op.regions" () {} : () ->  ({
        () = "my_op.a" () {} : () -> 
    ^(%arg_2: i64 {}):
        () = "my_op.b" (%arg_2) {} : (i64) -> 
    ^():
    }, {
    ^():
    }, {
    }, {
        () = "my_op.c" () {} : () -> 
    })
}
// CHECK: {a:0.1,b:0.1,c:0.1,d:1.67772e+07,e:1e+300,f:4.94066e-324,g:3.40282e+38,h:-0,i:nan,j:nan,k:-inf,l:-5,m:-9223372036854775808,n:7,o:real:0.1 imag:-2}
// CHECK: {a:"plain \"quoted\"",b:"back\slash
// CHECK: "my_op.types" (%arg_0 {stop_gradient:true}, %kwarg_mask) {} : (tensor<2xf32>, tensor<2xb>) -> tensor<2x-1xf32>, pd_op.tensor_array<f32>, pd_op.sparsecootensor<4x8xf32>
// CHECK: -> gpu_tensor<5x4xf32>, pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>, odd "type"
// CHECK: "pd_op.while" (cond=%kwarg_mask, inputs=%arg_0) {
// CHECK-NEXT: ^%arg_1 {persistable:false,stop_gradient:true}
// LOC: -> tensor<f32> loc("{{.*}}typed.pir":8:5)
