// The whole IR layer: a program that builds, reads or changes IR includes this one header.
#ifndef PIR_IR_H
#define PIR_IR_H

#include <pir/attr.h>
#include <pir/base.h>
#include <pir/block.h>
#include <pir/build.h>
#include <pir/clause.h>
#include <pir/compare.h>
#include <pir/context.h>
#include <pir/diag.h>
#include <pir/dialect.h>
#include <pir/dims.h>
#include <pir/op.h>
#include <pir/opdef.h>
#include <pir/program.h>
#include <pir/serialize.h>
#include <pir/text.h>
#include <pir/type.h>
#include <pir/value.h>
#include <pir/verify.h>
#include <pir/walk.h>

#endif
