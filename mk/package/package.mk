# ---- releases: the source archive, Debian packages, and that equal sources give equal bytes
# The time of files in archives and packages is that of the commit.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)

dist:  ## the source archive of the current commit: BUILD/libpir-VERSION.tar.xz
	@mkdir -p $(B) && git archive --prefix=libpir-$(VERSION)/ HEAD | xz -T1 -6 >$(B)/libpir-$(VERSION).tar.xz && echo $(B)/libpir-$(VERSION).tar.xz

# The tools again, without the path by which those of the build folder find libpir.
$(foreach t,$(TOOLS),$(eval $(B)/deb/bin/$(t): $(call obj,$(filter tools/$(t)/%,$(S_mains)))))
$(B)/deb/bin/%: $(TOOL_OBJ) $(VIEW) $(B)/lib/libpir.so
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -L$(B)/lib -lpir -Wl,-rpath-link,$(B)/lib -lm $(GDB_$*)
deb: all python $(TOOLS:%=$(B)/deb/bin/%)  ## Debian packages in BUILD/deb: libpir1, libpir-dev, libpir-tools, python3-libpir
	@mk/setup.sh deb && mk/package/deb.sh $(B) $(VERSION) $(SONAME)
repro:  ## build twice, in two folders: libraries, tools and packages have the same bytes
	@mk/setup.sh deb && mk/package/repro.sh $(B)
.PHONY: dist deb repro
