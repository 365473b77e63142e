// The whole IR layer: a program that builds, reads or changes IR includes this one header.
#ifndef PIR_IR_H
#define PIR_IR_H

#include <pir/compiler/attr.h>
#include <pir/base.h>
#include <pir/compiler/block.h>
#include <pir/compiler/build.h>
#include <pir/compiler/clause.h>
#include <pir/compiler/compare.h>
#include <pir/compiler/context.h>
#include <pir/diag.h>
#include <pir/compiler/dialect.h>
#include <pir/compiler/dims.h>
#include <pir/compiler/op.h>
#include <pir/compiler/opdef.h>
#include <pir/compiler/program.h>
#include <pir/compiler/serialize.h>
#include <pir/compiler/text.h>
#include <pir/compiler/type.h>
#include <pir/compiler/value.h>
#include <pir/compiler/verify.h>
#include <pir/compiler/walk.h>

#endif
