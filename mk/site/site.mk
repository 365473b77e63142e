# The site: docs/ and the pages that mk/site writes from tables, headers and declarations, by Sphinx and Doxygen, without a network.
SITE     := $(B)/site
C_PATHS  := ir/abi $(wildcard */include) runtime/exec/include
site:  ## the documentation as a site: BUILD/site/html/index.html
	@mk/setup.sh site && $(MAKE) -s -j$(JOBS) all site-here
# Installs nothing.
site-here: $(SITE)/html/index.html
# A build that fails leaves no html, but html.new: the next one starts over, as pages that were read are not warned of again.
SITE_SRC := CHANGELOG.md SECURITY.md bench/RESULTS.md $(shell find docs python mk/site -type f -not -name "*.pyc")
$(SITE)/xml/index.xml: $(HEADERS) $(call HEADERS_OF,engine) $(call HEADERS_OF,compiler) runtime/exec/include/pir/engine/engine.hpp mk/site/Doxyfile mk/site/comments.py
	@$(call say,read headers by Doxygen); mkdir -p $(@D) && { cat mk/site/Doxyfile; echo 'INPUT = $(filter %.h %.hpp,$^)'; echo 'OUTPUT_DIRECTORY = $(SITE)'; \
	  echo 'INPUT_FILTER = "/usr/bin/python3 mk/site/comments.py"'; echo 'STRIP_FROM_PATH = $(C_PATHS)'; } >$(SITE)/Doxyfile && doxygen $(SITE)/Doxyfile
$(SITE)/html/index.html: $(SITE)/xml/index.xml $(SITE_SRC) $(OPS) $(TOOLS:%=$(B)/bin/%) $(DIALECTS:%=$(B)/gen/docs/%/README.md) test/recorded/deviations.tsv \
  mk/operators.py $(shell find test/recorded/archives -name '*.tar.xz') test/dialects/inputs/inventory.tsv.xz
	@$(call say,write pages of the site); PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 mk/site/pages.py $(B) $(SITE)/source
	@$(call say,build the site by Sphinx); rm -rf $(SITE)/html $$([ ! -d $(SITE)/html.new ] || echo $(SITE)/html.new $(SITE)/doctrees); PYTHONDONTWRITEBYTECODE=1 PIR_VERSION=$(VERSION) PIR_XML=$(abspath $(SITE)/xml) /usr/bin/python3 -m sphinx -q -W --keep-going -j $(JOBS) -c docs -d $(SITE)/doctrees $(SITE)/source $(SITE)/html.new
	@mv $(SITE)/html.new $(SITE)/html
tutorial:  ## do the tutorial from a clone of this repository on, and print the time of each command
	@rm -rf $(SITE)/tutorial && mkdir -p $(SITE)/tutorial && /usr/bin/python3 test/docs/blocks.py --whole "$(CURDIR)" --keep $(abspath $(SITE))/tutorial --times $(SITE)/times.tsv docs/tutorial/*.md; \
	  status=$$?; awk -F'\t' '{printf "%7.1f s  %-9s %s\n", $$1, $$2, $$3; s += $$1} END {printf "%7.1f s  in all\n", s}' $(SITE)/times.tsv; [ $$status != 0 ] || rm -rf $(SITE)/tutorial; exit $$status
.PHONY: site site-here tutorial
