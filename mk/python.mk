# ---- the Python package: its sources, the declarations of the headers, and the libraries
PYTHON  ?= /usr/bin/python3
PY      := $(B)/python/libpir
python: all $(PY)/_declarations.py  ## build the Python package in BUILD/python; needs cffi
	@cp python/libpir/*.py python/libpir/py.typed $(PY)/
	@mkdir -p $(PY)/lib && cp -u $(B)/lib/libpir.so.$(SONAME) $(MODULES:%=%.$(SONAME)) $(SERVER) $(PY)/lib/
$(PY)/_declarations.py: python/declarations.py $(HEADERS) $(call HEADERS_OF,engine) $(call HEADERS_OF,compiler)
	@mkdir -p $(PY) && $(PYTHON) $< $@ $(CC) $(I_public) >/dev/null

wheel: setup  ## build a wheel, install it in an empty environment, and run its tests there; RECORDED=DIR
	@mk/setup.sh wheel && rm -rf $(B)/wheel && $(PYTHON) -m venv $(B)/wheel/venv
	@$(B)/wheel/venv/bin/pip wheel -q --no-deps -w $(B)/wheel ./python && $(B)/wheel/venv/bin/pip install -q $(B)/wheel/*.whl pytest opencv-python-headless
	@test/api/python/run.sh $(B) "$$(test/recordings.sh $(B) $(RECORDED))" $(B)/wheel/venv/bin/python

.PHONY: python wheel
