# Generated sources: the op tables from .ops, the lexers and grammars, the protobuf reader. Everything
# lands under $(B)/gen; nothing generated is committed.
#   $(B)/gen/ir         lexer and grammar of IR text
#   $(B)/gen/opsc       lexer and grammar of .ops
#   $(B)/gen/dialects   tables, hook prototypes, protobuf code
#   $(B)/gen/include    pir/dialect/*.h, installed
GEN_OBJ :=
generated:
