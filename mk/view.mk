# Pages of the viewer: tools/view, an archive that pir-opt, pir-run and pir-translate are linked with. Its assets are
# files that stand in the pages as they are.
VIEW_GEN := $(B)/gen/view
VIEW_JS  := $(addprefix tools/view/page/,$(shell cat tools/view/page/order.txt))
VIEW_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tools/view/*.c)) $(B)/obj/tools/view/assets.o
VIEW     := $(B)/obj/tools/view.a
$(foreach o,$(filter-out %/assets.o,$(VIEW_OBJ)),$(eval $(o): $(patsubst $(B)/obj/%.o,%.c,$(o)) | generated))

$(VIEW_GEN)/script.js: $(VIEW_JS) tools/view/page/order.txt
	@mkdir -p $(@D) && cat $(VIEW_JS) >$@
$(VIEW_GEN)/style.css $(VIEW_GEN)/body.html: $(VIEW_GEN)/%: tools/view/page/%
	@mkdir -p $(@D) && cp $< $@
$(VIEW_GEN)/dagre.js: tools/view/dagre/LICENSE tools/view/dagre/dagre.min.js
	@mkdir -p $(@D) && { echo '/*' && cat $< && echo '*/' && cat tools/view/dagre/dagre.min.js; } >$@
$(VIEW_GEN)/ops.txt: $(OPS)
	@mkdir -p $(@D) && for d in $(DIALECTS); do echo "@ $$d"; find dialects/$$d -name '*.ops' | LC_ALL=C sort | xargs cat; done >$@
$(B)/obj/tools/view/assets.o: tools/view/assets.S $(addprefix $(VIEW_GEN)/,style.css body.html dagre.js script.js ops.txt)
	@mkdir -p $(@D) && $(CC) -I$(VIEW_GEN) -Wa,-I$(VIEW_GEN) -c $< -o $@
$(VIEW): $(VIEW_OBJ)
	@rm -f $@ && ar rcsD $@ $^
$(B)/bin/pir-opt $(B)/bin/pir-run $(B)/bin/pir-translate: $(VIEW)
