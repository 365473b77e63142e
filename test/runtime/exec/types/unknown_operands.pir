// A branch that hands out another kind or shape of value than the next op was planned for is an error of the run, not a number read from other memory.
// Where the branch is a tensor as stated, the run goes on.
// RUN: sed -e 's/MADE/"pd_op.create_array" () {dtype:float32} : () -> <<NULL TYPE>>/' -e 's/HANDED/<<NULL TYPE>>/' %s > %t.array.pir
// RUN: sed -e 's/MADE/"pd_op.abs" (%%2) {} : (tensor<i64>) -> tensor<i64>/' -e 's/HANDED/tensor<i64>/' %s > %t.number.pir
// RUN: for p in kernels compile 'compile,group{few=0}'; do not pir-run %t.array.pir --pipeline=$p --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=ARRAY %s || exit 1; done
// RUN: for p in kernels compile 'compile,group{few=0}'; do not pir-run %t.number.pir --pipeline=$p --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=NUMBER %s || exit 1; done
// RUN: for f in array number; do pir-run %t.$f.pir --input=c=1xbool=0 --input=x=64xf32=1 --input=y=i64=-5 --print | FileCheck --check-prefix=RUNS %s || exit 1; done
// ARRAY: error: "pd_op.relu": expects a tensor, found an array of tensors
// NUMBER: error: "pd_op.relu" hands out another type or shape than its program says
// RUNS: o: float32[64]
// RUNS-NEXT: [1, 1,
{
  (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
  (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64]} : () -> tensor<64xf32>
  (%2) = "pd_op.data" () {dtype:int64,name:"y",place:Place(undefined:0),shape:[]} : () -> tensor<i64>
  (%3) = "pd_op.if" (%0) {} -> tensor<64xf32> {
    (%4) = MADE
    () = "cf.yield" (%4) {} : (HANDED) -> 
  } else {
    (%5) = "pd_op.abs" (%1) {} : (tensor<64xf32>) -> tensor<64xf32>
    () = "cf.yield" (%5) {} : (tensor<64xf32>) -> 
  }
  (%6) = "pd_op.relu" (%3) {} : (tensor<64xf32>) -> tensor<64xf32>
  () = "builtin.shadow_output" (%6) {output_name:"o"} : (tensor<64xf32>) -> 
}
