#pragma once

#include <span>

#include "autograd/autograd_meta.h"

namespace dyad::autograd {

/// Refuses a recorded write where it has no meaning: to a leaf, to a view of one, through a view that was
/// made while recording was off. `operation` opens the message.
void require_rewritable(std::string_view operation, const TensorImpl& target);
/// Outside transforms a constant that is written to a leaf of `backward()`, or to a view of one, replaces its
/// values: the leaf stays one, and no step is recorded. Whether `target` and the arguments are such a write.
bool updates_leaf(const TensorImpl& target, std::span<const Arg> args);
/// `target` has been overwritten by a step whose result is `edge` (empty for a constant): it and every view
/// of its memory follow.
void rewrite(TensorImpl& target, Edge edge);

}  // namespace dyad::autograd
