#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// `matmul(softmax(matmul(query, key) * scale + mask, -1), value)` becomes `attention`, whose kernel never
/// has all the scores at once; scale and mask may be missing. Only where there is no other user of the scores
/// or weights, as a gradient does. Results differ by the rounding of the scale.
void match_attention(ir::Module& module);

}  // namespace dyad::passes
