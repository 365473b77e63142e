// A branch that hands out another kind or shape of value than the next op was planned for is an error of the run, not a number read from other memory.
// Where the branch is a tensor as stated, the run goes on.
// RUN: sed -e 's/MADE/"pd_op.create_array" () {dtype:float32} : () -> <<NULL TYPE>>/' -e 's/HANDED/<<NULL TYPE>>/' %s > %t.array.pir
// RUN: sed -e 's/MADE/"pd_op.abs" (%%2) {} : (tensor<i64>) -> tensor<i64>/' -e 's/HANDED/tensor<i64>/' %s > %t.number.pir
// RUN: for p in kernels compile 'compile,group{few=0}'; do not pir-run %t.array.pir --pipeline=$p --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=ARRAY %s || exit 1; done
// RUN: for p in kernels compile 'compile,group{few=0}'; do not pir-run %t.number.pir --pipeline=$p --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=NUMBER %s || exit 1; done
// RUN: for f in array number; do for p in kernels compile 'compile,group{few=0}'; do pir-run %t.$f.pir --pipeline=$p --input=c=1xbool=0 --input=x=64xf32=1 --input=y=i64=-5 --print | FileCheck --check-prefix=RUNS %s || exit 1; done; done
// An op that changes the shape first: no type is known of its result, but for the one that is stated; without one it shows in the run.
// RUN: sed -e '/(%%6)/d' %t.number.pir > %t.first.pir
// RUN: not pir-run %t.first.pir --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=FIRST %s
// RUN: sed -e 's/-> tensor<-1xf32>$/-> <<NULL TYPE>>/' -e 's/: (tensor<-1xf32>/: (<<NULL TYPE>>/' %t.number.pir > %t.bare.pir
// RUN: FileCheck --check-prefix=BARE %s < %t.bare.pir
// RUN: pir-run %t.bare.pir --input=c=1xbool=0 --input=x=64xf32=1 --input=y=i64=-5 --print | FileCheck --check-prefix=RUNS %s
// The kernel of unique finds the extents of its result, and computes in the type that was planned.
// RUN: sed -e '/(%%6)/d' -e '/(%%7) =/,$d' %t.number.pir > %t.own.pir
// RUN: printf '  (%%s) = "pd_op.unique_consecutive" (%%s) {axis:[],dtype:int64,return_counts:false,return_inverse:false} : (tensor<64xf32>) -> tensor<-1xf32>\n  () = "builtin.shadow_output" (%%s) {output_name:"own"} : (tensor<-1xf32>) -> \n}\n' %%7 %%3 %%7 >> %t.own.pir
// RUN: pir-run %t.own.pir --input=c=1xbool=0 --input=x=64xf32=1 --input=y=i64=-5 --print | FileCheck --check-prefix=OWN %s
// RUN: not pir-run %t.own.pir --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 2>&1 | FileCheck --check-prefix=UNIQUE %s
// An array is no output.
// RUN: sed -e '/(%%6) =/d' -e '/(%%7) =/,/"even"/d' -e 's/(%%6)/(%%3)/' %t.array.pir > %t.output.pir
// RUN: not pir-run %t.output.pir --input=c=1xbool=1 --input=x=64xf32=1 --input=y=i64=-5 --print 2>&1 | FileCheck --check-prefix=OUTPUT %s
// ARRAY: error: "pd_op.relu": expects a tensor, found an array of tensors
// NUMBER: error: "pd_op.relu" hands out another type or shape than its program says
// FIRST: error: "pd_op.reshape" hands out another type or shape than its program says
// BARE: "pd_op.relu" (%{{.*}}) {} : (<<NULL TYPE>>) -> <<NULL TYPE>>
// OWN: own: float32[1]
// OWN-NEXT: [1]
// UNIQUE: error: "pd_op.unique_consecutive" hands out another type or shape than its program says
// OUTPUT: error: output 0 "o" is not a tensor
// RUNS: o: float32[64]
// RUNS-NEXT: [1, 1,
// RUNS: reshaped: float32[8,8]
// RUNS-NEXT: {{\[}}[1, 1,
// RUNS: wide: float32[2,64]
// RUNS-NEXT: {{\[}}[1, 1,
// RUNS: viewed: float32[4,16]
// RUNS-NEXT: {{\[}}[1, 1,
// RUNS: even: float32[64]
// RUNS-NEXT: [0.015625, 0.015625,
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
  (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
  (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,8]} : () -> tensor<2xi64>
  (%9) = "pd_op.reshape" (%3,%7) {} : (tensor<64xf32>, tensor<1xi64>) -> tensor<-1xf32>
  (%10) = "pd_op.relu" (%9) {} : (tensor<-1xf32>) -> tensor<-1xf32>
  (%11) = "pd_op.reshape" (%10,%8) {} : (tensor<-1xf32>, tensor<2xi64>) -> tensor<8x8xf32>
  () = "builtin.shadow_output" (%11) {output_name:"reshaped"} : (tensor<8x8xf32>) -> 
  (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,64]} : () -> tensor<2xi64>
  (%13) = "pd_op.expand" (%3,%12) {} : (tensor<64xf32>, tensor<2xi64>) -> tensor<2x64xf32>
  () = "builtin.shadow_output" (%13) {output_name:"wide"} : (tensor<2x64xf32>) -> 
  (%14) = "pd_op.view_shape" (%3) {dims:[4,16]} : (tensor<64xf32>) -> tensor<4x16xf32>
  () = "builtin.shadow_output" (%14) {output_name:"viewed"} : (tensor<4x16xf32>) -> 
  (%15) = "pd_op.softmax" (%3) {axis:-1} : (tensor<64xf32>) -> tensor<64xf32>
  () = "builtin.shadow_output" (%15) {output_name:"even"} : (tensor<64xf32>) -> 
}
