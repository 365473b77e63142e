// Pictures as inputs and outputs: PNG and JPEG, scaled to the input, with mean and standard deviation of channels.

// REQUIRES: pictures
// RUN: python3 %S/../inputs/make_png.py %t.png 30 20 3 && python3 %S/../inputs/make_png.py %t.grey.png 30 20 1
// RUN: pir-run %s --input=x=@%t.png --output=@%t.out.npy --output=o=@%t.out.png
// RUN: python3 %S/../inputs/check_picture.py %t.out.npy 30 20 0,0,0 1,1,1
// RUN: python3 %S/../inputs/check_picture.py %t.out.png 30 20
// RUN: pir-run %s --input=x=@%t.png --mean=0.1,-0.2,0.3 --std 0.5,0.25,2 --output=@%t.out.npy
// RUN: python3 %S/../inputs/check_picture.py %t.out.npy 30 20 0.1,-0.2,0.3 0.5,0.25,2
// RUN: pir-run %s --input=x=@- --output=@%t.out.npy --mean=0.5 --std=0.5 < %t.png
// RUN: python3 %S/../inputs/check_picture.py %t.out.npy 30 20 0.5,0.5,0.5 0.5,0.5,0.5

// Channels last, bytes, and a picture of another size.
// RUN: sed 's/shape:\[-1,3,-1,-1\]/shape:[-1,-1,3]/; s/-1x3x-1x-1xf32/-1x-1x3xf32/g' %s > %t.hwc.pir
// RUN: pir-run %t.hwc.pir --input=x=@%t.png --output=@%t.out.png && python3 %S/../inputs/check_picture.py %t.out.png 30 20
// RUN: sed 's/shape:\[-1,3,-1,-1\]/shape:[1,3,10,15]/; s/-1x3x-1x-1xf32/1x3x10x15xf32/g' %s > %t.small.pir
// RUN: pir-run %t.small.pir --input=x=@%t.png --output=@%t.out.npy 2>&1 | FileCheck --check-prefix=SCALED %s
// RUN: python3 %S/../inputs/check_picture.py %t.out.npy 15 10 half
// SCALED: pir-run: note: {{.*}}.png: 30 x 20 pixels, scaled to 15 x 10
// RUN: sed 's/shape:\[-1,3,-1,-1\]/shape:[-1,1,-1,-1]/; s/-1x3x-1x-1xf32/-1x1x-1x-1xf32/g' %s > %t.grey.pir
// RUN: pir-run %t.grey.pir --input=x=@%t.grey.png --output=@%t.out.png
// RUN: pir-run %t.grey.pir --input=x=@%t.out.png --output=@%t.again.png && cmp %t.out.png %t.again.png

// RUN: pir-run %s --input=x=@%S/../inputs/grey.jpg --top=1 | FileCheck --check-prefix=JPEG %s
// JPEG: float32[1,3,8,8]
// JPEG-COUNT-24: 0: 0.501961

// Messages.
// RUN: not pir-run %s --input=x=@%t.png --mean=1,2 2>&1 | FileCheck --check-prefix=MEAN %s
// MEAN: pir-run: error: --mean: the input has 3 channels
// RUN: not pir-run %s --input=x=@%t.png --std=1,x,2 2>&1 | FileCheck --check-prefix=STD %s
// STD: pir-run: error: --std: expected numbers with commas between them, got '1,x,2'
// RUN: not pir-run %s --input=x=@%t.png --std=0 2>&1 | FileCheck --check-prefix=ZERO %s
// ZERO: pir-run: error: --std: expected numbers
// RUN: head -c 60 %t.png > %t.cut && not pir-run %s --input=x=@%t.cut 2>&1 | FileCheck --check-prefix=CUT %s
// CUT: cut: no valid PNG file:
// RUN: sed 's/shape:\[-1,3,-1,-1\]/shape:[-1,-1]/; s/-1x3x-1x-1xf32/-1x-1xi64/g; s/float32/int64/' %s > %t.ints.pir
// RUN: not pir-run %t.ints.pir --input=x=@%t.png 2>&1 | FileCheck --check-prefix=INTS %s
// INTS: input "x" takes no picture
// RUN: not pir-run %s --input=x=2x3x4x5xf32 --output=@%t.no.png 2>&1 | FileCheck --check-prefix=BATCH %s
// BATCH: output "o" is no picture ({{.*}}no.png): one sample

{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,-1,-1]} : () -> builtin.tensor<-1x3x-1x-1xf32>
  (%1) = "pd_op.assign" (%0) {} : (builtin.tensor<-1x3x-1x-1xf32>) -> builtin.tensor<-1x3x-1x-1xf32>
  () = "builtin.shadow_output" (%1) {output_name:"o"} : (builtin.tensor<-1x3x-1x-1xf32>) -> 
}
