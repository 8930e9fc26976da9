#pragma once

#include "autograd/autograd_meta.h"

namespace dyad::autograd {

/// Refuses a recorded write where it has no meaning: to a leaf, to a view of one, through a view that was
/// made while recording was off. `operation` opens the message.
void require_rewritable(std::string_view operation, const TensorImpl& target);
/// `target` has been overwritten by a step whose result is `edge` (empty for a constant): it and every view
/// of its memory follow.
void rewrite(TensorImpl& target, Edge edge);

}  // namespace dyad::autograd
