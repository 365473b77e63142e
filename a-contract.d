contract.o: bench/contract/contract.c \
 bench/contract/../../test/codegen/contract/contraction_cases.h \
 bench/contract/../../test/codegen/contract/contraction_shapes.h \
 codegen/object/code.h codegen/object/cache.h \
 codegen/object/llvm_backend.h codegen/loop/loop.h \
 codegen/loop/loop_nodes.h ir/support/arena.h ir/support/heap.h \
 ir/abi/pir/base.h ir/abi/pir/layer/watch.h ir/abi/pir/stop.h \
 ir/abi/pir/compiler/clause.h ir/abi/pir/compiler/clause_nodes.h \
 codegen/include/pir/layer/codegen.h \
 runtime/include/pir/layer/executable.h \
 dialects/include/pir/compiler/infer.h ir/include/pir/compiler/dims.h \
 ir/include/pir/compiler/ir.h ir/include/pir/compiler/attr.h \
 ir/include/pir/compiler/context.h ir/include/pir/diag.h \
 ir/include/pir/limits.h ir/abi/pir/progress.h \
 ir/include/pir/compiler/type.h ir/include/pir/compiler/block.h \
 ir/include/pir/compiler/op.h ir/include/pir/compiler/opdef.h \
 ir/include/pir/compiler/value.h ir/include/pir/compiler/build.h \
 ir/include/pir/compiler/compare.h ir/include/pir/compiler/program.h \
 ir/include/pir/compiler/dialect.h ir/include/pir/compiler/serialize.h \
 ir/include/pir/compiler/text.h ir/include/pir/compiler/verify.h \
 ir/include/pir/compiler/walk.h codegen/object/image.h \
 codegen/object/image_report.h \
 codegen/include/pir/compiler/code_listener.h \
 codegen/include/pir/engine/loaded_code.h codegen/contract/contract.h \
 codegen/loop/loop_verify.h codegen/loop/loop.h \
 codegen/object/llvm_backend.h bench/contract/../../tools/pir-run/peak.h \
 runtime/include/pir/engine/parallel.h
bench/contract/../../test/codegen/contract/contraction_cases.h:
bench/contract/../../test/codegen/contract/contraction_shapes.h:
codegen/object/code.h:
codegen/object/cache.h:
codegen/object/llvm_backend.h:
codegen/loop/loop.h:
codegen/loop/loop_nodes.h:
ir/support/arena.h:
ir/support/heap.h:
ir/abi/pir/base.h:
ir/abi/pir/layer/watch.h:
ir/abi/pir/stop.h:
ir/abi/pir/compiler/clause.h:
ir/abi/pir/compiler/clause_nodes.h:
codegen/include/pir/layer/codegen.h:
runtime/include/pir/layer/executable.h:
dialects/include/pir/compiler/infer.h:
ir/include/pir/compiler/dims.h:
ir/include/pir/compiler/ir.h:
ir/include/pir/compiler/attr.h:
ir/include/pir/compiler/context.h:
ir/include/pir/diag.h:
ir/include/pir/limits.h:
ir/abi/pir/progress.h:
ir/include/pir/compiler/type.h:
ir/include/pir/compiler/block.h:
ir/include/pir/compiler/op.h:
ir/include/pir/compiler/opdef.h:
ir/include/pir/compiler/value.h:
ir/include/pir/compiler/build.h:
ir/include/pir/compiler/compare.h:
ir/include/pir/compiler/program.h:
ir/include/pir/compiler/dialect.h:
ir/include/pir/compiler/serialize.h:
ir/include/pir/compiler/text.h:
ir/include/pir/compiler/verify.h:
ir/include/pir/compiler/walk.h:
codegen/object/image.h:
codegen/object/image_report.h:
codegen/include/pir/compiler/code_listener.h:
codegen/include/pir/engine/loaded_code.h:
codegen/contract/contract.h:
codegen/loop/loop_verify.h:
codegen/loop/loop.h:
codegen/object/llvm_backend.h:
bench/contract/../../tools/pir-run/peak.h:
runtime/include/pir/engine/parallel.h:
