// What a run computes does not depend on the types that are stated for results: no type, a list in place of a tensor.
// RUN: sed 's/TYPE/tensor<2x3xf32>/' %s > %t.pir && pir-run %t.pir --pipeline=kernels --input=x=2x3xf32=random --input=r=1xf32=random --input=u=1x3xf32=random --print > %t.want
// RUN: for type in '<<NULL TYPE>>' 'vec[]' 'vec[tensor<2x3xf32>]' 'vec[tensor<1xi64>,tensor<f32>,vec[]]'; do sed "s/TYPE/$type/" %s > %t.pir; for p in kernels compile 'compile,group{few=0}'; do pir-run %t.pir --pipeline=$p --input=x=2x3xf32=random --input=r=1xf32=random --input=u=1x3xf32=random --print > %t.out && cmp %t.want %t.out || exit 1; done; done
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%r) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%1) = "pd_op.dpsgd" (%0, %0, %r) {batch_size:(Float)16,clip:(Float)10,seed:(Int32)3,sigma:(Float)0} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> TYPE
    (%2) = "pd_op.exp" (%0) {} : (tensor<2x3xf32>) -> TYPE
    (%3) = "pd_op.add" (%0, %2) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.tanh" (%3) {} : (tensor<2x3xf32>) -> TYPE
    () = "builtin.shadow_output" (%4) {output_name:"y"} : (tensor<2x3xf32>) -> 
    (%5) = "pd_op.cumprod" (%0) {dim:1,exclusive:false,reverse:false} : (tensor<2x3xf32>) -> TYPE
    () = "builtin.shadow_output" (%5) {output_name:"z"} : (tensor<2x3xf32>) -> 
    (%6) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%7) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[1,3]} : () -> tensor<1x3xf32>
    (%8) = "pd_op.scatter" (%0, %6, %7) {overwrite:true} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1x3xf32>) -> TYPE
    () = "builtin.shadow_output" (%8) {output_name:"s"} : (tensor<2x3xf32>) -> 
}
