# libpir. `make help` lists the targets. Generators are built first, then the layers; each layer is
# compiled with the include paths of the layers it may see, so a wrong include does not compile.

SHELL   := /bin/bash
COMMA   := ,
B       ?= build
HOST    ?= $(B)
CC      ?= gcc
OPT     ?= -O2
LLVM    ?= /usr/lib/llvm-19
KISSFFT ?= /usr/include/kissfft
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
BISON   ?= bison
FLEX    ?= flex
CFLAGS  ?= $(OPT) -g1
WARN    := -Wall -Wextra -Werror -Wno-unused-parameter
WARN_C  := $(WARN) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
# No path of the build folder's machine in debug information and messages: equal sources give equal bytes.
PATHS   := -fdebug-prefix-map=$(CURDIR)=. -fmacro-prefix-map=$(CURDIR)=.
BASE    := -std=c11 $(PATHS) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-math-errno -ffp-contract=off -MMD -MP $(WARN_C)
.DEFAULT_GOAL := all
# Jobs run in parallel unless the caller says otherwise.
JOBS    ?= $(shell nproc)
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(JOBS)
endif
VERSION := $(shell sed -nE 's/^\#define PIR_VERSION_(MAJOR|MINOR|PATCH) //p' ir/abi/pir/base.h | paste -sd.)
SONAME  := $(shell sed -n 's/^\#define PIR_SONAME "\(.*\)"/\1/p' ir/abi/pir/base.h)

# ---- layers, and the rooms of each in the order of the pipeline: what each may include
rooms = $(patsubst %,-I%,$(patsubst %/,%,$(sort $(dir $(wildcard $(1:%=%/*.h))))))
I_abi      := -Iir/abi
I_support  := $(I_abi) -Iir/include -Iir/support -Iir/files
I_ir       := $(I_support) $(call rooms,ir/*) -I$(B)/gen/ir
I_runtime  := $(I_abi) -Iruntime/include $(call rooms,runtime/arrays runtime/base runtime/clause runtime/comm runtime/comm/* runtime/mpi runtime/contract runtime/device runtime/device/* runtime/fft runtime/kernels runtime/kernels/*)
I_dialects := $(I_support) -Idialects/include -Idialects $(call rooms,dialects/facts dialects/ops dialects/spmd dialects/load dialects/params dialects/legacy/*) -I$(B)/gen/include -I$(B)/gen/dialects
I_passes   := $(I_dialects) -Iruntime/include -Ipasses/include -Ipasses $(call rooms,passes/* passes/rules/*)
I_late     := $(I_support) -Idialects/include -I$(B)/gen/include -Iruntime/include -Ipasses/include -Icodegen/include
I_codegen  := $(I_late) $(call rooms,codegen/*) -I$(B)/gen/codegen
I_exec     := $(I_late) -Iruntime/exec/include $(call rooms,runtime/exec/*)
I_public   := $(I_abi) -Iir/include -Idialects/include -I$(B)/gen/include -Iruntime/include -Ipasses/include -Icodegen/include -Iruntime/exec/include
I_engine   := $(I_abi) -Iir/include -Iruntime/include -Iruntime/exec/include
I_tools    := $(I_public) -Itools
I_opsc     := $(I_support) -Idialects/include -Idialects/ops -I$(B)/gen/opsc

# ---- sources
S_ir       := $(wildcard ir/*/*.c)
S_runtime  := $(filter-out %/no_kinds.c %/rare_opened.c,$(wildcard $(patsubst %,runtime/%/*.c,arrays base clause comm comm/* contract device device/* kernels kernels/*)))
S_dialects := $(wildcard dialects/*.c dialects/*/*.c dialects/*/*/*.c)
S_passes   := $(wildcard passes/*/*.c passes/*/*/*.c)
S_llvm     := $(wildcard codegen/llvm/*.c)
S_codegen  := $(filter-out $(S_llvm),$(wildcard codegen/*/*.c))
S_exec     := $(filter-out %/step_def_stored.c,$(wildcard runtime/exec/*/*.c))
S_triton   := $(wildcard runtime/triton/*.c)
S_opsc     := $(wildcard dialects/ops/*.c tools/opsc/*.c)
S_drrc     := $(wildcard tools/drrc/*.c)
OPS        := $(wildcard dialects/*/*.ops dialects/*/*/*.ops)
DRR        := $(wildcard passes/drr/*/*.drr)
DIALECTS   := $(sort $(foreach d,$(wildcard dialects/*/*.ops),$(if $(filter $(notdir $(patsubst %/,%,$(dir $(d)))),$(basename $(notdir $(d)))),$(basename $(notdir $(d))))))
TOOLS      := $(notdir $(patsubst %/main.c,%,$(wildcard tools/pir-*/main.c)))
S_tools    := $(wildcard tools/*.c)
TOOL_OBJ   := $(S_tools:%.c=$(B)/obj/%.o)
S_mains    := $(wildcard tools/pir-*/*.c tools/pir-*/*/*.c)
include mk/generated.mk
include mk/rt.mk
include mk/view.mk

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ  := $(call obj,$(S_ir) $(S_runtime) $(S_dialects) $(S_passes) $(S_codegen) $(S_exec)) $(GEN_OBJ)
LIBS     := -ljansson -lprotobuf-c -lxxhash -lffi -ldl -lm -lpthread

# Tables of pointers: packed relocations are 40 KB, plain ones 1.6 MB. Asked of the linker, which may be old.
RELR     := $(shell $(CC) -shared -x c /dev/null -o /dev/null -Wl,--fatal-warnings,-z,pack-relative-relocs 2>/dev/null && echo -Wl,-z,pack-relative-relocs)

# gcc vectorises with a check at run time only when asked; clang always does.
VECTOR   := $(shell $(CC) -fvect-cost-model=dynamic -x c -c /dev/null -o /dev/null 2>/dev/null && echo -fvect-cost-model=dynamic)

# Vectorised by hand; gcc 12 for aarch64 ends by a fault of its own when it does more.
$(B)/obj/runtime/kernels/attention/one_query.o: private VECTOR := -fno-tree-vectorize

SERVER   := $(B)/lib/pir-compile-server
# MPICH's constants are pointers to 1, which gcc takes for memory without size.
# A module for each MPI whose compiler Debian's packages install: mpicc.openmpi, mpicc.mpich.
MPIS     := $(if $(findstring aarch64,$(CC)),,$(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m)),$(m))))
MODULES  := $(MPIS:%=$(B)/lib/libpir_mpi_%.so) $(B)/lib/libpir_codegen_llvm.so $(if $(wildcard $(KISSFFT)/kissfft.hh),$(B)/lib/libpir_fft.so)
# The backend of Triton Inference Server; the folder above is what its --backend-directory takes.
TRITON   := $(B)/lib/triton/pir/libtriton_pir.so
all: $(B)/lib/libpir.so $(B)/lib/libpir.a $(RT) $(MODULES) $(TRITON) $(SERVER) $(TOOLS:%=$(B)/bin/%)  ## build libraries and tools

$(B)/obj/ir/%.o:           ; $(compile) $(I_ir)
$(B)/obj/dialects/ops/%.o: ; $(compile) $(I_opsc)
$(B)/obj/dialects/%.o:     ; $(compile) $(I_dialects)
$(B)/obj/runtime/exec/%.o: ; $(compile) $(I_exec)
$(B)/obj/runtime/triton/%.o: ; $(compile) $(I_engine) -Iruntime/triton
$(B)/obj/runtime/%.o:      ; $(compile) $(I_runtime) $(VECTOR)
$(B)/obj/passes/%.o:       ; $(compile) $(I_passes)
$(B)/obj/codegen/llvm/%.o: ; $(compile) $(I_codegen) -I$(LLVM)/include
$(B)/obj/codegen/%.o:      ; $(compile) $(I_codegen)
$(B)/obj/tools/opsc/%.o:   ; $(compile) $(I_opsc)
$(B)/obj/tools/drrc/%.o:   ; $(compile) $(I_passes)
$(B)/obj/tools/%.o:        ; $(compile) $(I_tools)
compile = @$(call say,compile $(firstword $(subst /, ,$(patsubst $(B)/obj/%,%,$@)))); mkdir -p $(@D) && \
  $(CC) $(BASE) $(CFLAGS) -c $(patsubst $(B)/obj/%.o,%.c,$@) -o $@
# Prints a line the first time that a stage has something to do.
$(shell rm -rf $(B)/stages)
say = { mkdir -p $(B)/stages && mkdir '$(B)/stages/$(1)' 2>/dev/null && echo '$(1)'; true; }
$(foreach o,$(LIB_OBJ) $(call obj,$(S_drrc) $(S_llvm)) $(call obj,$(S_mains)) $(TOOL_OBJ),$(eval $(filter-out $(GEN_OBJ) $(call obj,$(S_opsc)),$(o)): | generated))
$(foreach s,$(S_ir) $(S_runtime) $(S_triton) $(S_dialects) $(S_passes) $(S_codegen) $(S_exec) $(S_llvm) $(wildcard tools/opsc/*.c) $(S_drrc) $(S_tools) $(S_mains),$(eval $(B)/obj/$(s:.c=.o): $(s)))

$(B)/lib/libpir.a: $(LIB_OBJ)
	@$(call say,link libraries); mkdir -p $(@D) && rm -f $@ && ar rcsD $@ $^
# Functions of pir/layer are exported under a version of their own.
LAYER_HEADERS := $(wildcard ir/abi/pir/layer/*.h */include/pir/layer/*.h)
$(B)/gen/libpir.map: mk/libpir.map $(LAYER_HEADERS)
	@mkdir -p $(@D) && sed "s/@PRIVATE@/$$(cat $(LAYER_HEADERS) | tr '\n' ' ' | grep -oE 'PIR_API [^;(]*\(' | grep -oE 'pir_[a-z0-9_]+\($$' | tr '(\n' '; ')/" $< >$@
$(B)/lib/libpir.so: $(LIB_OBJ) $(B)/gen/libpir.map
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -shared -Wl,-soname,libpir.so.$(SONAME) -Wl,--version-script=$(B)/gen/libpir.map -Wl,-z,relro,-z,now $(RELR) -o $@.$(SONAME) $(LIB_OBJ) $(LIBS)
	@ln -sf libpir.so.$(SONAME) $@
# The module has the few functions of libpir that it calls: what opens it may be linked with libpir.a, and needs no second libpir.
$(B)/lib/libpir_codegen_llvm.so: $(call obj,$(S_llvm)) $(B)/lib/libpir.a mk/libpir_codegen_llvm.map
	@$(CC) $(CFLAGS) -shared -Wl,-soname,libpir_codegen_llvm.so.$(SONAME) -Wl,--version-script=mk/libpir_codegen_llvm.map -o $@.$(SONAME) $(filter %.o,$^) $(B)/lib/libpir.a -L$(LLVM)/lib -lLLVM-19
	@ln -sf libpir_codegen_llvm.so.$(SONAME) $@
$(SERVER): tools/compile-server/main.c $(B)/lib/libpir.a
	@$(CC) $(BASE) $(CFLAGS) $(I_codegen) -o $@ $^ $(LIBS)
$(B)/lib/libpir_fft.so: runtime/fft/fft.cc runtime/fft/fft.h $(B)/gen/libpir.map
	@mkdir -p $(@D) && $(CXX) -std=c++17 $(PATHS) -fPIC -fvisibility=hidden $(WARN) $(CFLAGS) -I$(KISSFFT)/.. -shared -Wl,-soname,libpir_fft.so.$(SONAME) -Wl,--version-script=$(B)/gen/libpir.map -o $@.$(SONAME) $<
	@ln -sf libpir_fft.so.$(SONAME) $@
$(B)/lib/libpir_mpi_%.so: runtime/mpi/mpi_comm.c $(wildcard runtime/comm/*.h runtime/mpi/*.h runtime/include/pir/comm.h) $(B)/lib/libpir.a runtime/mpi/libpir_mpi.map
	@mkdir -p $(@D) && $(CC) $(BASE) $(if $(findstring clang,$(CC)),,-Wno-stringop-overflow) -MF $(B)/obj/libpir_mpi_$*.d $(CFLAGS) $(I_runtime) $$(mpicc.$* --showme:compile 2>/dev/null || mpicc.$* -compile_info | grep -oE ' -I[^ ]*' | tr '\n' ' ') -shared -Wl,-soname,libpir_mpi_$*.so.$(SONAME) \
	  -Wl,--version-script=runtime/mpi/libpir_mpi.map -o $@.$(SONAME) $< $(B)/lib/libpir.a $$(mpicc.$* --showme:link 2>/dev/null || mpicc.$* -link_info | grep -oE ' -[Ll][^ ]*' | tr '\n' ' ') -lm -lpthread
	@ln -sf libpir_mpi_$*.so.$(SONAME) $@
# The server's process has its functions. libpir is in the same folder, or where the build and the installation put it.
$(TRITON): $(call obj,$(S_triton)) $(B)/lib/libpir.so runtime/triton/libtriton_pir.map
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -shared -Wl,--version-script=runtime/triton/libtriton_pir.map -Wl,-z,relro,-z,now -o $@ $(filter %.o,$^) \
	  -L$(B)/lib -lpir -ljansson -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../..'
$(foreach t,$(TOOLS),$(eval $(B)/bin/$(t): $(call obj,$(filter tools/$(t)/%,$(S_mains)))))
$(B)/bin/%: $(TOOL_OBJ) $(B)/lib/libpir.so
	@$(call say,link tools); mkdir -p $(@D) && $(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm $(GDB_$(notdir $@))
# GDB finds these in a tool that is stripped too.
GDB_pir-run := -Wl,--export-dynamic-symbol=__jit_debug_register_code,--export-dynamic-symbol=__jit_debug_descriptor

# ---- tests: every test/**/*_test.c is a program of its own, linked with the static library
TESTS := $(wildcard test/*/*_test.c test/*/*/*_test.c test/*/*/*/*_test.c)
# A test that moved or went: the dependencies of an earlier build still name it.
test/%_test.c: ;
TEST_BIN := $(foreach t,$(TESTS),$(B)/test/$(basename $(notdir $(t))))
I_test := $(I_exec) $(I_codegen) $(I_passes) $(I_runtime) $(I_ir) -Itools
include mk/fuzz.mk
define test_rule
$(B)/test/$(basename $(notdir $(1))): $(1) $(TOOL_OBJ) $(B)/lib/libpir.a $(B)/lib/libpir_codegen_llvm.so $(SERVER)
	@$(call say,build C tests); mkdir -p $(B)/test && ln -sf ../lib/libpir.so.$(SONAME) $(MODULES:$(B)/%=../%.$(SONAME)) $(SERVER:$(B)/%=../%) $(B)/test/ && $(CC) $(BASE) $$(CFLAGS) $(I_test) -o $$@ $(1) $(TOOL_OBJ) $(B)/lib/libpir.a $(LIBS) -lcmocka
endef
$(foreach t,$(TESTS),$(eval $(call test_rule,$(t))))
FAULTS   := $(B)/faults/libpir_fail.so $(B)/faults/oom
STAND_IN := $(B)/bin/triton_stand_in
CUDA_SHIM := $(B)/cuda/libcuda.so.1 $(B)/cuda/libnvrtc.so.13 $(B)/cuda/libnccl.so.2
tests: all python $(TEST_BIN) $(B)/bin/run_case $(B)/bin/refit_case $(B)/bin/digits $(B)/bin/draws $(B)/bin/attributes $(B)/bin/soak $(B)/bin/sandbox $(STAND_IN) $(CUDA_SHIM) $(FAULTS) $(FUZZ)

# Ops for tests alone.
$(B)/gen/draws/clauses.c: test/draws/tables/clauses.ops $(OPSC)
	@mkdir -p $(@D) && $(OPSC) $< --tables=$@ --hooks=$(@D)/clauses_hooks.h
$(B)/bin/draws: $(wildcard test/draws/*.[ch] test/draws/*/*) $(B)/gen/draws/clauses.c $(TOOL_OBJ) $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_tools) -Idialects -o $@ $(filter %.c %.o,$^) -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm

# Attributes of every kind in every op; the given programs are the first case of every recorded operator.
$(B)/bin/attributes: $(wildcard test/attributes/*.[ch]) test/draws/child.c test/draws/child.h $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $(filter %.c,$^) -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm

# Stand-ins for the CUDA driver and NVRTC, by which generated kernels run on the processor, and for NCCL.
SHIM := $(CXX) -std=c++17 -O1 -g1 -fPIC -shared -U_FORTIFY_SOURCE -Wall -Wextra -Werror
$(B)/cuda/libcuda.so.1: test/cuda/shim/cuda.cc test/cuda/shim/device.h
	@mkdir -p $(@D) && $(SHIM) -o $@ $< -ldl
$(B)/cuda/libnccl.so.2: test/cuda/shim/nccl.cc test/cuda/shim/device.h
	@mkdir -p $(@D) && $(SHIM) -o $@ $< -ldl
$(B)/cuda/libnvrtc.so.13: test/cuda/shim/nvrtc.cc
	@mkdir -p $(@D) && $(SHIM) -DSHIM_SOURCE='"$(abspath test/cuda/shim)"' -DSHIM_CXX='"$(CXX)"' -o $@ $<

# A stand-in for Triton's server, whose functions the backend finds in it.
$(STAND_IN): $(wildcard test/runtime/triton/stand_in/*.[ch]) runtime/triton/triton_api.h
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) -fvisibility=default -rdynamic -Iruntime/triton -o $@ $(filter %.c,$^) -ljansson -ldl -lpthread

# Commands that the kernel watches and confines.
$(B)/bin/sandbox: test/faults/sandbox/sandbox.c test/faults/sandbox/confine.c test/faults/sandbox/sandbox.h
	@mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O1 -g1 $(WARN) -o $@ $(filter %.c,$^)

$(B)/bin/digits: examples/digits/main.c $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $< -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm

setup:
	@mk/setup.sh
demo: setup  ## classify the 64 shipped digit images, from .pdmodel and .json
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/digits && $(B)/bin/digits test/models/digits_cnn
check: tests
	@CC="$(CC)" CFLAGS="$(CFLAGS)" SHARE=$(or $(SHARE),0/1) test/run.sh $(B) $(LLVM) $(RECORDED)
check-quick: setup  ## a sample of text tests and recordings, under a minute; RECORDED=DIR
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/run_case $(B)/bin/refit_case $(B)/bin/digits $(STAND_IN) $(FAULTS)
	@CFLAGS="$(CFLAGS)" test/suites/quick.sh $(B) $(LLVM) $(RECORDED)
test: setup  ## build and run every test; RECORDED=DIR runs the recordings there, SHARE=K/N the K-th of N shares
	@$(MAKE) -s -j$(JOBS) check
test-neon: setup  ## build for aarch64, and run recordings on NEON under emulation
	@mk/setup.sh neon && $(MAKE) -s -j$(JOBS) all && test/suites/neon.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))"
SANITIZED = $(MAKE) -s -j$(JOBS) B=$(1) CFLAGS="-O1 -g1 -fno-omit-frame-pointer $(2)" $(or $(3),check)
ASAN := -fsanitize=address$(COMMA)undefined -fno-sanitize-recover=undefined
test-asan: setup  ## all tests under the address, undefined and leak sanitizers; SHARE=K/N
	@$(call SANITIZED,$(B)-asan,$(ASAN))
test-tsan: setup  ## all tests under the thread sanitizer; SHARE=K/N
	@$(call SANITIZED,$(B)-tsan,-fsanitize=thread)
engine: setup  ## examples/engine under the address, undefined and leak sanitizers, and under valgrind
	@mk/setup.sh engine && $(call SANITIZED,$(B)-asan,$(ASAN),engine-here)
	@$(MAKE) -s -j$(JOBS) engine-here UNDER="valgrind -q --error-exitcode=9 --leak-check=full"
engine-here: all $(CUDA_SHIM) ; @CC="$(CC)" CFLAGS="$(CFLAGS)" UNDER="$(UNDER)" test/api/engine.sh $(B)
test-merge: ; @test/suites/merge.py $(B)/shares  ## the sum of all shares of make test SHARE=K/N
test-asan-merge test-tsan-merge: test-%-merge: ; @test/suites/merge.py $(B)-$*/shares  ## the same of make test-asan and make test-tsan
guard overlap: setup  ## all recordings with tensors between pages that cannot be accessed; with outputs in the memory of inputs
	@$(MAKE) -s -j$(JOBS) all && MEMORY=all test/suites/memory.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))" $@
draws: setup  ## random programs of one op: kernels, compiled code and float64 agree; DRAWS=N SEED=N
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/draws && $(B)/bin/draws --draws=$(or $(DRAWS),20000) --seed=$(or $(SEED),1)
extremes: setup  ## random programs of one op with integers at the ends of their types, beside 128-bit arithmetic; DRAWS=N SEED=N
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/draws && $(B)/bin/draws --extremes --draws=$(or $(DRAWS),10000) --seed=$(or $(SEED),1)
gradients: setup  ## gradients of 20 draws of each op, and of every recorded model, beside differences; DRAWS=N (in all) SEED=N, RECORDED=DIR
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/draws && test/suites/gradients.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))" $(SEED:%=--seed=%) $(DRAWS:%=--draws=%)
attributes: setup  ## values of every kind for each attribute of each op; SHARE=K/N, RECORDED=DIR
	@$(MAKE) -s -j$(JOBS) tests && test/attributes/run.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))" $(or $(SHARE),0/1)
include mk/long.mk
include mk/coverage.mk

# ---- quality
interop: setup  ## real Paddle and OpenVINO run what we write; RECORDED=DIR takes the models there
	@mk/setup.sh interop && $(MAKE) -s -j$(JOBS) all && test/interop/run.sh $(B) $(RECORDED)
nets: setup  ## networks drawn with real Paddle, numbers as there; SEED=N NETS=N (of each kind) KINDS=A,B DRAW=SCRIPT VENV=DIR
	@mk/setup.sh interop && $(MAKE) -s -j$(JOBS) all && test/nets/run.sh $(B) $(or $(SEED),1) $(or $(NETS),100) "$(KINDS)" "$(DRAW)"
meta: setup  ## networks in other orders, parts, targets and numbers of threads (make test: every 9th check)
	@$(MAKE) -s -j$(JOBS) all && test/nets/meta.py --bin $(B)/bin "$$(test/recordings.sh $(B) $(RECORDED))/nets"
lint: ; @mk/setup.sh lint && mk/lint.sh $(B)  ## formatting, function length, layers, headers, exported symbols
abi: all  ## record the binary interface and object code of the examples (docs/reference/compatibility.md); BREAK=1
	@mk/setup.sh lint && python3 mk/abi.py $(B) --record $(if $(BREAK),--break) && test/api/objects/keep.sh $(B)
format:  ## lay out all C files, and the script of the viewer
	@git ls-files '*.c' '*.h' 'tools/view/page/*.js' | xargs clang-format-19 -i
bench: ; @mk/setup.sh bench && $(MAKE) -s -j$(JOBS) all $(B)/bin/contract-bench && bench/run.sh $(B) $(or $(MODELS),all)  ## costs and latency beside MLIR, ONNX Runtime, OpenVINO and Paddle
bench-ops:  ## single ops beside ONNX Runtime and Paddle; PEERS=PYTHON where both are installed; takes 4 GB of disk in $(B)/bench
	@mk/setup.sh bench && $(MAKE) -s -j$(JOBS) all && mkdir -p $(B)/bench && gcc -O2 -pthread -o $(B)/bench/peak bench/peak.c -lm
	@python=$$(bench/peers/python.sh $(B)) && $$python bench/ops/run.py --lib $(B)/lib/libpir.so --work $(B)/bench/ops --peak $(B)/bench/peak \
	  --threads $(or $(THREADS),1) --results bench/RESULTS.md
$(B)/bin/contract-bench: bench/contract/contract.c $(B)/lib/libpir.a $(B)/lib/libpir_codegen_llvm.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_test) -o $@ $< $(B)/lib/libpir.a $(LIBS) -Wl,-rpath,'$$ORIGIN/../lib'
bench-dist: all  ## steps of ranks: measured, beside threads, and predicted for 8 to 1,024; ZOO=DIR of bench/models.py
	@python3 bench/results.py bench/RESULTS.md dist "steps of distributed programs" python3 bench/dist/scale.py $(B) $(ZOO)
bench-contract: $(B)/bin/contract-bench ; @$<  ## what generated contractions reach, beside the multiply-add peak

# ---- installation
# What users see: pir/*.h, and the two sets. pir/layer is shared by layers, the tools and the LLVM library alone.
LAYERS_PIR = ir/abi/pir */include/pir runtime/exec/include/pir
HEADERS = $(wildcard $(LAYERS_PIR:%=%/*.h))
HEADERS_OF = $(wildcard $(LAYERS_PIR:%=%/$(1)/*.h))
include mk/python.mk
# The tools, and where they are taken from.
TOOLBIN = $(B)/bin
install: all  ## install libraries, headers, tools, manual pages, completions, and files for pkg-config and CMake under PREFIX
	@install -d $(DESTDIR)$(LIBDIR)/{pkgconfig,cmake/pir} $(DESTDIR)$(PREFIX)/{bin,include/pir/engine,include/pir/compiler/{dialect,build},share/man/man1,share/bash-completion/completions}
	@install -m755 $(TOOLS:%=$(TOOLBIN)/%) $(DESTDIR)$(PREFIX)/bin
	@install -m755 $(B)/lib/libpir.so.$(SONAME) $(MODULES:%=%.$(SONAME)) $(DESTDIR)$(LIBDIR)
	@install -m755 $(SERVER) $(DESTDIR)$(LIBDIR) && install -Dm755 -t $(DESTDIR)$(LIBDIR)/triton/pir $(TRITON)
	@install -m644 $(B)/lib/libpir.a $(filter %.a,$(RT)) $(DESTDIR)$(LIBDIR)
	@for l in $(basename $(notdir $(filter %.so,$(RT)))); do install -m755 $(B)/lib/$$l.so.$(SONAME) $(DESTDIR)$(LIBDIR) && ln -sf $$l.so.$(SONAME) $(DESTDIR)$(LIBDIR)/$$l.so; done
	@ln -sf libpir.so.$(SONAME) $(DESTDIR)$(LIBDIR)/libpir.so
	@ln -sf libpir_codegen_llvm.so.$(SONAME) $(DESTDIR)$(LIBDIR)/libpir_codegen_llvm.so
	@install -m644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/pir
	@install -m644 $(call HEADERS_OF,engine) runtime/exec/include/pir/engine/engine.hpp $(DESTDIR)$(PREFIX)/include/pir/engine
	@install -m644 $(call HEADERS_OF,compiler) $(DESTDIR)$(PREFIX)/include/pir/compiler
	@install -m644 $(B)/gen/include/pir/compiler/dialect/*.h $(DESTDIR)$(PREFIX)/include/pir/compiler/dialect
	@cd $(B)/gen/include/pir/compiler/build && for d in . $(BUILT); do install -Dm644 -t $(abspath $(DESTDIR)$(PREFIX))/include/pir/compiler/build/$$d $$d/*.h; done
	@for f in pir pir_rt; do sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' mk/$$f.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/$$f.pc; done
	@for f in pirConfig pirConfigVersion; do sed -e 's|@SONAME@|$(SONAME)|g' -e 's|@VERSION@|$(VERSION)|' \
	  -e "s|@INCLUDE@|$$(realpath -m --relative-to=$(LIBDIR)/cmake/pir $(PREFIX)/include)|" mk/$$f.cmake.in >$(DESTDIR)$(LIBDIR)/cmake/pir/$$f.cmake; done
	@for t in $(TOOLS); do \
	  $(B)/bin/$$t --help=bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$t; \
	  $(B)/bin/$$t --help=man | sed -e 's|@VERSION@|$(VERSION)|' -e '/^@OPTIONS@$$/{r /dev/stdin' -e 'd;}' docs/man/$$t.1 \
	    >$(DESTDIR)$(PREFIX)/share/man/man1/$$t.1; \
	done
include mk/package/package.mk
include mk/site/site.mk

clean:  ## remove what was built
	rm -rf $(B)
help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  \1\t/' | expand -t 18

# Targets of plain words are commands, not files.
.PHONY: $(shell sed -nE 's/^([a-z -]+):.*/\1/p' Makefile)
.SECONDARY:
-include $(shell [ -d $(B)/obj ] && find $(B)/obj $(wildcard $(B)/test) -name '*.d')
