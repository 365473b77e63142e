# libpir_rt runs compiled models: the part of libpir that needs no IR, no compiler and no other library. libpir_rt_kernels has the
# kernels that few models call; libpir_rt opens it when one of them is called.
RT_obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
S_rt := $(addprefix ir/support/,arena.c heap.c map.c hash.c strbuf.c sized.c watch.c machine_memory.c) ir/files/archive.c ir/text/format.c \
  $(addprefix ir/core/,base.c clause_query.c index_nodes.c opdef.c param.c) $(wildcard ir/dims/*.c) \
  $(wildcard dialects/facts/infer*.c) $(addprefix dialects/facts/,symbolic.c attr_default.c hook_table.c step_def_stored.c) \
  dialects/builtin/infer_builtin.c $(wildcard dialects/pd_op/hooks/infer_*.c) \
  $(wildcard $(patsubst %,runtime/%/*.c,base clause contract device device/* kernels kernels/*)) $(wildcard runtime/exec/run/*.c) \
  $(addprefix runtime/exec/model/,model.c session.c separate.c) $(addprefix runtime/exec/plan/,evaluate.c offsets.c fit.c memory.c) \
  $(addprefix runtime/exec/store/,digest.c stored_def.c stored_plan.c stored_model.c compiled.c weights.c) \
  $(addprefix codegen/object/,image.c image_patch.c saved_code.c) $(wildcard codegen/target/*.c)
RT := $(B)/lib/libpir_rt.so $(B)/lib/libpir_rt.a

$(B)/lib/libpir_rt.a: $(call RT_obj,$(S_rt))
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
$(B)/lib/libpir_rt.so: $(call RT_obj,$(S_rt)) $(B)/gen/libpir.map
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -shared -Wl,-soname,libpir_rt.so.$(SONAME) -Wl,--version-script=$(B)/gen/libpir.map -Wl,-z,relro,-z,now,-z,defs,--gc-sections $(RELR) \
	  -o $@.$(SONAME) $(filter %.o,$^) -lm -lpthread -ldl
	@ln -sf libpir_rt.so.$(SONAME) $@
$(eval $(B)/obj/dialects/facts/step_def_stored.o: dialects/facts/step_def_stored.c | generated)
