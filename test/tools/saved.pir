// What passes made of a program is saved with it: in the parameter file, under names that nothing else has. JSON and .pdmodel of
// a program whose constants were folded and whose outputs go by name load again, and give the numbers of the program as it was.
// RUN: rm -rf %t && mkdir -p %t/want
// RUN: pir-run %s --input=x=2x1x4x4xf32=random:3 --output-dir=%t/want
// RUN: pir-opt %s --pipeline=paddle-cpu --emit=json -o %t/m.json --params-out=%t/m.pdiparams
// RUN: pir-run %t/m.json --input=x=2x1x4x4xf32=random:3 --expect-dir=%t/want
// RUN: pir-translate %t/m.json | FileCheck %s --check-prefix=JSON
// JSON:     "builtin.parameter" () {{.*}}parameter_name:"constant_folding@_0"
// JSON-NOT: builtin.constant
// JSON:     "pd_op.fetch" ({{.*}}) {col:0,name:"a"
// JSON:     "pd_op.fetch" ({{.*}}) {col:1,name:"b"
// RUN: pir-opt %s --pipeline=paddle-cpu --emit=pdmodel -o %t/m.pdmodel --params-out=%t/p.pdiparams
// RUN: pir-run %t/m.pdmodel --params=%t/p.pdiparams --input=x=2x1x4x4xf32=random:3 --expect-dir=%t/want
// RUN: pir-translate %t/m.json --to=pdmodel -o %t/again.pdmodel --params-out=%t/again.pdiparams
// RUN: pir-run %t/again.pdmodel --input=x=2x1x4x4xf32=random:3 --expect-dir=%t/want
// RUN: pir-translate %t/m.pdmodel | FileCheck %s --check-prefix=PDMODEL
// PDMODEL: "pd_op.full_int_array" () {{.*}}value:[2,2]
// PDMODEL: "pd_op.pool2d"
// RUN: pir-opt %s --passes=fold -o %t/m.pir --params-out=%t/text.pdiparams
// RUN: pir-run %t/m.pir --params=%t/text.pdiparams --input=x=2x1x4x4xf32=random:3 --expect-dir=%t/want
// RUN: not pir-translate %t/m.json --to=pdmodel -o %t/x.pdmodel 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: 'pd_op.pool2d' unsupported: operand 'kernel_size' must be a constant for 'pool2d'; a parameter that it needs was not read

// Without a file for them the values are gone, which is said. A second run takes no name that the text has already.
// RUN: pir-opt %s --passes=fold -o %t/lost.pir 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: saved.pir: warning: the passes made the values of 2 parameters ('constant_folding@_0', ..), which are not written: --params-out=FILE keeps them
// RUN: pir-opt %S/inputs/folded.pir --passes=fold 2> %t/err | FileCheck %s --check-prefix=SECOND
// SECOND-DAG: value:"constant_folding@_0"
// SECOND-DAG: value:"constant_folding@_1"

// A constant in JSON is what Paddle's writer makes of one.
// RUN: pir-translate %t/lost.pir --to=json | FileCheck %s --check-prefix=CONSTANT
// RUN: pir-translate %t/lost.pir --to=json | pir-translate - | diff %t/lost.pir -
// CONSTANT: {"#":"0.constant","A":[{"AT":{"#":"0.a_tensorname","D":"constant_folding@_0"},"N":"value"}],"I":[],"O":[
// CONSTANT: "OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":true}]},"N":"persistable"}]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1,4,4],stop_gradient:[true]} : () -> tensor<-1x1x4x4xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:2,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x1x4x4xf32>, tensor<1xf32>) -> tensor<-1x1x4x4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,2]} : () -> tensor<2xi64>
    (%4) = "pd_op.pool2d" (%2, %3) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",stop_gradient:[true],strides:[2,2]} : (tensor<-1x1x4x4xf32>, tensor<2xi64>) -> tensor<-1x1x2x2xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<-1x1x2x2xf32>) -> tensor<-1x1x2x2xf32>
    (%6) = "pd_op.fetch" (%2) {col:1,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<-1x1x4x4xf32>) -> tensor<-1x1x4x4xf32>
}
