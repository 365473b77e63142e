// An op that is declared only is refused before the run, with the reason that its declaration states.
// RUN: not pir-run %s --pipeline=kernels --input=2xf32 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=2xf32 2>&1 | FileCheck %s
// CHECK: declared.pir:[[@LINE+4]]:5: error: unsupported: "pd_op.tensorrt_engine": no kernel computes it, because its attributes hold a program of TensorRT
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "builtin.combine" (%0) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%2) = "pd_op.tensorrt_engine" (%1) {engine_serialized_data:"",workspace_size:1,allow_build_at_runtime:false,input_names:["x"],output_names:["y"],outputs_rank:[1],outputs_dtype:[float32],dynamic_shape_names:[],dynamic_shape_lens:[],min_input_shape_vector:[],max_input_shape_vector:[],opt_input_shape_vector:[],converter_debug_info:"",use_cuda_graph:false,refit_params_path:"",refit_param_names:[],refit_param_names2trt_names:[]} : (vec[tensor<2xf32>]) -> vec[tensor<2xf32>]
    (%3) = "builtin.split" (%2) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<2xf32>) -> tensor<2xf32>
}
