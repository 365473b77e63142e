{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:P