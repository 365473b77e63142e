// Sums of contractions stay in registers, whatever follows them, on every processor with multiply-adds.
// RUN: python3 %S/spills.py %{bin}/pir-opt x86-64-v3 %s %{root}/test/models/digits_cnn/model.json
// RUN: python3 %S/spills.py %{bin}/pir-opt x86-64-v4 %s %{root}/test/models/digits_cnn/model.json
// RUN: python3 %S/spills.py %{bin}/pir-opt aarch64 %s %{root}/test/models/digits_cnn/model.json
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,96]} : () -> tensor<-1x96xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<96x200xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x96xf32>, tensor<96x200xf32>) -> tensor<-1x200xf32>
    (%3) = "pd_op.gelu" (%2) {approximate:false} : (tensor<-1x200xf32>) -> tensor<-1x200xf32>
    (%4) = "pd_op.matmul" (%3, %3) {transpose_x:false,transpose_y:true} : (tensor<-1x200xf32>, tensor<-1x200xf32>) -> tensor<-1x-1xf32>
    (%5) = "pd_op.tanh" (%4) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
