#include "ops/index/index_batch.h"

#include "ops/batch.h"
#include "ops/call.h"
#include "ops/placeholder.h"
#include "types/index_layout.h"

namespace dyad::batch {

namespace {

DYAD_USE(arange, permute, reshape);

/// How the slices of a tensor are read at once: the indices for all of them, and where the dimensions of what
/// they choose stand.
struct Plan {
  IndexLayout slice;
  ValueList indices;
  Dims order;  ///< a permutation from what is chosen at once to (slices, what is chosen in one); empty for
               ///< none
};

IndexLayout slice_layout(const BatchCall& call, const Shape& input, size_t at) {
  ValueList indices;
  for (const Value& index : call.values(at)) {
    if (!index) {
      indices.emplace_back();
      continue;
    }
    const size_t skipped = call.mapped(at) ? 1 : 0;
    indices.push_back(placeholder(index->dtype, Shape(index->shape.begin() + skipped, index->shape.end())));
  }
  return index_layout(call.op(), input, indices);
}

int64_t count_of(const Ints& dimensions) { return static_cast<int64_t>(dimensions.size()); }

Plan plan(const BatchCall& call, const Shape& input, size_t at) {
  Plan plan{slice_layout(call, input, at), {}, {}};
  const int64_t rank = static_cast<int64_t>(plan.slice.index_shape.size());
  const int64_t before = count_of(plan.slice.before);
  const int64_t after = count_of(plan.slice.after);
  if (!call.mapped(at)) {
    plan.indices.emplace_back();
    for (const Value& index : call.values(at)) plan.indices.push_back(index);
    const bool neighbours =
        plan.slice.indexed.empty() ||
        plan.slice.indexed.back() - plan.slice.indexed.front() + 1 == count_of(plan.slice.indexed);
    if (neighbours) return plan;
    plan.order.push_back(rank);  // the index shape comes first of all
    for (int64_t d = 0; d < rank; ++d) plan.order.push_back(d);
    for (int64_t d = 0; d < before + after; ++d) plan.order.push_back(rank + 1 + d);
    return plan;
  }
  Shape column{call.count()};
  for (int64_t d = 0; d < rank; ++d) column.push_back(1);
  plan.indices.push_back(reshape(arange(call.builder(), 0, call.count().value(), 1, DType::kInt64), column));
  for (const Value& index : call.values(at)) plan.indices.push_back(index ? padded(index, rank) : Value());
  if (before == 0) return plan;
  plan.order.push_back(0);  // the slices and the index shape come first
  for (int64_t d = 0; d < before; ++d) plan.order.push_back(1 + rank + d);
  for (int64_t d = 0; d < rank; ++d) plan.order.push_back(1 + d);
  for (int64_t d = 0; d < after; ++d) plan.order.push_back(1 + rank + before + d);
  return plan;
}

Dims inverse(const Dims& order) {
  Dims result(order.size(), Dim(0));
  for (size_t i = 0; i < order.size(); ++i)
    result[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
  return result;
}

/// A value for the places of every slice, as the plan writes it.
Arg arranged(const BatchCall& call, size_t at, const Plan& plan) {
  if (!call.is_value(at)) return call[at];
  const Value value = padded(whole(call, at), static_cast<int64_t>(plan.slice.result.size()));
  return plan.order.empty() ? Arg(value) : Arg(permute(value, inverse(plan.order)));
}

}  // namespace

void index_read(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, slice_shape(call, 0), 1);
  const Arg args[] = {whole(call, 0), found.indices};
  ValueList read;
  apply(call, args, read);
  results.push_back(found.order.empty() ? read[0] : permute(read[0], found.order));
}

void index_written(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, slice_shape(call, 0), 1);
  const Arg args[] = {whole(call, 0), found.indices, arranged(call, 2, found), call[3]};
  apply(call, args, results);
}

void index_embedded(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, call.dims(1), 2);
  const Arg args[] = {arranged(call, 0, found), with_count(call, call.dims(1)), found.indices};
  apply(call, args, results);
}

}  // namespace dyad::batch
