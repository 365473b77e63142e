// Groups whose kind is unknown, and does not fit.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[8]} : () -> tensor<8xf32>
    (%1) = "cinn_op.group" (%0) {kind:"row"} -> tensor<8xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<8xf32>) -> tensor<8xf32>
        () = "cf.yield" (%2) {} : (tensor<8xf32>) -> 
    }
    (%3) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<8xf32>) -> tensor<8xf32>
}
// -----
// And one that has no contraction.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[8]} : () -> tensor<8xf32>
    (%1) = "cinn_op.group" (%0) {kind:"contraction"} -> tensor<8xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<8xf32>) -> tensor<8xf32>
        () = "cf.yield" (%2) {} : (tensor<8xf32>) -> 
    }
    (%3) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<8xf32>) -> tensor<8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.group" (%0) {kind:"elements"} -> tensor<2x3xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.group" (%0) {kind:"elements"} -> tensor<2x3xf32> {
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.group" (%0) {kind:"elements"} -> tensor<2x3xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%2, %2) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.group" (%0) {kind:"elements"} -> tensor<2x3xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (<<NULL VALUE>>) {} : (<<NULL TYPE>>) -> 
    }
}
// -----
// Fusions: the same of their bodies.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.fusion" () -> tensor<2x3xf32> {
        (%2) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.fusion" () -> tensor<2x3xf32> {
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.fusion" () -> tensor<2x3xf32> {
        () = "cf.yield" (%0, %0) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "cinn_op.fusion" () -> tensor<2x3xf32> {
        () = "cf.yield" (<<NULL VALUE>>) {} : (<<NULL TYPE>>) -> 
    }
}
