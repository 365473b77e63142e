# Text tests: `RUN:` lines over the built tools. Parameters: bin (folder of the tools), llvm (of LLVM).
import os
import shutil
import sys
import lit.formats

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded"))
import packed

config.name = "libpir"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".pir", ".loops", ".ops", ".drr", ".test"]
config.excludes = ["bad", "draws", "recorded", "models", "fuzz", "inputs", "samples"]
config.test_source_root = os.path.dirname(__file__)
tools = os.path.abspath(lit_config.params["bin"])
config.test_exec_root = os.path.join(os.path.dirname(tools), "lit")
llvm = lit_config.params["llvm"]
config.environment["PATH"] = os.pathsep.join([tools, os.path.join(llvm, "bin"), os.environ["PATH"]])
for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
    if key in os.environ:
        config.environment[key] = os.environ[key]
config.substitutions.append(("%{bin}", tools))
# Where the archives of small inputs are unpacked: %{packed}/DIR of test/DIR/packed.tar.xz.
config.substitutions.append(("%{packed}", str(packed.unpack_all(os.path.dirname(tools)))))
# The compiler with the flags that the libraries were built with, which programs linked with the static ones need, and those of a sanitizer.
flags = lit_config.params.get("flags", "")
config.environment["CFLAGS"] = flags
config.substitutions.append(("%{cc}", f"cc -std=c11 {flags}"))
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
config.substitutions.append(("%{root}", root))
# Of a program that includes what is installed.
public = ["ir/abi", "ir/include", "dialects/include", "runtime/include", "passes/include", "codegen/include", "runtime/exec/include"]
config.substitutions.append(("%{headers}", " ".join("-I" + os.path.join(root, folder) for folder in public) +
                             " -I" + os.path.join(os.path.dirname(tools), "gen/include")))
if "-O2" in flags and "-fsanitize" not in flags:
    config.available_features.add("optimised")
if os.path.exists(os.path.join(os.path.dirname(tools), "lib", "libpir_codegen_llvm.so")):
    config.available_features.add("llvm")
if shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"):
    config.available_features.add("aarch64")
# With libraries of both packages, those of the cross compiler would find a C library that does not fit them.
libraries = "/" if os.path.exists("/lib/ld-linux-aarch64.so.1") else "/usr/aarch64-linux-gnu"
config.substitutions.append(("%{aarch64}", "qemu-aarch64 -L " + libraries))
if os.path.exists("/usr/include/png.h") and os.path.exists("/usr/include/turbojpeg.h"):
    config.available_features.add("pictures")
if shutil.which("gdb"):
    config.available_features.add("gdb")
if shutil.which("abidw"):
    config.available_features.add("abigail")
