// Files that a page is made of, put into the program when it is built (assets.S).
#ifndef PIR_TOOLS_VIEW_ASSETS_H
#define PIR_TOOLS_VIEW_ASSETS_H

#include <pir/base.h>

// Begin and end of each file.
extern const char view_style[], view_style_end[];
extern const char view_body[], view_body_end[];
extern const char view_dagre[], view_dagre_end[];
extern const char view_script[], view_script_end[];
// All .ops files; a line "@ NAME" stands before the files of a dialect.
extern const char view_ops[], view_ops_end[];

#define VIEW_ASSET(name) ((pir_str){name, (size_t)(name##_end - name)})

#endif
