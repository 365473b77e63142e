// Kinds of PNG and JPEG files: the numbers of a pixel are its bytes, whatever its depth and the file's gamma.

// REQUIRES: pictures
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png rgb8 && pir-run %s --input=x=@%t.png --print | FileCheck %s
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png rgb16 && pir-run %s --input=x=@%t.png --print | FileCheck %s
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png grey16 && pir-run %s --input=x=@%t.png --print | FileCheck %s
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png gamma && pir-run %s --input=x=@%t.png --print | FileCheck %s
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png interlaced && pir-run %s --input=x=@%t.png --print | FileCheck %s
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png palette && pir-run %s --input=x=@%t.png --print | FileCheck %s
// CHECK: 0.062745
// CHECK-SAME: 0.25098
// CHECK-NEXT: 0.50196
// CHECK-SAME: 0.75294

// RUN: python3 %S/../inputs/make_odd_picture.py %t.cmyk.jpg cmyk
// RUN: pir-run %s --input=x=@%t.cmyk.jpg 2> %t.err; test $? -eq 3
// RUN: FileCheck --check-prefix=CMYK %s < %t.err
// CMYK: error: unsupported: {{.*}}cmyk.jpg: a JPEG file in CMYK
// RUN: python3 %S/../inputs/make_odd_picture.py %t.short.jpg short
// RUN: pir-run %s --input=x=@%t.short.jpg 2> %t.err; test $? -eq 1
// RUN: FileCheck --check-prefix=SHORT %s < %t.err
// SHORT: error: {{.*}}short.jpg: no valid JPEG file

// The format of an output is its file's ending.
// RUN: python3 %S/../inputs/make_odd_picture.py %t.png rgb8 && pir-run %s --input=x=@%t.png --output=@%t.1.PNG --output=o=@%t.2.png
// RUN: cmp %t.1.PNG %t.2.png
// RUN: rm -f %t.no.JPG; pir-run %s --input=x=@%t.png --output=o=@%t.no.JPG 2> %t.err; test $? -eq 2
// RUN: test ! -e %t.no.JPG && FileCheck --check-prefix=JPG %s < %t.err
// JPG: error: --output=o=@{{.*}}no.JPG: outputs are written as .npy or .png
// RUN: pir-run %s --input=x=@%t.png --output=@%t.no.npz 2> %t.err; test $? -eq 2

// --mean and --std are for images.
// RUN: pir-run %s --input=x=1x3x2x2xf32 --mean=0.5 2> %t.err; test $? -eq 2
// RUN: FileCheck --check-prefix=UNUSED %s < %t.err
// UNUSED: error: --mean: no input is given an image
// RUN: pir-run %s --benchmark=0.01 --std=0.5 2> %t.err; test $? -eq 2
// RUN: pir-run %s --input=x=1x3x2x2xf32 --std=no 2> %t.err; test $? -eq 2
// RUN: FileCheck --check-prefix=NUMBERS %s < %t.err
// NUMBERS: error: --std: expected numbers with commas between them, got 'no'

// All memory that a picture takes is counted before any is allocated: 4 GiB of pixels, as much for a channel
// of floats, and 12 GiB of the input.
// RUN: python3 %S/../inputs/make_odd_picture.py %t.large.png large
// RUN: pir-run %s --max-memory=8589934592 --input=x=@%t.large.png 2> %t.err; test $? -eq 5
// RUN: FileCheck --check-prefix=LARGE %s < %t.err
// LARGE: error: {{.*}}large.png: 32768 x 32768 pixels need 21474836480 bytes as an input, more than there are
// RUN: %if optimised %{ (ulimit -v 4000000; pir-run %s --input=x=@%t.large.png) 2> %t.err; test $? -eq 5 %}
// RUN: FileCheck --check-prefix=LARGE %s < %t.err

// An open first axis is the samples': grey pictures where the sides are stated. Else it is not known which axes hold a
// picture.
// RUN: sed 's/-1,3,-1,-1/-1,2,2/; s/-1x3x-1x-1/-1x2x2/g' %s > %t.nhw.pir
// RUN: pir-run %t.nhw.pir --input=x=@%t.png --print | FileCheck --check-prefix=NHW %s
// NHW: o: float32[1,2,2]
// NHW-NEXT: 0.062745{{.*}} 0.25098
// RUN: sed 's/-1,3,-1,-1/-1,784/; s/-1x3x-1x-1/-1x784/g' %s > %t.flat.pir
// RUN: pir-run %t.flat.pir --input=x=@%t.png 2> %t.err; test $? -eq 1
// RUN: FileCheck --check-prefix=UNCLEAR %s < %t.err
// RUN: sed 's/-1,3,-1,-1/-1,-1,-1/; s/-1x3x-1x-1/-1x-1x-1/g' %s > %t.open.pir
// RUN: pir-run %t.open.pir --input=x=@%t.png 2> %t.err; test $? -eq 1
// RUN: FileCheck --check-prefix=UNCLEAR %s < %t.err
// RUN: sed 's/-1,3,-1,-1/-1,1,784/; s/-1x3x-1x-1/-1x1x784/g' %s > %t.row.pir
// RUN: pir-run %t.row.pir --input=x=@%t.png 2> %t.err; test $? -eq 1
// RUN: FileCheck --check-prefix=UNCLEAR %s < %t.err
// UNCLEAR: error: input "x" takes no picture ({{.*}}.png): which of its axes hold one is not known
// RUN: sed 's/-1,3,-1,-1/3,-1,2/; s/-1x3x-1x-1/3x-1x2/g' %s > %t.chw.pir
// RUN: pir-run %t.chw.pir --input=x=@%t.png --print | FileCheck --check-prefix=CHW %s
// CHW: o: float32[3,2,2]

{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,-1,-1]} : () -> builtin.tensor<-1x3x-1x-1xf32>
  (%1) = "pd_op.assign" (%0) {} : (builtin.tensor<-1x3x-1x-1xf32>) -> builtin.tensor<-1x3x-1x-1xf32>
  () = "builtin.shadow_output" (%1) {output_name:"o"} : (builtin.tensor<-1x3x-1x-1xf32>) -> 
}
