// The arithmetic of index nodes over integers.
#include <pir/index_nodes.h>

int64_t pir_index_apply(int op, int64_t a, int64_t b) {
  switch (op) {
    case PIR_I_ADD: return pir_index_add(a, b);
    case PIR_I_SUB: return pir_index_sub(a, b);
    case PIR_I_MUL: return pir_index_mul(a, b);
    case PIR_I_FLOORDIV: return pir_index_floordiv(a, b);
    case PIR_I_CEILDIV: return pir_index_sub(0, pir_index_floordiv(pir_index_sub(0, a), b));
    case PIR_I_MOD: return pir_index_sub(a, pir_index_mul(pir_index_floordiv(a, b), b));
    case PIR_I_MIN: return a < b ? a : b;
    case PIR_I_MAX: return a > b ? a : b;
    case PIR_I_EQ: return a == b;
    case PIR_I_NE: return a != b;
    case PIR_I_LT: return a < b;
    case PIR_I_LE: return a <= b;
    case PIR_I_AND: return a && b;
    case PIR_I_OR: return a || b;
    default: return 0;
  }
}
