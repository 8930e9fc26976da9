#pragma once

#include "ops/op.h"

/// Batching rules of operators on index tensors, one per dimension with holes.
namespace dyad::batch {

/// (input, indices)
void index_read(const BatchCall& call, ValueList& results);
/// (input, indices, value, reduction)
void index_written(const BatchCall& call, ValueList& results);
/// (value, shape, indices)
void index_embedded(const BatchCall& call, ValueList& results);

}  // namespace dyad::batch
