#include "ops/linalg/matmul_batch.h"

#include <algorithm>

#include "ops/batch.h"
#include "ops/call.h"

namespace dyad::batch {

namespace {

DYAD_USE(expand_dims, matmul, squeeze, swapaxes);

}  // namespace

void matrix_product(const BatchCall& call, ValueList& results) {
  const int64_t left = slice_rank(call, 0);
  const int64_t right = slice_rank(call, 1);
  // One matrix behind all slices: their rows stand below one another.
  if (!call.mapped(1) && right <= 2) return results.push_back(matmul(call.value(0), call.value(1)));
  Value a = left == 1 ? expand_dims(call.value(0), Dims{-2}) : call.value(0);
  Value b = right == 1 ? expand_dims(call.value(1), Dims{-1}) : call.value(1);
  const int64_t rank = std::max({left, right, int64_t{2}});
  if (call.mapped(0)) a = padded(a, rank);
  if (call.mapped(1)) b = padded(b, rank);
  Value product = matmul(a, b);
  if (left == 1) product = squeeze(product, Dims{-2});
  results.push_back(right == 1 ? squeeze(product, Dims{-1}) : product);
}

void dense_layer(const BatchCall& call, ValueList& results) {
  if (!call.mapped(1) && !call.mapped(2)) {
    const Arg args[] = {call[0], call[1], call[2]};
    return apply(call, args, results);
  }
  compose(
      call,
      [](const Call& slice, ValueList& given) {
        const Value& weight = slice.value(1);
        Value product = matmul(slice.value(0), weight->rank() == 2 ? swapaxes(weight, 0, 1) : weight);
        if (slice.has(2)) product = product + slice.value(2);
        given.push_back(std::move(product));
      },
      results);
}

}  // namespace dyad::batch
