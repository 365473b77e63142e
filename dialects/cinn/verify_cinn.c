// Verifies groups, fusions and scans beyond the tables: their bodies must yield their results,
// the kind that a group states must fit its contents, and the numbers of a scan its operands.
#include <pir/diag.h>
#include <cinn_hooks.h>
#include <pir/compiler/infer.h>
#include <pir/compiler/ir.h>

#include <pir/compiler/dialect/cinn.h>

// The kinds of groups, and the number of contractions in each. codegen/choose compiles them.
static const struct {
  const char *name;
  int contractions;
} kinds[] = {
    {"elements", 0}, {"rows", 0}, {"scan", 0},        {"updates", 0}, {"kernel", 0},
    {"steps", 0},    {"sums", 1}, {"contraction", 1}, {"pair", 2},    {"attention", 2},
};

static int count_contractions(const pir_op *group) {
  const pir_block *body = pir_region_first(pir_op_region(group, 0));
  int count = 0;
  for (const pir_op *op = body ? pir_block_first(body) : NULL; op; op = pir_op_next(op)) {
    const pir_opdef *def = pir_op_meaning(op);
    count += def && def->clause && def->clause->kind == PIR_CLAUSE_CONTRACT;
  }
  return count;
}

// Checks that the region is one block, whose terminator has a value for every result.
static pir_status check_body(const pir_op *op) {
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  const pir_op *yield = body ? pir_block_last(body) : NULL;
  if (!yield || pir_block_next(body) || !pir_op_has(yield, PIR_TERMINATOR))
    return pir_error(op, "expects a body of one block that ends with a terminator");
  size_t count = pir_op_operands(yield);
  if (count != pir_op_results(op))
    return pir_error(op, "has %zu results, but its body yields %zu", pir_op_results(op), count);
  for (size_t i = 0; i < count; i++)
    if (!pir_op_operand(yield, i))
      return pir_error(yield, "operand %zu is absent: a body yields every result", i);
  return PIR_OK;
}

pir_status cinn_verify_group(const pir_op *op) {
  PIR_TRY(check_body(op));
  const pir_attr *kind = pir_op_attr_str(op, "kind");
  if (!kind || pir_attr_kind_of(kind) != PIR_ATTR_STR)
    return PIR_OK;
  pir_str name = pir_attr_as_str(kind);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!pir_str_equal(name, pir_str_from(kinds[i].name)))
      continue;
    int count = count_contractions(op);
    if (count == kinds[i].contractions)
      return PIR_OK;
    return pir_error(op, "attribute kind: a group of kind \"%s\" has %d contractions, found %d",
                     kinds[i].name, kinds[i].contractions, count);
  }
  return pir_error(
      op,
      "attribute kind: expects elements, rows, scan, updates, kernel, steps, sums, "
      "contraction, pair or attention, found \"%.*s\"",
      (int)name.size, name.data);
}

pir_status cinn_verify_fusion(const pir_op *op) {
  return check_body(op);
}

pir_status cinn_verify_scan(const pir_op *op) {
  int64_t sequences = pir_op_int(op, CINN_SCAN_ATTR_SEQUENCES),
          states = pir_op_int(op, CINN_SCAN_ATTR_STATES);
  size_t operands = pir_op_operands(op), results = pir_op_results(op);
  if (sequences < 1)
    return pir_error(op, "attribute sequences: expects at least 1, found %lld",
                     (long long)sequences);
  if (states < 0)
    return pir_error(op, "attribute states: expects at least 0, found %lld", (long long)states);
  if ((uint64_t)sequences + (uint64_t)states != operands)
    return pir_error(op, "has %zu operands, but %lld sequences and %lld states", operands,
                     (long long)sequences, (long long)states);
  for (size_t i = 0; i < operands; i++)
    if (!pir_op_operand(op, i))
      return pir_error(op, "operand %zu is absent", i);
  if ((uint64_t)states > results)
    return pir_error(op, "has %zu results, but %lld states", results, (long long)states);
  PIR_TRY(check_body(op));
  size_t arguments = pir_block_arguments(pir_region_first(pir_op_region(op, 0)));
  if (arguments != operands)
    return pir_error(op, "has %zu operands, but its body has %zu arguments", operands,
                     arguments);
  return PIR_OK;
}
