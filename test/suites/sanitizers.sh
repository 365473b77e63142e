# What the sanitizers need, for scripts that source this and name a `build` folder; its name tells which one it has.
sanitizer= limit= soak_options= slower=1
case $build in
  *-asan)
    sanitizer=asan limit=--no-memory-limit slower=2
    export UBSAN_OPTIONS="print_stacktrace=1 ${UBSAN_OPTIONS-}"
    ;;
  *-tsan)
    sanitizer=tsan limit=--no-memory-limit slower=8
    soak_options=--no-fork  # a process with threads may not fork under this one
    # UCX, below MPICH, replaces madvise, which the C library calls when the sanitizer has left a thread.
    export UCX_MEM_EVENTS=n
    export TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/tsan.supp ${TSAN_OPTIONS-}"
    ;;
esac
