#include "kernels/cpu/gemm.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

int64_t stride_of(const ValueImpl& value, int64_t from_end) {
  return value.strides[value.strides.size() - static_cast<size_t>(from_end)];
}

/// The leading dimensions of `value` that make up its stack, broadcast to `batch`.
Strides batch_strides(const ValueImpl& value, const Shape& batch) {
  if (value.rank() <= 2) return Strides(batch.size(), 0);
  const Shape leading(value.shape.begin(), value.shape.end() - 2);
  const Strides strides(value.strides.begin(), value.strides.end() - 2);
  return broadcast_strides(leading, strides, batch);
}

/// A stack times one matrix is one tall matrix times it, when the rows of the stack follow one another
/// evenly.
void merge_batch_into_rows(MatrixProducts& p) {
  while (!p.batch.empty() && p.b_batch.back() == 0 &&
         (p.m == 1 || p.a_batch.back() == p.m * p.a.row_stride)) {
    if (p.m == 1) p.a.row_stride = p.a_batch.back();
    p.m *= p.batch.back();
    p.batch.pop_back();
    p.a_batch.pop_back();
    p.b_batch.pop_back();
  }
}

/// The last two dimensions, with the missing one of a vector filled in.
MatrixView left_view(const ValueImpl& a) {
  return a.rank() == 1 ? MatrixView{a.data, 0, a.strides[0]}
                       : MatrixView{a.data, stride_of(a, 2), stride_of(a, 1)};
}
MatrixView right_view(const ValueImpl& b) {
  return b.rank() == 1 ? MatrixView{b.data, b.strides[0], 0}
                       : MatrixView{b.data, stride_of(b, 2), stride_of(b, 1)};
}

int64_t size_from_end(const ValueImpl& value, int64_t from_end) {
  return sizes(value.shape)[value.rank() - from_end];
}

void run_matmul(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Prepared a(call.in(0), out.dtype, Prepared::kAnyStrides);
  const Prepared b(call.in(1), out.dtype, Prepared::kAnyStrides);
  MatrixProducts p{};
  p.dtype = out.dtype;
  p.m = a->rank() == 1 ? 1 : size_from_end(*a, 2);
  p.k = size_from_end(*a, 1);
  p.n = b->rank() == 1 ? 1 : size_from_end(*b, 1);
  p.a = left_view(*a);
  p.b = right_view(*b);
  const size_t trailing = size_t{a->rank() > 1} + size_t{b->rank() > 1};
  const Shape batch(out.shape.begin(), out.shape.end() - trailing);
  p.batch.assign(sizes(batch), sizes(batch) + batch.size());
  p.a_batch = batch_strides(*a, batch);
  p.b_batch = batch_strides(*b, batch);
  p.c = out.data;
  merge_batch_into_rows(p);
  multiply_matrices(p);
}

/// input @ weight.T + bias.
void run_dense(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Prepared a(call.in(0), out.dtype, Prepared::kAnyStrides);
  const Prepared weight(call.in(1), out.dtype, Prepared::kAnyStrides);
  std::optional<Prepared> bias;
  if (call.has(2)) bias.emplace(call.in(2), out.dtype);
  MatrixProducts p{};
  p.dtype = out.dtype;
  p.k = size_from_end(*a, 1);
  p.n = weight->rank() == 1 ? 1 : sizes(weight->shape)[0];
  p.m = a->rank() == 1 ? 1 : size_from_end(*a, 2);
  p.a = left_view(*a);
  p.b = {weight->data, stride_of(*weight, 1), weight->rank() == 1 ? 0 : stride_of(*weight, 2)};
  if (a->rank() > 2) {
    const Shape batch(a->shape.begin(), a->shape.end() - 2);
    p.batch.assign(sizes(batch), sizes(batch) + batch.size());
    p.a_batch = batch_strides(*a, batch);
    p.b_batch = Strides(batch.size(), 0);
    merge_batch_into_rows(p);
  }
  p.c = out.data;
  p.bias = bias ? (*bias)->data : nullptr;
  multiply_matrices(p);
}

DYAD_CPU_KERNEL(matmul, run_matmul);
DYAD_CPU_KERNEL(dense, run_dense);

}  // namespace

}  // namespace dyad::kernels
