// Pages that show programs (docs/viewer/viewer.md): one HTML file with its script, style and
// data. The functions gather data; the page is written at the end, and an exhausted memory is
// reported then.
#ifndef PIR_TOOLS_VIEW_H
#define PIR_TOOLS_VIEW_H

#include <pir/compiler/pass.h>
#include <pir/compiler/program.h>
#include <pir/diag.h>
#include <pir/layer/codegen.h>

typedef struct view view;

// Begins a page with this title, which is copied. The caller destroys it. NULL: no memory.
view *view_create(const char *title);
void view_destroy(view *v);

// Adds the state of a program: the first is the one that was read, each further one follows
// from a pass. `ms` is how long that took, or below 0. The program may change or go afterwards.
// Ops that a pass kept are recognised by their addresses.
void view_add_step(view *v, const pir_program *program, const char *name, double ms);
// Returns the number of steps so far.
size_t view_steps(const view *v);
// Adds a step after every pass, and one before the first.
pir_pass_instrument view_instrument(view *v);
// Adds the code of all groups of the last step, which `program` still is, in a form that is
// text: loop IR or assembly. Does nothing for a program without groups. Fails as
// pir_codegen_write.
pir_status view_add_code(view *v, const pir_program *program, const pir_target *target,
                         pir_math math, pir_code_form form);
// Adds a diagnostic, and the text that it is about.
void view_add_diag(view *v, const pir_diag *diag);
void view_set_source(view *v, pir_str text);
// Adds a member of the page's data, which is JSON.
void view_add_data(view *v, const char *key, pir_str json);

// Writes the page. PIR_EXHAUSTED: memory ran out on the way. PIR_IO: the writer stopped.
pir_status view_write(view *v, pir_writer out);

#endif
