// An op that comes from a line of Python says so in the file; read again, it comes from that line, the others from the file.
// RUN: pir-opt %s --emit=pdmodel | grep -a -o 'op_callstack\|File "net.py", line [0-9]*' | FileCheck %s
// CHECK:      op_callstack
// CHECK-NEXT: File "net.py", line 12
// CHECK-NOT:  File
// RUN: pir-opt %s --emit=pdmodel | pir-translate - --to=typed | FileCheck %s --check-prefix=BACK
// BACK-NOT: net.json
// BACK: "pd_op.relu"{{.*}} loc("net.py":12:0)
// BACK: "pd_op.fetch"{{.*}} loc("<stdin>":+0x
{
    (%0) = "pd_op.data" () {dtype:(pd_op.DataType)float32,name:"x",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[2],stop_gradient:[true]} : () -> tensor<2xf32> loc("net.json":1:5)
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32> loc("net.py":12:5)
    (%2) = "pd_op.fetch" (%1) {col:(Int32)0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32> loc("net.json":9:5)
}
