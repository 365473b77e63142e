# Generated sources: the op tables from .ops, the lexers and grammars, the protobuf reader. Everything
# lands under $(B)/gen; nothing generated is committed.
#   $(B)/gen/ir         lexer and grammar of IR text
#   $(B)/gen/opsc       lexer and grammar of .ops
#   $(B)/gen/dialects   tables, hook prototypes, protobuf code
#   $(B)/gen/codegen    the identity of the LLVM library
#   $(B)/gen/include    pir/compiler/dialect/*.h and pir/compiler/build, installed
# opsc and drrc run while building: a build for another processor takes those of the build folder HOST.
GEN_OBJ :=
generated:

# The legacy program format: dialects/legacy/framework.proto by protobuf-c.
FRAMEWORK := $(B)/gen/dialects/framework.pb-c
$(FRAMEWORK).c: dialects/legacy/framework.proto
	@mkdir -p $(@D) && protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)
$(FRAMEWORK).h: $(FRAMEWORK).c ;
$(FRAMEWORK).o: $(FRAMEWORK).c
	@$(CC) $(BASE) $(CFLAGS) -c $< -o $@
GEN_OBJ += $(FRAMEWORK).o
generated: $(FRAMEWORK).h

# ---- .ops: opsc is built first; each dialect becomes tables and a header. The list of numbers is the one file that it
# changes in the source: new ops get rows there.
OPSC     := $(HOST)/bin/opsc
$(B)/gen/opsc/ops.tab.c: dialects/ops/ops.y
	@$(call say,generate readers and tables); mkdir -p $(@D) && $(BISON) -Werror -o $@ --defines=$(B)/gen/opsc/ops.tab.h $<
$(B)/gen/opsc/ops.lex.c: dialects/ops/ops.l $(B)/gen/opsc/ops.tab.c
	@mkdir -p $(@D) && $(FLEX) -o $@ --header-file=$(B)/gen/opsc/ops.lex.h $<
$(B)/gen/opsc/%.o: $(B)/gen/opsc/%.c $(wildcard dialects/ops/*.h)
	@$(CC) $(BASE) -Wno-unused-function -Wno-unused-but-set-variable $(CFLAGS) $(I_opsc) -c $< -o $@
$(patsubst %.c,$(B)/obj/%.o,$(S_opsc)): | $(B)/gen/opsc/ops.lex.c
# opsc is built before the tables of the dialects, and needs none of them.
OPSC_IR  := ir/core/base.c ir/support/arena.c ir/support/heap.c ir/support/strbuf.c ir/support/watch.c ir/text/format.c
OPSC_OBJ := $(patsubst %.c,$(B)/gen/opsc/%.o,$(notdir $(OPSC_IR)))
$(foreach s,$(OPSC_IR),$(eval $(B)/gen/opsc/$(notdir $(s:.c=.o)): $(s)))
$(OPSC_OBJ):
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_ir) -c $< -o $@
OPS_READER := $(B)/gen/opsc/ops.tab.o $(B)/gen/opsc/ops.lex.o
GEN_OBJ += $(OPS_READER)
$(B)/bin/opsc: $(patsubst %.c,$(B)/obj/%.o,$(S_opsc)) $(OPSC_OBJ) $(OPS_READER)
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -o $@ $^

# Dialects whose ops programs build by functions; those of the others are made by passes and readers.
BUILT    := builtin pd_op onednn
define dialect_rules
$(B)/gen/dialects/$(1)_ops.c: $(wildcard dialects/$(1)/*.ops dialects/$(1)/*/*.ops dialects/$(1)/$(1).numbers) $(OPSC)
	@mkdir -p $(B)/gen/dialects $(B)/gen/include/pir/compiler/{dialect,build}
	@$(OPSC) dialects/$(1)/$(1).ops --numbers=dialects/$(1)/$(1).numbers --tables=$(B)/gen/dialects/$(1)_ops.c --header=$(B)/gen/include/pir/compiler/dialect/$(1).h --hooks=$(B)/gen/dialects/$(1)_hooks.h$(if $(filter $(1),$(BUILT)), --build=$(B)/gen/include/pir/compiler/build/$(1))
$(B)/gen/docs/$(1)/README.md: $(wildcard dialects/$(1)/*.ops dialects/$(1)/*/*.ops) $(OPSC)
	@mkdir -p $$(@D) && $(OPSC) dialects/$(1)/$(1).ops --doc=$$(@D)
$(B)/obj/gen/dialects/$(1)_ops.o: $(B)/gen/dialects/$(1)_ops.c
	@mkdir -p $$(@D) && $(CC) $(BASE) $(CFLAGS) $(I_dialects) -c $$< -o $$@
$(B)/gen/include/pir/compiler/dialect/$(1).h: $(B)/gen/dialects/$(1)_ops.c ;
generated: $(B)/gen/include/pir/compiler/dialect/$(1).h
GEN_OBJ += $(B)/obj/gen/dialects/$(1)_ops.o
endef
$(foreach d,$(DIALECTS),$(eval $(call dialect_rules,$(d))))
# What borrows the ops of another dialect.
$(B)/gen/dialects/onednn_ops.c: $(wildcard dialects/pd_op/*.ops dialects/pd_op/*/*.ops)
$(B)/gen/dialects/onednn_kernel_ops.c $(B)/gen/dialects/custom_kernel_ops.c: dialects/kernel/kernel.ops
docs: $(DIALECTS:%=$(B)/gen/docs/%/README.md)  ## docs/reference/operators.md; reference of all operators, a page a family, below $(B)/gen/docs
	@python3 mk/operators.py $(OPSC)
.PHONY: docs

# The scanner of IR text.
$(B)/gen/ir/lex.c: ir/text/lex.l
	@mkdir -p $(@D) && $(FLEX) -o $@ $<
$(B)/gen/ir/lex.o: $(B)/gen/ir/lex.c ir/text/lex_impl.h
	@$(CC) $(BASE) $(CFLAGS) -c $< -o $@ $(I_ir)
GEN_OBJ += $(B)/gen/ir/lex.o

# What the LLVM library is made of: libpir opens only one that was built from the same sources. Keys of compiled code
# have it too, so the functions of libpir that it calls are part of it.
BACKEND_SRC := $(sort $(filter-out codegen/cuda/%,$(wildcard codegen/*/*.[ch])) $(wildcard */include/pir/*.h */include/pir/*/*.h ir/abi/pir/*.h ir/abi/pir/*/*.h ir/support/*.h ir/files/*.h))
$(B)/gen/codegen/backend_sources.h: $(BACKEND_SRC)
	@mkdir -p $(@D) && echo "#define BACKEND_SOURCES \"$$(cat $(BACKEND_SRC) | sha256sum | cut -c1-32)\"" >$@
generated: $(B)/gen/codegen/backend_sources.h

# ---- .drr: drrc has the op tables and the front end of rules; each file becomes tables. Imports are beside the file.
DRRC     := $(HOST)/bin/drrc
DRRC_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(S_ir) $(S_dialects) $(S_drrc) $(wildcard passes/rules/front/*.c) \
  passes/rules/engine/helpers.c passes/rules/engine/load_rules.c)
$(B)/bin/drrc: $(DRRC_OBJ) $(filter-out $(B)/gen/passes/%,$(GEN_OBJ))
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -o $@ $^ $(LIBS)
$(B)/gen/passes/%.c: passes/drr/%.drr $(DRRC) $(filter %.inc.drr,$(DRR))
	@$(call say,compile rules); mkdir -p $(@D) && $(DRRC) $< -I passes/drr -o $@
$(B)/gen/passes/%.o: $(B)/gen/passes/%.c
	@$(CC) $(BASE) $(CFLAGS) $(I_passes) -c $< -o $@
GEN_OBJ += $(patsubst passes/drr/%.drr,$(B)/gen/passes/%.o,$(filter-out %.inc.drr,$(DRR)))
