# Branch coverage of the compiler by its tests: `make coverage` builds with gcc --coverage in a folder of its own, runs the text tests,
# the C tests, bad inputs and a share of the recordings there, and prints the coverage. It fails under the limits, and if a test failed.
# A branch counts once, in the function that has it, wherever that function is inlined.
COVERAGE_BUILD  := $(B)/coverage
# K/N: of every N recordings the K-th; each run adds to the counts of the last one when COVERAGE_KEEP is set.
COVERAGE_SHARE  ?= 0/12
COVERAGE_LIMITS := codegen=90 passes=92 runtime/exec=90
# Branches that do not count: PIR_TRY, and allocations that fail. The text is the line before, a line break and `>`, the line, the line after.
COVERAGE_EXCLUDE := \n>.*PIR_TRY\(|\n>.*\n *return PIR_EXHAUSTED|(alloc|mem_get|arena_create|LLVM\w*Create\w*)\(.*\n>.*if \(!
# Lines that state why an op, a group or a place was decided as it was.
COVERAGE_POINTS  := lower_fail\(|pir_remark\(|^ *(else )?return ".*";|\bwhy = "|text_format\(.*how
# Files that hold costs, tile choices and grouping.
COVERAGE_DECISIONS := codegen/choose/*,codegen/group/*,codegen/contract/*_choice.c,codegen/target/machine.c

ifdef COVERAGE
INSTRUMENTED := codegen passes runtime/exec
$(INSTRUMENTED:%=$(B)/obj/%/%.o): private CFLAGS += --coverage -fprofile-update=atomic -fno-early-inlining
$(B)/lib/lib%.so $(B)/bin/% $(B)/test/% $(FUZZ): private CFLAGS += --coverage
$(SERVER) $(B)/faults/oom $(B)/bin/draws $(B)/bin/attributes: private CFLAGS += --coverage -DPIR_INSTRUMENTED
endif

coverage: setup  ## branch coverage by the tests; COVERAGE_SHARE=K/N of the recordings, RECORDED=DIR, COVERAGE_KEEP=1 adds to the last counts
	@$(MAKE) -s -j$(JOBS) B=$(COVERAGE_BUILD) OPT=-O1 COVERAGE=1 tests
	@test/suites/coverage.sh $(COVERAGE_BUILD) $(LLVM) $(COVERAGE_SHARE) "$(COVERAGE_KEEP)" "$$(test/recordings.sh $(B) $(RECORDED))"; \
	tests=$$?; python3 mk/coverage.py --build $(COVERAGE_BUILD) --exclude '$(COVERAGE_EXCLUDE)' --points '$(COVERAGE_POINTS)' \
	  --decisions '$(COVERAGE_DECISIONS)' $(if $(COVERAGE_LIST),--list) $(COVERAGE_LIMITS) && exit $$tests
.PHONY: coverage
