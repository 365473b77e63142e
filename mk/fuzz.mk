# Fuzz targets. test/fuzz/run.sh builds them with clang, and FUZZ_MAIN=-fsanitize=fuzzer for the main function of libFuzzer.
# Here they have one that runs the kept inputs, which `make test` does with any compiler.
FUZZ_MAIN ?= test/fuzz/replay.c
FUZZ := $(patsubst test/fuzz/%_fuzz.c,$(B)/fuzz/%,$(wildcard test/fuzz/*_fuzz.c))
FUZZ_SHARED := $(filter %.c,$(FUZZ_MAIN)) test/fuzz/mutate.c test/attributes/values.c
$(FUZZ): $(B)/fuzz/%: test/fuzz/%_fuzz.c $(FUZZ_SHARED) test/fuzz/fuzz.h test/fuzz/mutate.h $(B)/lib/libpir.a
	@$(call say,build fuzz targets); mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(filter -%,$(FUZZ_MAIN)) $(I_test) -o $@ $(filter %.c,$^) $(B)/lib/libpir.a $(LIBS)
fuzz: ; @mk/setup.sh fuzz && test/fuzz/run.sh $(B) $(or $(SECONDS),60)  ## fuzz every reader and the C API; SECONDS=N for each target
.PHONY: fuzz
