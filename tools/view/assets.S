// The files that assets.h declares, as they are.
#define ASSET(name, path) \
  .globl name, name##_end; \
  name: .incbin path; \
  name##_end: .byte 0

  .section .rodata
  ASSET(view_style, "style.css")
  ASSET(view_body, "body.html")
  ASSET(view_dagre, "dagre.js")
  ASSET(view_script, "script.js")
  ASSET(view_ops, "ops.txt")
  .section .note.GNU-stack,"",%progbits
