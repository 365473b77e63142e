// A type may state the local shape: it has to be the part that the distribution gives.
// RUN: sed 's/LOCAL/2,3/' %s > %t && pir-opt %t --passes='dist{rank=1}' | FileCheck %s
// CHECK: "builtin.parameter" {{.*}} -> tensor<2x3xf32>
// RUN: sed 's/LOCAL//' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/LOCAL/2/' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/LOCAL/2,3,1/' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/LOCAL/4,3/' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/LOCAL/100000000,3/' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/LOCAL/-1,3/' %s > %t && not pir-opt %t --passes='dist{rank=1}' 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: "builtin.parameter" the local shape of a tensor is not the part of its shape that its distribution gives
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[false],parameter_name:"w",persistable:[true],stop_gradient:[true],trainable:[false]} : () -> pd_dist.dist<tensor<4x3xf32>, (pd_dist.TensorDist)[(pd_dist.ProcessMesh)[(pd_op.IntArray)[2],(pd_op.IntArray)[0,1],["x"]],(pd_op.IntArray)[0,-1],[]], [LOCAL]>
    () = "builtin.shadow_output" (%0) {output_name:"part"} : (pd_dist.dist<tensor<4x3xf32>, (pd_dist.TensorDist)[(pd_dist.ProcessMesh)[(pd_op.IntArray)[2],(pd_op.IntArray)[0,1],["x"]],(pd_op.IntArray)[0,-1],[]], [LOCAL]>) ->
}
