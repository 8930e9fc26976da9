// Products with what follows them, and matrices packed for them. The steps run one after another, each by
// the kernel of its operator.

#include <algorithm>
#include <optional>
#include <string_view>

#include "kernels/cuda/operand.h"
#include "kernels/cuda/products.h"
#include "kernels/scalar/table.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

constexpr int64_t kPanel = 64;  ///< columns of a packed panel

bool takes_two(std::string_view step) {
  const kernels::Definition* definition = kernels::find_definition(step);
  return definition && definition->operands == 2;
}

/// `input` as one matrix of all its rows, times something of `columns` columns; b is still to be set.
MatrixProducts product_of(const ValueImpl& input, ValueImpl& out, int64_t columns) {
  MatrixProducts p{};
  p.device = out.device;
  p.dtype = out.dtype;
  p.k = size_from_end(input, 1);
  p.m = p.k > 0 ? input.size() / p.k : out.size() / std::max<int64_t>(columns, 1);
  p.n = columns;
  p.a = {input.data, p.k, 1};
  p.c = out.data;
  p.c_stride = columns;
  return p;
}

/// One elementwise operator on the product, in place.
void run_step(std::string_view name, const ValueImpl& out, const Arg* second) {
  const Value product(new DeviceWindow(out.device, out.data, out.dtype, out.shape, out.strides));
  const Arg args[] = {Arg(product), second ? *second : Arg()};
  ValueImpl* const results[] = {product.get()};
  const Kernel kernel = KernelRegistry::instance().find(name, DeviceKind::kCuda);
  const KernelCall call(Arguments(name, std::span<const Arg>(args, second ? 2 : 1)), results, kernel.payload,
                        nullptr);
  kernel.run ? kernel.run(call) : run_on_host(call);
}

/// (bias, steps, operands, numbers) from argument `first` on.
void run_steps(const KernelCall& call, size_t first) {
  const ValueList& operands = call.values(first + 2);
  const Floats& numbers = call.floats(first + 3);
  size_t tensor = 0;
  size_t number = 0;
  std::string_view rest = call.text(first + 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::optional<Arg> second;
    if (name.ends_with('#')) {
      name.remove_suffix(1);
      second.emplace(numbers[number++]);
    } else if (takes_two(name)) {
      second.emplace(operands[tensor++]);
    }
    run_step(name, call.out(), second ? &*second : nullptr);
  }
}

/// (input, mat2, bias, steps, operands, numbers) -> product
void run_product(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Operand a(call.value(0), out.dtype);
  const Operand b(call.value(1), out.dtype, Operand::kAnyStrides);
  std::optional<Operand> bias;
  if (call.has(2)) bias.emplace(call.value(2), out.dtype);
  MatrixProducts p = product_of(*a, out, size_from_end(*b, 1));
  p.b = right_view(*b);
  p.bias = bias ? (*bias)->data : nullptr;
  multiply_matrices(p);
  run_steps(call, 2);
}

/// (input, panels, columns, bias, steps, operands, numbers) -> product
void run_panel_product(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const int64_t columns = call.integer(2);
  const Operand a(call.value(0), out.dtype);
  const Operand panels(call.value(1), out.dtype);
  std::optional<Operand> bias;
  if (call.has(3)) bias.emplace(call.value(3), out.dtype);
  MatrixProducts p = product_of(*a, out, kPanel);
  p.c_stride = columns;
  p.m = out.size() / columns;
  const int64_t bytes = itemsize(out.dtype);
  for (int64_t first = 0; first < columns; first += kPanel) {
    p.n = std::min(kPanel, columns - first);
    p.b = {panels->as<char>() + first * p.k * bytes, kPanel, 1};
    p.c = out.as<char>() + first * bytes;
    p.bias = bias ? (*bias)->as<char>() + first * bytes : nullptr;
    multiply_matrices(p);
  }
  run_steps(call, 3);
}

/// (mat2) -> panels
void run_pack_panels(const KernelCall& call) {
  ValueImpl& out = call.out();
  const ValueImpl& matrix = call.in(0);
  if (out.size() == 0) return;
  const int64_t rows = size_from_end(matrix, 2);
  const int64_t columns = size_from_end(matrix, 1);
  const int64_t bytes = itemsize(out.dtype);
  const int64_t across = stride_of(matrix, 1);
  const int device = out.device.index;
  const int64_t whole = columns / kPanel;
  move_elements(device, out.dtype, {whole, rows, kPanel}, matrix.data,
                {kPanel * across, stride_of(matrix, 2), across}, out.data, {rows * kPanel, kPanel, 1});
  const int64_t rest = columns - whole * kPanel;
  if (rest == 0) return;
  char* last = out.as<char>() + whole * rows * kPanel * bytes;
  fill_zeros(device, last, rows * kPanel * bytes);
  move_elements(device, out.dtype, {rows, rest}, matrix.as<char>() + whole * kPanel * across * bytes,
                {stride_of(matrix, 2), across}, last, {kPanel, 1});
}

DYAD_CUDA_KERNEL(product, run_product);
DYAD_CUDA_KERNEL(panel_product, run_panel_product);
DYAD_CUDA_KERNEL(pack_panels, run_pack_panels);

}  // namespace

}  // namespace dyad::cuda
