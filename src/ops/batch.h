#pragma once

#include "ops/op.h"

/// Batching rules shared by families of operators, and what rules are written with.
namespace dyad::batch {

/// Number of dimensions that one slice of an argument has.
int64_t slice_rank(const BatchCall& call, size_t argument);
/// The shape of one slice of an argument.
Shape slice_shape(const BatchCall& call, size_t argument);
/// What the operator infers for one slice.
std::vector<ResultSpec> slice_results(const BatchCall& call);
/// `shape` with the axis of the slices in front.
Shape with_count(const BatchCall& call, const Shape& shape);

/// An argument with the axis of the slices, repeated along it if it is not mapped.
Value whole(const BatchCall& call, size_t argument);
/// A value that has `rank` dimensions besides the axis of the slices, new ones of size 1 coming first.
Value padded(const Value& whole, int64_t rank);
/// All arguments, the tensors among them as `whole` gives them.
std::vector<Arg> wholes(const BatchCall& call);
/// The operator itself on these arguments.
void apply(const BatchCall& call, std::span<const Arg> args, ValueList& results);

/// Runs a composition on values that show one slice each; its results are those of the call.
void compose(const BatchCall& call, BodyRule body, ValueList& results);

/// The operator on one slice after the other; what is done where there is no rule.
void slice_by_slice(const BatchCall& call, ValueList& results);

/// Elements meet by broadcasting: as `elementwise`.
void aligned(const BatchCall& call, ValueList& results);
/// The operator looks at the last dimensions only, or at none: those in front may be any.
void leading(const BatchCall& call, ValueList& results);
/// Draws numbers of a shape, the first argument.
void drawn(const BatchCall& call, ValueList& results);

void along_argument(const BatchCall& call, size_t axis, ValueList& results);
/// The operator works along one or several axes, the argument `Axis`; None stands for all.
template <size_t Axis>
void along(const BatchCall& call, ValueList& results) {
  along_argument(call, Axis, results);
}

void folded_into(const BatchCall& call, ArgumentMask tensors, ValueList& results);
/// The first dimension of these arguments and of the results counts examples that do not know of each other;
/// the slices are more of them.
template <size_t... Tensors>
void folded(const BatchCall& call, ValueList& results) {
  folded_into(call, (ArgumentMask{0} | ... | (ArgumentMask{1} << Tensors)), results);
}

}  // namespace dyad::batch
