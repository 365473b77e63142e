// Heads of detectors compute exponentials, and have float kernels only: integers are refused, not rounded through f32.
// RUN: not pir-opt --passes=check %s 2>&1 | FileCheck %s
// RUN: sed 's/int64/float32/;s/i64/f32/g' %s | pir-opt --passes=check | FileCheck %s --check-prefix=FLOATS
// CHECK: error: "pd_op.yolo_box_head" operand x: expects float32 or float64 or float16 or bfloat16, found int64
// FLOATS: pd_op.yolo_box_head
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,10,5,5]} : () -> tensor<2x10x5x5xi64>
    (%1) = "pd_op.yolo_box_head" (%0) {anchors:[5,5,5,5],class_num:0} : (tensor<2x10x5x5xi64>) -> tensor<2x10x5x5xi64>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2x10x5x5xi64>) -> 
}
