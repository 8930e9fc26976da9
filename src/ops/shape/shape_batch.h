#pragma once

#include "ops/op.h"

/// Batching rules of operators that move elements about.
namespace dyad::batch {

/// reshape, broadcast_to: the shape of the result is inferred for one slice.
void reshaped(const BatchCall& call, ValueList& results);
void broadcast(const BatchCall& call, ValueList& results);
void permuted(const BatchCall& call, ValueList& results);
/// Starts, stops and steps from argument 1 on.
void sliced(const BatchCall& call, ValueList& results);
/// A shape at argument 1 and starts, stops and steps after it.
void slice_embedded(const BatchCall& call, ValueList& results);
void padded_margins(const BatchCall& call, ValueList& results);
void strided(const BatchCall& call, ValueList& results);
/// dim1 and dim2 from argument 2 on.
void diagonal(const BatchCall& call, ValueList& results);
/// A shape at argument 1, dim1 and dim2 from argument 3 on.
void diagonal_embedded(const BatchCall& call, ValueList& results);
/// Joins tensors along a new axis, argument 1.
void stacked(const BatchCall& call, ValueList& results);

}  // namespace dyad::batch
