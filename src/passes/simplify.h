#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Rewrites operators whose result is known to be, bit for bit, that of less work: a product with 1, the
/// negative of a negative, orders of axes that cancel each other, a reshape of a reshape, a cast back. Signed
/// zeros and NaN count: `x + 0.0` stays, for it turns -0.0 into 0.0. Where a result would be another value
/// the node becomes a `copy` of it, for the two may have to lie apart; `eliminate_copies` knows whether they
/// must.
void simplify(ir::Module& module);

}  // namespace dyad::passes
