#include "kernels/cpu/matrix_views.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

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
  MatrixProducts p = product_with_matrix(*a, out.dtype);
  p.n = weight->rank() == 1 ? 1 : sizes(weight->shape)[0];
  p.b = {weight->data, stride_of(*weight, 1), weight->rank() == 1 ? 0 : stride_of(*weight, 2)};
  p.c = out.data;
  p.bias = bias ? (*bias)->data : nullptr;
  multiply_matrices(p);
}

DYAD_CPU_KERNEL(matmul, run_matmul);
DYAD_CPU_KERNEL(dense, run_dense);

}  // namespace

}  // namespace dyad::kernels
