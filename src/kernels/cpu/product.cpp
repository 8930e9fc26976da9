// Products with what follows them, and matrices packed for them.

#include "kernels/cpu/matrix_views.h"
#include "kernels/cpu/prepared.h"
#include "kernels/cpu/product_steps.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// The product with `b`, and from argument `first` on (bias, steps, operands, numbers).
void multiply(const KernelCall& call, const ValueImpl& a, int64_t columns, const MatrixView& b,
              bool in_panels, size_t first) {
  ValueImpl& out = call.out();
  std::optional<Prepared> bias;
  if (call.has(first)) bias.emplace(call.in(first), out.dtype);
  const ProductSteps steps(out, call.text(first + 1), call.values(first + 2), call.floats(first + 3));
  MatrixProducts p = product_with_matrix(a, out.dtype);
  p.n = columns;
  p.b = b;
  p.in_panels = in_panels;
  p.c = out.data;
  p.bias = bias ? (*bias)->data : nullptr;
  p.finish = steps.empty() ? nullptr : &steps;
  multiply_matrices(p);
}

/// (input, mat2, bias, steps, operands, numbers) -> product
void run_product(const KernelCall& call) {
  const DType dtype = call.out().dtype;
  const Prepared a(call.in(0), dtype, Prepared::kAnyStrides);
  const Prepared b(call.in(1), dtype, Prepared::kAnyStrides);
  multiply(call, *a, size_from_end(*b, 1), right_view(*b), false, 2);
}

/// (input, panels, columns, bias, steps, operands, numbers) -> product
void run_panel_product(const KernelCall& call) {
  const DType dtype = call.out().dtype;
  const Prepared a(call.in(0), dtype, Prepared::kAnyStrides);
  const Prepared panels(call.in(1), dtype);
  multiply(call, *a, call.integer(2), {panels->data, kPanelColumns, 1}, true, 3);
}

/// (mat2) -> panels
void run_pack_panels(const KernelCall& call) {
  const ValueImpl& matrix = call.in(0);
  if (call.out().size() == 0) return;
  pack_panels(matrix.dtype, right_view(matrix), size_from_end(matrix, 2), size_from_end(matrix, 1),
              call.out().data);
}

DYAD_CPU_KERNEL(product, run_product);
DYAD_CPU_KERNEL(panel_product, run_panel_product);
DYAD_CPU_KERNEL(pack_panels, run_pack_panels);

}  // namespace

}  // namespace dyad::kernels
