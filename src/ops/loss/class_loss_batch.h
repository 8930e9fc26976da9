#pragma once

#include "ops/op.h"

namespace dyad::batch {

void class_loss(const BatchCall& call, ValueList& results);
void distribution_loss(const BatchCall& call, ValueList& results);

}  // namespace dyad::batch
