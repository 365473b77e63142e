# Shares of the tests, for scripts that source this. SHARE=K/N in the environment: the K-th of N shares, K from 0; 0/1 without.
export SHARE=${SHARE:-0/1}
turn=0
is_mine() { # whether this share runs the test whose turn it is
  local this=$((turn % ${SHARE#*/}))
  turn=$((turn + 1))
  [ "$this" -eq "${SHARE%/*}" ]
}
share_of() { # A/M: this share of the A-th of every M tests, as K/N
  echo "$((${1%/*} + ${1#*/} * ${SHARE%/*}))/$((${1#*/} * ${SHARE#*/}))"
}
# The commit that is tested. Sources that differ from it have the suffix `-changed`: other shares may have others.
commit_of_sources() { git -C "$(dirname "${BASH_SOURCE[0]}")" describe --always --abbrev=40 --exclude='*' --dirty=-changed 2>/dev/null || echo unknown; }
