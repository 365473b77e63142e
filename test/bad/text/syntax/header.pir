program {format:"j \x16",trainable:true,version:1}
{
}
