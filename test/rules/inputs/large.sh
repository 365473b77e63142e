#!/usr/bin/env bash
# Prints a file of rules with one rule that is larger than rules may be: large.sh KIND.
each() { # number, text with # for the index
  for i in $(seq "$1"); do printf '%s\n' "${2//\#/$i}"; done
}
items() { each "$1" "$2" | paste -sd, -; }
relu='(%out) = "pd_op.relu" (%x)'
case $1 in
ops) echo "rule r { match { (%v0) = \"pd_op.relu\" (%x) $(each 96 '(%v#) = "pd_op.relu" (%x)') } }" ;;
emitted) echo "rule r { match { $relu } emit { $(each 97 '(%v#) = "pd_op.relu" (%x)') } }" ;;
operands) echo "rule r { match { (%out) = \"builtin.combine\" ($(items 65 '%x#')) } }" ;;
results) echo "rule r { match { ($(items 65 '%x#')) = \"builtin.split\" (%x) } }" ;;
attributes) echo "rule r { match { (%out) = \"pd_op.relu\" (%x) {$(items 65 '_a#:1')} } }" ;;
values) echo "rule r { match { $(each 90 '(%v#) = "pd_op.where" (%a#, %b#, %c#)') } }" ;;
values_of_results) echo "rule r { match { $(each 64 '(%v#) = "pd_op.where" (%a#, %b#, %c#)') (%out) = \"pd_op.relu\" (%a1) } }" ;;
values_of_none) echo "rule r { match { $(each 64 '(%v#) = "pd_op.where" (%a#, %b#, %c#)') } emit { (%v1) = none } }" ;;
values_of_lists) echo "rule r { match { $(each 63 '(%v#) = "pd_op.where" (%a#, %b#, %c#)') (%l) = \"builtin.combine\" (%xs...) (%m) = \"pd_op.relu\" (%a1) (%n) = \"pd_op.relu\" (%a1) } where all([true for %x in %xs]) }" ;;
names) echo "rule r { match { $relu } $(each 161 'where $h# == 1') }" ;;
names_of_attributes) echo "rule r { match { (%out) = \"pd_op.relu\" (%x) {$(items 60 '_a#:$a#')} (%b) = \"pd_op.relu\" (%x) {$(items 60 '_b#:$b#')} (%c) = \"pd_op.relu\" (%x) {$(items 60 '_c#:$c#')} } }" ;;
names_of_comparisons) echo "rule r { match { $relu } $(each 160 'where $h# == 1') let \$n = 1 }" ;;
names_of_loops) echo "rule r { match { $relu } $(each 161 'where all([true for $i# < 1])') }" ;;
errors) each 70 'rule r# { }' ;;
esac
