// A number for each feature, of which there are as many as rows in the batch, is no batch: it stays whole, whichever operand it is. Option batch
// names the inputs that have one.
// RUN: rm -rf %t && mkdir -p %t/out && pir-run %s --input=x=4x4xf32=-3..3 --input=f=4xf32=-1..2 --input=m=4x1xf32=0..1 --output-dir=%t/out
// RUN: pir-opt %s --passes='shard{mesh=2,axes=batch,rank=0}' -o %t/0.pir && FileCheck %s --input-file=%t/0.pir
// CHECK-DAG: "pd_op.slice" {{.*}} -> tensor<2x4xf32>
// CHECK-DAG: "pd_op.slice" {{.*}} -> tensor<2x1xf32>
// CHECK-DAG: "pd_op.exp" {{.*}} -> tensor<4xf32>
// CHECK-DAG: "pd_op.all_gather" {{.*}} -> tensor<4x4xf32>
// CHECK-NOT: "pd_op.all_gather"
// RUN: sed 's/(%0, %3)/(%3, %0)/;s/(tensor<4x4xf32>, tensor<4xf32>)/(tensor<4xf32>, tensor<4x4xf32>)/' %s > %t/other.pir
// RUN: for p in %s %t/other.pir; do pir-run --ranks=2 $p --pipeline='shard{mesh=2,axes=batch,rank=%r},compile' --input=x=4x4xf32=-3..3 --input=f=4xf32=-1..2 --input=m=4x1xf32=0..1 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: pir-run --ranks=2 %s --pipeline='shard{mesh=2,axes=batch,batch=x|m,rank=%r},compile' --input=x=4x4xf32=-3..3 --input=f=4xf32=-1..2 --input=m=4x1xf32=0..1 --expect-dir=%t/out | FileCheck %s --check-prefix=TWO
// SAME-COUNT-4: max abs {{[0-9.]+e-0[6-9]|0,}}
// TWO-COUNT-2: max abs {{[0-9.]+e-0[6-9]|0,}}
// Whichever input is declared first: the vector is none of the batch, and a note says so.
// RUN: awk '/%1\) =/{held=$0;next}/%0\) =/{x=$0;next}/%2\) =/{print held;print;print x;next}{print}' %s > %t/order.pir
// RUN: pir-opt %t/order.pir --passes='shard{mesh=2,axes=batch,rank=0}' -o %t/order.0.pir 2>&1 | FileCheck %s --check-prefix=NOTE && FileCheck %s --input-file=%t/order.0.pir
// NOTE: order.pir:[[#]]:5: note: the input has the first extent of the batch, but is needed whole beside it: each rank takes all
// NOTE-NEXT: name:"f"
// NOTE-NOT: note:
// RUN: mkdir %t/order && pir-run %t/order.pir --input=x=4x4xf32=-3..3 --input=f=4xf32=-1..2 --input=m=4x1xf32=0..1 --output-dir=%t/order
// RUN: pir-run --ranks=2 %t/order.pir --pipeline='shard{mesh=2,axes=batch,rank=%r},compile' --input=x=4x4xf32=-3..3 --input=f=4xf32=-1..2 --input=m=4x1xf32=0..1 --expect-dir=%t/order | FileCheck %s --check-prefix=TWO
// With parts a rank has its rows, and all of the features.
// RUN: pir-opt %s --passes='shard{mesh=2,axes=batch,parts=true,rank=0}' -o %t/parts.pir && FileCheck %s --check-prefix=PARTS --input-file=%t/parts.pir
// PARTS-DAG: name:"x",{{.*}} -> tensor<2x4xf32>
// PARTS-DAG: name:"m",{{.*}} -> tensor<2x1xf32>
// PARTS-DAG: name:"f",{{.*}} -> tensor<4xf32>
// Open extents say nothing, so the inputs are named.
// RUN: sed 's/"x",place:Place(undefined:0),shape:.4,4./"x",place:Place(undefined:0),shape:[-1,4]/;s/"m",place:Place(undefined:0),shape:.4,1./"m",place:Place(undefined:0),shape:[-1,1]/;s/tensor<4x4xf32>/tensor<-1x4xf32>/g;s/tensor<4x1xf32>/tensor<-1x1xf32>/g' %s > %t/open.pir
// RUN: not pir-opt %t/open.pir --passes='shard{mesh=2,axes=batch,parts=true,rank=0}' -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: unsupported: a second input of unknown first extent beside the batch; option batch names the inputs that have it
// RUN: pir-opt %t/open.pir --passes='shard{mesh=2,axes=batch,batch=x|m,parts=true,rank=0}' -o %t/o.pir && FileCheck %s --check-prefix=NAMED --input-file=%t/o.pir
// NAMED-NOT: all_gather
// RUN: for n in y 'x|' 'f|x|y'; do not pir-opt %s --passes="shard{mesh=2,axes=batch,batch=$n}" -o %t/o.pir || exit 1; done 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES-COUNT-3: error: option batch of pass shard_pass expects names of inputs that have a dimension, with | between
// RUN: sed 's/shape:.4,1./shape:[1,1]/;s/tensor<4x1xf32>/tensor<1x1xf32>/g' %s > %t/one.pir && not pir-opt %t/one.pir --passes="shard{mesh=2,axes=batch,batch=x|m}" -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: "pd_op.data" its first extent is not that of the first input of option batch
// RUN: for m in 2 2x1,axes=model\|batch; do not pir-opt %S/block.pir --passes="shard{mesh=$m,batch=ids}" -o %t/o.pir || exit 1; done 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED-COUNT-2: error: option batch of pass shard_pass expects a mesh of two ranks or more along axis batch, has 'ids'
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[4,1]} : () -> tensor<4x1xf32>
    (%3) = "pd_op.exp" (%1) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%4) = "pd_op.add" (%0, %3) {} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    (%5) = "pd_op.multiply" (%4, %2) {} : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    () = "builtin.shadow_output" (%5) {output_name:"y"} : (tensor<4x4xf32>) ->
}
