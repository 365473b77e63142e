// What a program states of a parameter's extents in the file.
// RUN: python3 %S/parameters.py %s %t.pdiparams
// A part may have no elements, and so no place in the record.
// RUN: sed '/(%0) =/s/"w"}/"w",part_first:[0,0],whole_shape:[4,4]}/;s/tensor<4x4xf32>/tensor<0x2xf32>/g' %s > %t.pir && pir-run %t.pir --params=%t.pdiparams --print | FileCheck %s
// CHECK: y: float32[0,2]
// The file's extents have as many elements as those of the parameter.
// RUN: sed '/(%0) =/s/{p/{file_shape:[4,4],p/;s/tensor<4x4xf32>/tensor<1000x1000xf32>/g' %s > %t.pir && not pir-run %t.pir --params=%t.pdiparams 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: "builtin.parameter" file_shape has another number of elements than the parameter
// RUN: sed '/(%0) =/s/{p/{file_shape:[4,4],p/;s/tensor<4x4xf32>/tensor<2x8xf32>/g' %s > %t.pir && pir-opt %t.pir --params=%t.pdiparams -o %t.out.pir
// Zeros follow what the file has where a part is taken, and are no more than that: not of a tensor that is no part, whatever it states.
// RUN: for w in '' ',whole_shape:[6,4]' ',whole_shape:[4,4]'; do sed "/(%0) =/s/{p/{file_shape:[4,4],p/;/(%0) =/s/\"w\"/&$w/;s/tensor<4x4xf32>/tensor<6x4xf32>/g" %s > %t.pir && not pir-run %t.pir --params=%t.pdiparams || exit 1; done 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT-COUNT-3: error: "builtin.parameter" file_shape has another number of elements than the parameter
// RUN: sed 's/tensor<4x4xf32>/pd_dist.tensor<9x4xf32, mesh_shape:[3],process_ids:[0,1,2],dims_mappings:[0,-1]>/g;/(%0) =/s/{p/{file_shape:[4,4],p/;/(%0) =/s/"w"/&,whole_shape:[9,4]/' %s > %t.pir && not pir-opt %t.pir --params=%t.pdiparams -o %t.out.pir 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: error: "builtin.parameter" file_shape has another number of elements than the parameter
// RUN: sed 's/9x4/6x4/;s/9,4/6,4/' %t.pir > %t.mesh.pir && pir-opt %t.mesh.pir --params=%t.pdiparams -o %t.out.pir
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x4xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<4x4xf32>) ->
}
