#include "ops/shape/shape_batch.h"

#include "ops/batch.h"
#include "ops/call.h"

namespace dyad::batch {

namespace {

DYAD_USE(broadcast_to, contiguous, reshape);

/// `dims` with one more in front.
Dims after(Dim first, const Dims& dims) {
  Dims result{first};
  for (Dim dim : dims) result.push_back(dim);
  return result;
}

int64_t shifted(const BatchCall& call, size_t axis, int64_t rank) {
  return normalize_axis(call.op(), call.integer(axis), rank) + 1;
}

void shift_plane(const BatchCall& call, size_t at, int64_t rank, std::vector<Arg>& args) {
  args[at] = shifted(call, at, rank);
  args[at + 1] = shifted(call, at + 1, rank);
}

/// Lets a slice cover the axis of the slices whole.
void slice_all(const BatchCall& call, size_t at, std::vector<Arg>& args) {
  args[at] = after(0, call.dims(at));
  args[at + 1] = after(call.count(), call.dims(at + 1));
  args[at + 2] = after(1, call.dims(at + 2));
}

}  // namespace

void reshaped(const BatchCall& call, ValueList& results) {
  results.push_back(reshape(call.value(0), with_count(call, slice_results(call)[0].shape)));
}

void broadcast(const BatchCall& call, ValueList& results) {
  const Shape shape = slice_results(call)[0].shape;
  const Value aligned = padded(call.value(0), static_cast<int64_t>(shape.size()));
  results.push_back(broadcast_to(aligned, with_count(call, shape)));
}

void permuted(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  Dims order{0};
  for (Dim axis : call.dims(1)) {
    order.push_back(normalize_axis(call.op(), axis.value(), slice_rank(call, 0)) + 1);
  }
  args[1] = order;
  apply(call, args, results);
}

void sliced(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  slice_all(call, 1, args);
  apply(call, args, results);
}

void slice_embedded(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[1] = after(call.count(), call.dims(1));
  slice_all(call, 2, args);
  apply(call, args, results);
}

void padded_margins(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[1] = after(0, call.dims(1));
  args[2] = after(0, call.dims(2));
  apply(call, args, results);
}

void strided(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[0] = contiguous(call.value(0));
  args[1] = after(call.count(), call.dims(1));
  args[2] = after(size_of(slice_shape(call, 0)), call.dims(2));
  apply(call, args, results);
}

void diagonal(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  shift_plane(call, 2, slice_rank(call, 0), args);
  apply(call, args, results);
}

void diagonal_embedded(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[1] = after(call.count(), call.dims(1));
  shift_plane(call, 3, static_cast<int64_t>(call.dims(1).size()), args);
  apply(call, args, results);
}

void stacked(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[1] = shifted(call, 1, call.values(0).front()->rank());
  apply(call, args, results);
}

}  // namespace dyad::batch
