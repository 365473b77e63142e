// Shapes that ops state, in an operand or an attribute, become the shapes of the parts; what is not known stays as it is stated.
// RUN: pir-opt %s --passes='dist2dense' --verify-each | FileCheck %s
// CHECK:      "pd_op.gaussian" (%{{[0-9]+}}) {{.*}} -> tensor<2x8xf32>
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[2,8]}
// CHECK-NEXT: "pd_op.randint" {{.*}} -> tensor<2x8xi64>
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[2,8]}
// CHECK-NEXT: "pd_op.uniform" {{.*}} -> tensor<2x8xf32>
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[2,8]}
// CHECK-NEXT: "pd_op.full_with_tensor" {{.*}} -> tensor<2x8xf32>
// CHECK:      "pd_op.empty" {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT: "pd_op.full_" {{.*}}shape:[2,8],{{.*}} -> tensor<2x8xf32>
// CHECK-NEXT: "pd_op.full_int_array" () {{.*}}value:[2,2,4]}
// CHECK-NEXT: "pd_op.reshape_" {{.*}} -> tensor<2x2x4xf32>
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[0,-1,2,4]}
// CHECK-NEXT: "pd_op.reshape" {{.*}} -> tensor<-1x-1x2x4xf32>
// RUN: pir-opt %s --passes=dist2dense,kernels -o %t.kernels && pir-run %t.kernels --input=a=3x5x8xf32=1 --print | FileCheck %s --check-prefix=PRINT
// PRINT: o1: float32[2,8]
// PRINT: o2: int64[2,8]
// PRINT: o5: float32[2,8]
// PRINT: o6: float32[2,8]
// PRINT: o10: float32[2,2,4]
// PRINT: o13: float32[3,5,2,4]

// Shapes that are not known, and such that are no extents of the result alone.
// RUN: sed 's/(%0) = "pd_op.full_int_array" () {[^}]*}/(%0) = "pd_op.data" () {dtype:int64,name:"n",place:Place(cpu),shape:[2]}/' %s > %t && not pir-opt %t --passes=dist2dense 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: "pd_op.gaussian" unsupported: its shape is not a constant, and the rank has a part of its result
// RUN: sed 's/dims_mappings:.-1,-1,-1,-1./dims_mappings:[0,-1,-1,-1]/;s/value:.0,-1,2,4./value:[6,-1,2,4]/' %s > %t && not pir-opt %t --passes=dist2dense 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: "pd_op.reshape" unsupported: its shape has an extent that its type leaves open, and the rank has a part of its result
// RUN: sed 's/"pd_op.full_" (%7) .*/"pd_op.crop" (%7, %0, %0) {} : (CUT, tensor<2xi64>, tensor<2xi64>) -> CUT/;s/CUT/pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>/g' %s > %t && not pir-opt %t --passes=dist2dense 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: "pd_op.crop" unsupported: its shape is an operand that this op reads otherwise, and the rank has a part of its result
// RUN: sed 's/"pd_op.empty" (%0) {/"pd_op.truncated_gaussian_random" () {a:-2,b:2,mean:0,seed:0,shape:[4,8],std:1,/;/truncated/s/(tensor<2xi64>)/()/' %s > %t && not pir-opt %t --passes=dist2dense 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: error: "pd_op.truncated_gaussian_random" unsupported: its shape is a list that this op states, and the rank has a part of its result
{
    (%0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[4,8]} : () -> tensor<2xi64>
    (%1) = "pd_op.gaussian" (%0) {dtype:float32,mean:0,place:Place(cpu),seed:0,std:1} : (tensor<2xi64>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%2) = "pd_op.randint" (%0) {dtype:int64,low:0,high:9,place:Place(cpu)} : (tensor<2xi64>) -> pd_dist.tensor<4x8xi64, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%5) = "pd_op.uniform" (%0, %3, %4) {dtype:float32,place:Place(cpu),seed:0} : (tensor<2xi64>, tensor<1xf32>, tensor<1xf32>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%6) = "pd_op.full_with_tensor" (%3, %0) {dtype:float32} : (tensor<1xf32>, tensor<2xi64>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%7) = "pd_op.empty" (%0) {dtype:float32,place:Place(cpu)} : (tensor<2xi64>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%8) = "pd_op.full_" (%7) {dtype:float32,place:Place(cpu),shape:[4,8],value:2} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[4,2,4]} : () -> tensor<3xi64>
    (%10) = "pd_op.reshape_" (%8, %9) {} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>, tensor<3xi64>) -> pd_dist.tensor<4x2x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1,-1]>
    (%11) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[-1,-1,8],stop_gradient:[true]} : () -> pd_dist.tensor<-1x-1x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1]>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0,-1,2,4]} : () -> tensor<4xi64>
    (%13) = "pd_op.reshape" (%11, %12) {} : (pd_dist.tensor<-1x-1x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1]>, tensor<4xi64>) -> pd_dist.tensor<-1x-1x2x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1]>
    () = "builtin.shadow_output" (%1) {output_name:"o1"} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    () = "builtin.shadow_output" (%2) {output_name:"o2"} : (pd_dist.tensor<4x8xi64, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    () = "builtin.shadow_output" (%5) {output_name:"o5"} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    () = "builtin.shadow_output" (%6) {output_name:"o6"} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    () = "builtin.shadow_output" (%10) {output_name:"o10"} : (pd_dist.tensor<4x2x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1,-1]>) ->
    () = "builtin.shadow_output" (%13) {output_name:"o13"} : (pd_dist.tensor<-1x-1x2x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1]>) ->
}
