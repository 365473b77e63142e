#!/usr/bin/env bash
# Prints a program whose lists have N members, for rules of engine.drr and written.drr.
#   lists.sh pairs|sums|readers N
set -eu
awk -v kind="$1" -v n="$2" '
  function list(op, name,  i, members, types) {
    for (i = 0; i < n; i++) {
      printf "(%%%s%d) = \"pd_op.%s\" (%%x) {} : (tensor<2xf32>) -> tensor<2xf32>\n", name, i, op
      members = members (i ? "," : "") "%" name i
      types = types (i ? "," : "") "tensor<2xf32>"
    }
    printf "(%%%s) = \"builtin.combine\" (%s) {} : (%s) -> vec[%s]\n", name, members, types, types
    printf "(%%%s_sum) = \"pd_op.add_n\" (%%%s) {} : (vec[%s]) -> tensor<2xf32>\n", name, name, types
  }
  BEGIN {
    print "{"
    print "(%x) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>"
    if (kind == "readers") {
      print "(%out) = \"pd_op.sqrt\" (%x) {} : (tensor<2xf32>) -> tensor<2xf32>"
      print "(%e) = \"pd_op.rsqrt\" (%x) {} : (tensor<2xf32>) -> tensor<2xf32>"
      for (i = 0; i < n; i++)
        printf "(%%r%d) = \"pd_op.fetch\" (%%x) {col:%d,name:\"r%d\"} : (tensor<2xf32>) -> tensor<2xf32>\n", i, i, i
    } else {
      list("sin", "a")
      out = "a_sum"
    }
    if (kind == "pairs") {
      list("cos", "b")
      print "(%out) = \"pd_op.subtract\" (%a_sum, %b_sum) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"
      out = "out"
    }
    if (kind == "readers")
      out = "out"
    printf "(%%last) = \"pd_op.fetch\" (%%%s) {col:%d,name:\"y\"} : (tensor<2xf32>) -> tensor<2xf32>\n}\n", out, n
  }'
