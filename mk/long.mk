# Checks that take longer than `make test`, which runs a sample of each.

# Allocations and system calls that fail: stand-ins for libc's, and what runs under them.
$(B)/faults/libpir_fail.so: test/faults/memory.c test/faults/calls.c test/faults/fail.h
	@mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O2 -g1 -fPIC -fvisibility=hidden -shared $(WARN) -o $@ $(filter %.c,$^)
$(B)/faults/oom: test/faults/oom.c $(B)/faults/libpir_fail.so $(B)/lib/libpir.so
	@$(CC) $(BASE) $(CFLAGS) $(I_public) -o $@ $< -L$(B)/faults -Wl,--no-as-needed -lpir_fail -L$(B)/lib -lpir -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../lib' -Wl,-rpath-link,$(B)/lib -lm

allocations: setup  ## fail every allocation of fifteen scenarios in turn, and limit the address space: a status, no leak
	@$(MAKE) -s -j$(JOBS) all $(FAULTS) && python3 test/faults/allocations.py $(B) $$(test/recordings.sh $(B) "$(RECORDED)")/models

syscalls: setup  ## fail every system call of six scenarios in turn: a status, no lost file
	@$(MAKE) -s -j$(JOBS) all $(FAULTS) && python3 test/faults/syscalls.py $(B)

kills: setup  ## kill processes that write at random moments: no damaged file, no lost one; KILLS=N SEED=N
	@$(MAKE) -s -j$(JOBS) all && python3 test/faults/kills.py --kills=$(or $(KILLS),1000) --seed=$(or $(SEED),1) $(B)

refusals: setup  ## every recorded model and network with groups refused at each stage and many places; RECORDED=DIR, SHARE=K/N
	@$(MAKE) -s -j$(JOBS) all && REFUSED=all python3 test/recorded/recorded.py --bin $(B)/bin --only refused --share $(or $(SHARE),0/1) \
	  "$$(test/recordings.sh $(B) $(RECORDED))"

.PHONY: syscalls kills refusals
