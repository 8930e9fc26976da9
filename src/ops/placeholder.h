#pragma once

#include "ops/op.h"

namespace dyad {

/// A value with a dtype and a shape, perhaps symbolic, and no data. Operators applied to it are inferred, not
/// run: bodies and gradient rules give placeholders in turn.
Value placeholder(DType dtype, Shape shape);
/// The same, for a builder that does more than infer.
Value placeholder(DType dtype, Shape shape, Builder& builder);
/// The builder of placeholders, for operators without a value among their arguments.
Builder& inferring_builder();
/// Infers one operator; its results are placeholders of `builder`, which also carries out its body.
void infer_with(Builder& builder, const Op& op, std::span<const Arg> args, ValueList& results);

}  // namespace dyad
