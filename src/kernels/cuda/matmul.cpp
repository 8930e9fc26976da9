#include <optional>

#include "kernels/cuda/operand.h"
#include "kernels/cuda/products.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

/// The leading dimensions of `value` that make up its stack, broadcast to `batch`.
Strides batch_strides(const ValueImpl& value, const Shape& batch) {
  if (value.rank() <= 2) return Strides(batch.size(), 0);
  const Shape leading(value.shape.begin(), value.shape.end() - 2);
  const Strides strides(value.strides.begin(), value.strides.end() - 2);
  return broadcast_strides(leading, strides, batch);
}

MatrixProducts products_into(const ValueImpl& out, int64_t m, int64_t n, int64_t k) {
  MatrixProducts p{};
  p.device = out.device;
  p.dtype = out.dtype;
  p.m = m;
  p.n = n;
  p.k = k;
  p.c = out.data;
  p.c_stride = n;
  return p;
}

void set_stack(MatrixProducts& p, const Shape& batch) {
  p.batch.assign(sizes(batch), sizes(batch) + batch.size());
  p.c_batch = contiguous_strides(batch);
  for (int64_t& stride : p.c_batch) stride *= p.m * p.n;
}

void run_matmul(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Operand a(call.value(0), out.dtype, Operand::kAnyStrides);
  const Operand b(call.value(1), out.dtype, Operand::kAnyStrides);
  MatrixProducts p = products_into(out, a->rank() == 1 ? 1 : size_from_end(*a, 2),
                                   b->rank() == 1 ? 1 : size_from_end(*b, 1), size_from_end(*a, 1));
  p.a = left_view(*a);
  p.b = right_view(*b);
  const size_t trailing = size_t{a->rank() > 1} + size_t{b->rank() > 1};
  const Shape batch(out.shape.begin(), out.shape.end() - trailing);
  set_stack(p, batch);
  p.a_batch = batch_strides(*a, batch);
  p.b_batch = batch_strides(*b, batch);
  multiply_matrices(p);
}

/// input @ weight.T + bias.
void run_dense(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Operand a(call.value(0), out.dtype, Operand::kAnyStrides);
  const Operand weight(call.value(1), out.dtype, Operand::kAnyStrides);
  std::optional<Operand> bias;
  if (call.has(2)) bias.emplace(call.value(2), out.dtype);
  MatrixProducts p = products_into(out, a->rank() == 1 ? 1 : size_from_end(*a, 2),
                                   weight->rank() == 1 ? 1 : size_from_end(*weight, 2), size_from_end(*a, 1));
  p.a = left_view(*a);
  p.b = {weight->data, stride_of(*weight, 1), weight->rank() == 1 ? 0 : stride_of(*weight, 2)};
  p.bias = bias ? (*bias)->data : nullptr;
  const Shape batch(a->shape.begin(), a->rank() > 2 ? a->shape.end() - 2 : a->shape.begin());
  set_stack(p, batch);
  p.a_batch = batch_strides(*a, batch);
  p.b_batch = Strides(batch.size(), 0);
  multiply_matrices(p);
}

DYAD_CUDA_KERNEL(matmul, run_matmul);
DYAD_CUDA_KERNEL(dense, run_dense);

}  // namespace

}  // namespace dyad::cuda
