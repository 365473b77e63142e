# Fails on programs whose numbers the wrong rule changes: changes_numbers.sh RULES FILE
pir-opt --rules="$1" --verify-numerics "$2" 2>&1 | grep -q "changes numbers" && exit 1
exit 0
