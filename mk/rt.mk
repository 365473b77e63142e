# libpir_rt runs compiled models: the part of libpir that needs no IR, no compiler and no other library. libpir_rt_kernels has the
# kernels that few models call; libpir_rt opens it when one of them is called.
RARE   := attention collective experts graph linalg quantised random rnn sequence sparse strings training
S_rare := runtime/kernels/rare_kernels.c $(wildcard $(RARE:%=runtime/kernels/%/*.c) runtime/comm/*.c)
RT_obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
S_rt := $(addprefix ir/support/,arena.c heap.c map.c hash.c strbuf.c sized.c watch.c machine_memory.c) ir/files/archive.c ir/text/format.c \
  $(addprefix ir/core/,base.c clause_query.c index_nodes.c opdef.c param.c) $(wildcard ir/dims/*.c) \
  $(wildcard dialects/facts/infer*.c) $(addprefix dialects/facts/,symbolic.c attr_default.c hook_table.c) \
  dialects/builtin/infer_builtin.c $(wildcard dialects/pd_op/hooks/infer_*.c) \
  $(filter-out %/rare_linked.c,$(wildcard $(patsubst %,runtime/%/*.c,base clause contract))) $(addprefix runtime/device/,device.c queue.c no_kinds.c) $(wildcard runtime/exec/run/*.c) \
  $(filter-out $(S_rare),$(wildcard runtime/kernels/*.c runtime/kernels/*/*.c)) \
  $(wildcard runtime/exec/generate/*.c) \
  $(addprefix runtime/exec/model/,model.c metadata.c session.c alias.c string_inputs.c device_ports.c shared_arena.c async.c dlpack.c separate.c refit.c) $(addprefix runtime/exec/plan/,plan_values.c offsets.c fit.c memory.c) \
  $(addprefix runtime/exec/store/,digest.c stored_def.c stored_plan.c stored_model.c stored_weights.c compiled.c weights.c step_def_stored.c) \
  $(addprefix codegen/object/,image.c image_patch.c image_report.c saved_code.c) $(addprefix codegen/target/,machine.c target.c)
RT := $(foreach l,libpir_rt libpir_rt_kernels,$(B)/lib/$(l).so $(B)/lib/$(l).a)

# Opening a model reads each byte of its description and of its code once, plans once, calls what packs once, and asks the processor once; a session looks at each port once a run, and shapes that only the
# run shows are inferred once a call; what a device is given takes its driver microseconds: small code is as fast there.
$(call RT_obj,$(filter runtime/exec/store/stored_% runtime/exec/store/compiled.c runtime/exec/store/weights.c runtime/exec/model/% runtime/exec/generate/% runtime/exec/plan/% dialects/% codegen/object/% codegen/target/% runtime/device/% runtime/exec/run/launch.c runtime/exec/run/graphs.c,$(S_rt))): private CFLAGS += -Os

$(B)/lib/libpir_rt.a: $(call RT_obj,$(S_rt))
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
# It exports what the headers for programs that run models declare, and calls these functions itself without the table that
# a program could change (-Bsymbolic-functions), which takes 40 bytes each.
RT_HEADERS := $(wildcard ir/abi/pir/*.h ir/include/pir/*.h runtime/include/pir/engine/*.h runtime/exec/include/pir/engine/*.h)
$(B)/gen/libpir_rt.map: $(RT_HEADERS)
	@mkdir -p $(@D) && { echo 'PIR_$(SONAME) { global:'; cat $^ | tr '\n' ' ' | grep -oE 'PIR_API [^;(]*\(' | grep -oE 'pir_[a-z0-9_]+\($$' | tr '(' ';' | sort -u; echo 'local: *; };'; } >$@
$(B)/lib/libpir_rt.so: $(call RT_obj,$(S_rt)) $(B)/gen/libpir_rt.map
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -shared -Wl,-soname,libpir_rt.so.$(SONAME) -Wl,-Bsymbolic-functions -Wl,--version-script=$(B)/gen/libpir_rt.map -Wl,-z,relro,-z,now,-z,defs $(RELR) \
	  -o $@.$(SONAME) $(filter %.o,$^) -lm -lpthread -ldl
	@ln -sf libpir_rt.so.$(SONAME) $@
# It has the few functions of libpir_rt that its kernels call, and exports the list of kernels.
$(B)/lib/libpir_rt_kernels.a: $(call RT_obj,$(S_rare))
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
$(B)/lib/libpir_rt_kernels.so: $(call RT_obj,$(S_rare)) $(B)/lib/libpir_rt.a mk/libpir_rt_kernels.map
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -shared -Wl,-soname,libpir_rt_kernels.so.$(SONAME) -Wl,--version-script=mk/libpir_rt_kernels.map -Wl,-z,relro,-z,now,-z,defs $(RELR) \
	  -o $@.$(SONAME) $(filter %.o %.a,$^) -lm -lpthread -ldl
	@ln -sf libpir_rt_kernels.so.$(SONAME) $@
$(foreach f,runtime/exec/store/step_def_stored runtime/device/no_kinds runtime/base/rare_opened,$(eval $(B)/obj/$(f).o: $(f).c | generated))

# Runs recorded cases of compiled models, linked with libpir_rt alone.
$(B)/bin/run_case: test/runtime/compiled/run_case.c runtime/arrays/npy.c $(B)/lib/libpir_rt.so
# Replaces weights there, and compares with a model that was compiled with the new ones.
$(B)/bin/refit_case: test/runtime/compiled/refit_case.c $(B)/lib/libpir_rt.so
$(B)/bin/run_case $(B)/bin/refit_case:
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $(filter %.c,$^) -L$(B)/lib -lpir_rt -Wl,-rpath,'$$ORIGIN/../lib' -lm

# The time to a first result, of compiled models and of programs.
$(B)/bin/first_compiled $(B)/bin/first_program: bench/compiled/first.c $(B)/lib/libpir_rt.so $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_public) $(if $(findstring program,$@),-DFROM_PROGRAM) -o $@ $< -L$(B)/lib -l$(if $(findstring program,$@),pir,pir_rt) -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm
bench-compiled:  ## compiled models: time to the first result, beside the full library; ZOO=DIR of bench/zoo/make_zoo.py
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/first_compiled $(B)/bin/first_program && python3 bench/results.py bench/RESULTS.md compiled \
	  "compiled models: from exec to the first result, one processor" python3 bench/compiled/run.py $(B) $(ZOO) $(MODELS)
