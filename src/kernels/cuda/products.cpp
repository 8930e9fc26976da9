#include "kernels/cuda/products.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"
#include "kernels/cuda/lt_product.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/tiled_product.h"
#include "runtime/cuda/launch.h"

namespace dyad::cuda {

namespace {

/// Products of a stack that are launched one by one rather than copying an operand, which a stack that the
/// library can walk through with one stride needs.
constexpr int64_t kFewLaunches = 4;
constexpr uint64_t kBiasAlignment = 16;

void* at(const void* data, int64_t elements, DType dtype) {
  return const_cast<char*>(static_cast<const char*>(data)) + elements * itemsize(dtype);
}

int64_t stack_size(const Ints& batch) {
  int64_t count = 1;
  for (const int64_t size : batch) count *= size;
  return count;
}

/// A stack times one matrix is one tall matrix times it, when the rows of the stack follow one another
/// evenly.
void merge_stack_into_rows(MatrixProducts& p) {
  while (!p.batch.empty() && p.b_batch.back() == 0) {
    const bool even =
        (p.m == 1 || (p.a_batch.back() == p.m * p.a.row_stride && p.c_batch.back() == p.m * p.c_stride));
    if (!even) return;
    if (p.m == 1) {
      p.a.row_stride = p.a_batch.back();
      p.c_stride = p.c_batch.back();
    }
    p.m *= p.batch.back();
    p.batch.pop_back();
    p.a_batch.pop_back();
    p.b_batch.pop_back();
    p.c_batch.pop_back();
  }
}

/// Dimensions of one element go, and those along which all three go on evenly become one.
void merge_stack(MatrixProducts& p) {
  Ints batch;
  Strides a, b, c;
  for (size_t d = 0; d < p.batch.size(); ++d) {
    const int64_t size = p.batch[d];
    if (size == 1) continue;
    const bool goes_on = !batch.empty() && a.back() == size * p.a_batch[d] &&
                         b.back() == size * p.b_batch[d] && c.back() == size * p.c_batch[d];
    if (goes_on) {
      batch.back() *= size;
      a.back() = p.a_batch[d];
      b.back() = p.b_batch[d];
      c.back() = p.c_batch[d];
      continue;
    }
    batch.push_back(size);
    a.push_back(p.a_batch[d]);
    b.push_back(p.b_batch[d]);
    c.push_back(p.c_batch[d]);
  }
  p.batch = batch;
  p.a_batch = a;
  p.b_batch = b;
  p.c_batch = c;
}

/// Whether the rows or the columns of a matrix are lines of neighbours, at least a line apart. A dimension of
/// one element has no stride that counts.
bool lies_well(const MatrixView& view, int64_t rows, int64_t columns, LtMatrix& as) {
  as.data = view.data;
  as.by_rows = (columns == 1 || view.column_stride == 1) && (rows == 1 || view.row_stride >= columns);
  if (as.by_rows) {
    as.leading = rows == 1 ? columns : view.row_stride;
    return true;
  }
  as.leading = columns == 1 ? rows : view.column_stride;
  return (rows == 1 || view.row_stride == 1) && (columns == 1 || view.column_stride >= rows);
}

/// A copy of the matrices of a stack, row by row. What the stack repeats is copied once, unless it is to lie
/// evenly.
std::unique_ptr<DeviceWorkspace> copy_stack(const MatrixProducts& p, MatrixView& view, int64_t rows,
                                            int64_t columns, Strides& batch_strides, bool evenly) {
  Shape shape;
  Strides from;
  const auto repeats = [&](size_t d) { return !evenly && batch_strides[d] == 0; };
  for (size_t d = 0; d < p.batch.size(); ++d) {
    shape.push_back(repeats(d) ? 1 : p.batch[d]);
    from.push_back(batch_strides[d]);
  }
  shape.push_back(rows);
  shape.push_back(columns);
  from.push_back(view.row_stride);
  from.push_back(view.column_stride);
  const Strides to = contiguous_strides(shape);
  auto copy = std::make_unique<DeviceWorkspace>(p.device.index,
                                                static_cast<size_t>(numel(shape) * itemsize(p.dtype)));
  move_elements(p.device.index, p.dtype, shape, view.data, from, copy->as<void>(), to);
  for (size_t d = 0; d < p.batch.size(); ++d) batch_strides[d] = repeats(d) ? 0 : to[d];
  view = {copy->as<void>(), columns, 1};
  return copy;
}

const char* tiled_kernel(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "tiled_product_bool";
    case DType::kFloat16:
      return "tiled_product_float16";
    case DType::kBFloat16:
      return "tiled_product_bfloat16";
    case DType::kFloat32:
      return "tiled_product_float32";
    case DType::kFloat64:
      return "tiled_product_float64";
    case DType::kComplex64:
      return "tiled_product_complex64";
    case DType::kComplex128:
      return "tiled_product_complex128";
    default:
      break;
  }
  constexpr std::array kBySize = {"tiled_product_1", "tiled_product_2", "tiled_product_4", "tiled_product_8"};
  const int64_t bytes = itemsize(dtype);
  return kBySize[bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0];
}

void multiply_by_tiles(const MatrixProducts& p) {
  if (p.batch.size() > kProductRank) {
    unsupported("GPU: a product of stacks over more than ", kProductRank, " uneven dimensions");
  }
  TiledProductParams params{};
  params.a = p.a.data;
  params.b = p.b.data;
  params.c = p.c;
  params.bias = p.bias;
  params.m = p.m;
  params.n = p.n;
  params.k = p.k;
  params.a_row = p.a.row_stride;
  params.a_column = p.a.column_stride;
  params.b_row = p.b.row_stride;
  params.b_column = p.b.column_stride;
  params.c_row = p.c_stride;
  params.accumulate = p.accumulate;
  params.factor = p.factor;
  params.count = stack_size(p.batch);
  params.rank = static_cast<int>(p.batch.size());
  for (size_t d = 0; d < p.batch.size(); ++d) {
    params.sizes[d] = p.batch[d];
    params.a_batch[d] = p.a_batch[d];
    params.b_batch[d] = p.b_batch[d];
    params.c_batch[d] = p.c_batch[d];
  }
  constexpr int64_t kTile = kProductTile;
  const int64_t tiles = (p.m + kTile - 1) / kTile * ((p.n + kTile - 1) / kTile) * params.count;
  launch(p.device.index, tiled_kernel(p.dtype), cover(tiles * kTile * kTile, 1, kTile * kTile), params);
}

/// The bias in every row of c, for products that are added to it.
void spread_bias(const MatrixProducts& p) {
  Shape shape;
  Strides from;
  Strides to;
  for (size_t d = 0; d < p.batch.size(); ++d) {
    shape.push_back(p.batch[d]);
    from.push_back(0);
    to.push_back(p.c_batch[d]);
  }
  shape.push_back(p.m);
  shape.push_back(p.n);
  from.push_back(0);
  from.push_back(1);
  to.push_back(p.c_stride);
  to.push_back(1);
  move_elements(p.device.index, p.dtype, shape, p.bias, from, p.c, to);
}

/// Whether the library adds the bias itself.
bool adds_bias(const MatrixProducts& p) {
  return (p.dtype == DType::kFloat32 || is_narrow_float(p.dtype)) &&
         reinterpret_cast<uint64_t>(p.bias) % kBiasAlignment == 0;
}

/// One dimension of the stack by the library, the others one by one; the library's is the largest.
bool multiply_by_library(const MatrixProducts& p, LtMatrix a, LtMatrix b, bool accumulate) {
  const size_t rank = p.batch.size();
  size_t inner = 0;
  for (size_t d = 1; d < rank; ++d) {
    if (p.batch[d] > p.batch[inner]) inner = d;
  }
  LtProducts one{p.device.index, p.dtype,    p.m,        p.n,     p.k, 1, a, b, {p.c, true, p.c_stride, 0},
                 nullptr,        accumulate, p.measured, p.factor};
  if (p.m == 1) one.c.leading = std::max<int64_t>(p.n, 1);
  if (!accumulate) one.bias = p.bias;
  if (rank > 0) {
    one.count = p.batch[inner];
    one.a.batch_stride = p.a_batch[inner];
    one.b.batch_stride = p.b_batch[inner];
    one.c.batch_stride = p.c_batch[inner];
  }
  const int64_t launches = stack_size(p.batch) / one.count;
  for (int64_t index = 0; index < launches; ++index) {
    LtProducts part = one;
    int64_t rest = index;
    for (size_t d = rank; d-- > 0;) {
      if (d == inner) continue;
      const int64_t place = rest % p.batch[d];
      rest /= p.batch[d];
      part.a.data = at(part.a.data, place * p.a_batch[d], p.dtype);
      part.b.data = at(part.b.data, place * p.b_batch[d], p.dtype);
      part.c.data = at(part.c.data, place * p.c_batch[d], p.dtype);
    }
    if (!multiply_by_lt(part)) return false;
  }
  return true;
}

/// Launches that the stack takes as it lies.
int64_t launches_of(const Ints& batch) {
  int64_t largest = 1;
  for (const int64_t size : batch) largest = std::max(largest, size);
  return stack_size(batch) / largest;
}

bool multiply_in_library(MatrixProducts p) {
  LtMatrix a{};
  LtMatrix b{};
  std::unique_ptr<DeviceWorkspace> a_copy;
  std::unique_ptr<DeviceWorkspace> b_copy;
  const bool scattered = launches_of(p.batch) > kFewLaunches;
  const auto uneven = [&](const Strides& strides) {
    for (size_t d = 0; scattered && d + 1 < strides.size(); ++d) {
      if (strides[d] != strides[d + 1] * p.batch[d + 1]) return true;
    }
    return false;
  };
  if (!lies_well(p.a, p.m, p.k, a) || uneven(p.a_batch)) {
    a_copy = copy_stack(p, p.a, p.m, p.k, p.a_batch, uneven(p.a_batch));
    lies_well(p.a, p.m, p.k, a);
  }
  if (!lies_well(p.b, p.k, p.n, b) || uneven(p.b_batch)) {
    b_copy = copy_stack(p, p.b, p.k, p.n, p.b_batch, uneven(p.b_batch));
    lies_well(p.b, p.k, p.n, b);
  }
  merge_stack(p);
  if (!p.bias) return multiply_by_library(p, a, b, p.accumulate);
  if (adds_bias(p) && multiply_by_library(p, a, b, false)) return true;
  spread_bias(p);
  return multiply_by_library(p, a, b, true);
}

}  // namespace

void multiply_matrices(MatrixProducts p) {
  if (p.m * p.n * stack_size(p.batch) == 0) return;
  merge_stack(p);
  merge_stack_into_rows(p);
  if (p.k == 0) return multiply_by_tiles(p);
  const bool by_library = (is_float(p.dtype) || is_complex(p.dtype)) && cublas_lt().available();
  if (!by_library || !multiply_in_library(p)) multiply_by_tiles(p);
}

}  // namespace dyad::cuda
