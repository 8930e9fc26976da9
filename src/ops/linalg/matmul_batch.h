#pragma once

#include "ops/op.h"

namespace dyad::batch {

void matrix_product(const BatchCall& call, ValueList& results);
/// (input, weight, bias)
void dense_layer(const BatchCall& call, ValueList& results);

}  // namespace dyad::batch
