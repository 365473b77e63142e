# Checks that take longer than `make test`, which runs a sample of each.

# Allocations and system calls that fail: stand-ins for libc's, and what runs under them.
$(B)/faults/libpir_fail.so: test/faults/memory.c test/faults/calls.c test/faults/fail.h
	@mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O2 -g1 -fPIC -fvisibility=hidden -shared $(WARN) -o $@ $(filter %.c,$^)
$(B)/faults/oom: test/faults/oom.c test/faults/oom_scenarios.c test/faults/oom.h $(B)/faults/libpir_fail.so $(B)/lib/libpir.so
	@$(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $(filter %.c,$^) -L$(B)/faults -Wl,--no-as-needed -lpir_fail -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm

# Models, shapes, sessions and threads, for long.
$(B)/bin/soak: test/soak/soak.c $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $< -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lpthread

soak: setup  ## threads that run, load and release models of several shapes: the same numbers, no growth; SECONDS=N SEED=N
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/soak && $(B)/bin/soak --seconds=$(or $(SECONDS),600) --seed=$(or $(SEED),1) "$$(test/recordings.sh $(B) $(RECORDED))/models"

allocations: setup  ## fail every allocation of 25 scenarios in turn (DENSE=N: the first N, and N of the others), and limit the address space: a status and a message, no leak
	@$(MAKE) -s -j$(JOBS) all $(FAULTS) && python3 test/faults/allocations.py $(DENSE:%=--dense=%) $(B) $$(test/recordings.sh $(B) "$(RECORDED)")/models

syscalls: setup  ## fail every system call of six scenarios in turn: a status, no lost file
	@$(MAKE) -s -j$(JOBS) all $(FAULTS) && python3 test/faults/syscalls.py $(B)

kills: setup  ## kill processes that write at random moments: no damaged file, no lost one, trainings go on to the same bits; KILLS=N SEED=N
	@$(MAKE) -s -j$(JOBS) all && python3 test/faults/kills.py --kills=$(or $(KILLS),1000) --seed=$(or $(SEED),1) $(B)
	@python3 test/faults/trainings.py --kills=$$(( ($(or $(KILLS),1000) + 99) / 100 )) --seed=$(or $(SEED),1) $(B)

sandbox: setup  ## models under a sandbox: their parameter file is read, and nothing else; RECORDED=DIR
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/sandbox $(B)/bin/digits && test/faults/sandbox/sandbox.py $(B) "$$(test/recordings.sh $(B) $(RECORDED))"

schedules: setup  ## recordings and draws under random schedules on 1 to 16 threads: the same bits; SEED=N
	@$(MAKE) -s -j$(JOBS) all $(B)/bin/draws && SCHEDULES=all SEED=$(or $(SEED),1) test/suites/schedules.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))"

refusals: setup  ## every recorded model and network with groups refused at each stage and many places; RECORDED=DIR, SHARE=K/N
	@$(MAKE) -s -j$(JOBS) all && REFUSED=all python3 test/recorded/recorded.py --bin $(B)/bin --only refused --share $(or $(SHARE),0/1) \
	  "$$(test/recordings.sh $(B) $(RECORDED))"

machine-code: setup  ## machine code of every kernel for sm_80, sm_90a, sm_100, sm_120: no spill, products on tensor cores where they can be; MODELS="DIR.." RECORDED=DIR
	@$(MAKE) -s -j$(JOBS) all && for math in strict fast bf16; do python3 test/cuda/machine_code.py --build $(B) --math=$$math \
	  $(or $(MODELS),$$(ls -d "$$(test/recordings.sh $(B) $(RECORDED))"/models/*/ | grep -v /train_)) || exit 1; done

test-view: setup  ## pages of the viewer in headless Chromium; PICTURES=DIR also writes the screenshots of docs/viewer/viewer.md; RECORDED=DIR
	@mk/setup.sh view && $(MAKE) -s -j$(JOBS) all && python3 test/tools/view/view_test.py $(PICTURES:%=--pictures=%) $(B) "$$(test/recordings.sh $(B) $(RECORDED))"

tokens: setup  ## 4,096 tokens: their time grows by reading the cache, memory by the cache, and a loop in the program makes the same
	@$(MAKE) -s -j$(JOBS) all python && $(PYTHON) test/suites/tokens.py $(B)

triton: setup  ## the Triton backend in a real server, with clients over HTTP and gRPC (from PyPI, into BUILD/triton); RECORDED=DIR
	@mk/setup.sh triton && $(MAKE) -s -j$(JOBS) all && test/runtime/triton/serve.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))"

# Each has its own output below $(B)/long.
LONG ?= test-view triton draws gradients attributes guard overlap schedules sandbox meta machine-code wheel allocations syscalls kills refusals soak tokens engine fuzz test-tsan test-asan test-neon
long: setup  ## all long checks, with result and wall time of each; LONG="soak kills" runs some
	@mkdir -p $(B)/long; bad=0; \
	for check in $(LONG); do \
	  start=$$(date +%s); $(MAKE) -s $$check >$(B)/long/$$check.log 2>&1; code=$$?; [ $$code = 0 ] || bad=1; \
	  printf '%-12s %-6s %6d s  %s\n' $$check $$([ $$code = 0 ] && echo passed || echo FAILED) $$(($$(date +%s) - start)) \
	    "$$(grep -E '[0-9]+ passed, [0-9]+ failed' $(B)/long/$$check.log | tail -n 1)"; \
	done; exit $$bad

.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' mk/long.mk)
