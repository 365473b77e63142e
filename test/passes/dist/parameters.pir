// Of a parameter whose value the program has, a rank keeps its part. Ranks that partition a program when they
// open it share one file.
// RUN: python3 %S/parameters.py %t.pdiparams 2 4 2
// RUN: pir-opt %s --params=%t.pdiparams --passes='dist{rank=0}' --params-out=%t.0.pdiparams -o %t.0.pir && FileCheck %s --input-file=%t.0.pir
// CHECK: "builtin.parameter" {{.*}} -> tensor<1x2x2xf32>
// RUN: pir-run %t.0.pir --params=%t.0.pdiparams --print | FileCheck %s --check-prefix=RANK0
// RANK0:      part: float32[1,2,2]
// RANK0-NEXT: {{\[\[\[12, 13\],$}}
// RANK0-NEXT: {{^  \[14, 15\]\]\]}}
// RUN: pir-run --ranks=4 %s --params=%t.pdiparams --pipeline='dist{rank=%r},kernels' --print | FileCheck %s --check-prefix=RUN4
// RUN4:      {{\[\[\[12, 13\],$}}
// RUN4:      {{\[\[\[8, 9\],$}}
// RUN4:      {{\[\[\[4, 5\],$}}
// RUN4:      {{\[\[\[0, 1\],$}}
// RUN: pir-opt %s --passes='mix2dist' -o %t.dist
// RUN: pir-opt %t.dist --params=%t.pdiparams --passes='dist2dense{rank=0}' -o %t.1.pir && diff %t.0.pir %t.1.pir
// RUN: pir-opt %t.dist --passes=dist2dense -o %t.2.pir && diff %t.0.pir %t.2.pir
// RUN: not pir-opt %t.dist --params=%t.pdiparams --passes='dist2dense' 2>&1 | FileCheck %s --check-prefix=WHOSE
// WHOSE: error: "builtin.parameter" option rank has to say whose part of the parameter is wanted
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[false],parameter_name:"w",persistable:[true],stop_gradient:[true],trainable:[false]} : () -> tensor<2x4x2xf32>
    (%1) = "dist_op.shard_tensor" (%0) {} : (tensor<2x4x2xf32>) -> pd_dist.tensor<2x4x2xf32, mesh_shape:[2,2],process_ids:[3,2,1,0],dims_mappings:[0,1,-1]>
    () = "builtin.shadow_output" (%1) {output_name:"part"} : (pd_dist.tensor<2x4x2xf32, mesh_shape:[2,2],process_ids:[3,2,1,0],dims_mappings:[0,1,-1]>) ->
}
