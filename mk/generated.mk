# Generated sources: the op tables from .ops, the lexers and grammars, the protobuf reader. Everything
# lands under $(B)/gen; nothing generated is committed.
#   $(B)/gen/ir         lexer and grammar of IR text
#   $(B)/gen/opsc       lexer and grammar of .ops
#   $(B)/gen/dialects   tables, hook prototypes, protobuf code
#   $(B)/gen/include    pir/dialect/*.h, installed
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
