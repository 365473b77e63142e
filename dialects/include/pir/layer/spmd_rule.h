// How an operator's tensors may be split over a mesh of processes, as `.ops` declares it
// (docs/reference/ops.md, "Placement"): constant tables that opsc makes. pir/compiler/spmd.h
// answers questions by them. The notation is Einstein's summation with letters for dims, as
// GSPMD and Paddle's SPMD rules use it.
#ifndef PIR_SPMD_RULE_H
#define PIR_SPMD_RULE_H

#include <pir/compiler/opdef.h>

PIR_BEGIN

struct pir_spmd;  // pir/compiler/spmd.h

// A reference to a list or number of the op: attribute number k is k, operand number k is
// -1 - k.
typedef int16_t pir_spmd_ref;
// No reference.
#define PIR_SPMD_NONE INT16_MAX

// What happens if one mesh dim would split several letters.
typedef enum pir_spmd_clash {
  PIR_SPMD_FIRST,   // the first letter, in the order of the terms, keeps it
  PIR_SPMD_REFUSE,  // an error
  // One that all operands and results share keeps it, else the longest one of the results.
  // And a letter that two operands split differently is split by both.
  PIR_SPMD_UNITE,
  // Members of a list agree, or take the letter that costs least to split, by mesh dim.
  PIR_SPMD_ALIGN
} pir_spmd_clash;

// Properties of an operand's term, one bit each.
typedef enum pir_spmd_flag {
  // How it lies says nothing of the others; it is to lie as they do.
  PIR_SPMD_FOLLOWS = 1,
  // It is added to a sum over letters that no result has, and so is partial as the results are.
  PIR_SPMD_SUMMAND = 2
} pir_spmd_flag;

// The dims of one operand or result.
typedef struct pir_spmd_term {
  // In order: a small letter is a dim, followed by '?' if tensors of lower rank lack it; a
  // capital letter is a run of dims; '1' is a dim that is never split.
  const char *axes;
  // Number of the operand or result.
  uint8_t place;
  // The last two dims are the other way round if this is true.
  pir_spmd_ref swap;
  // pir_spmd_flag bits.
  uint8_t flags;
} pir_spmd_term;

// The rule of an operator.
typedef struct pir_spmd_rule {
  // Operands, then results. Others lie whole on every process. NULL if `function` is the rule.
  const pir_spmd_term *terms;
  // Lengths of the two parts of `terms`.
  uint8_t operand_terms, result_terms;
  // A pir_spmd_clash.
  uint8_t clash;
  // The reduction that a letter leaves which no result has: Paddle's code (0 sum, 1 max, 2 min,
  // 3 product, 4 average, 5 any, 6 all).
  uint8_t leaves;
  // Letters that are never split.
  const char *whole;
  // Letters that are whole too, but take part when mesh dims are given to letters.
  const char *late_whole;
  // Letters that are never split in programs as Paddle builds them, though the op could.
  const char *static_whole;
  // Dims of the first term that are never split.
  pir_spmd_ref whole_axes;
  // A dim is never split if its extent in result number `same` is another than in an operand;
  // -1: extents are not compared.
  int8_t same;
  // The letter, or run, that stands at position `at` of its tensor; 0: none.
  char at_letter;
  // The list or number that holds the position.
  pir_spmd_ref at;
  // Dims of the first term that results lack, or have as extent 1 if `keep` is true; all if
  // the list is empty, or `flat` is true or an empty list.
  pir_spmd_ref over, keep, flat;
  // Dims of the first term that results lack; none if the list is empty.
  pir_spmd_ref drop;
  // The results have the dims of the first term in this order.
  pir_spmd_ref order;
  // Whether the partial state of operand 0 is kept, and is the state of the results.
  bool keeps_partial;
  // A rule that letters cannot say; else NULL.
  pir_status (*function)(struct pir_spmd *spmd);
} pir_spmd_rule;

// The rule of an op. The twin in place has a row of its own.
typedef struct pir_spmd_row {
  // Of the op.
  uint32_t id;
  // Its rule.
  const pir_spmd_rule *rule;
} pir_spmd_row;

// The rules of a dialect, by ascending id.
typedef struct pir_spmd_table {
  // The rows, `count` of them.
  const pir_spmd_row *rows;
  size_t count;
} pir_spmd_table;

// Returns the rule of an op; NULL: every process has its tensors whole. O(log rules).
PIR_API const pir_spmd_rule *pir_spmd_rule_of(const pir_opdef *def);

PIR_END
#endif
