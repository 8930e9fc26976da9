// Systems of equations and what their factors tell. The library stores matrices column by column: it sees the
// transpose of what lies row by row.

#include <array>
#include <complex>
#include <limits>

#include "kernels/cuda/matrix_stack.h"
#include "kernels/cuda/params/matrices.h"
#include "runtime/cuda/launch.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"
#include "types/scalar.h"

namespace dyad::cuda {

namespace {

/// A copy of a stack of square matrices, with each one's factors in place of its transpose.
class LuFactors {
 public:
  LuFactors(const KernelCall& call, const StackCall& stack, DType dtype)
      : sizes_(call.in(0)),
        format_(static_cast<int>(data_format(dtype))),
        bytes_(itemsize(dtype)),
        stack_(stack),
        copy_(call.out().device, dtype, call.in(0).shape),
        exchanges_(copy_.device.index, static_cast<size_t>(sizes_.count * sizes_.rows) * sizeof(int64_t)) {
    const Operand given(call.value(0), dtype, Operand::kAnyStrides);
    move_elements(copy_.device.index, dtype, copy_.shape, given->data, given->strides, copy_.data,
                  copy_.strides);
    const solver::Api& api = cusolver();
    const solver::Handle handle = stack.lease().solver();
    const solver::Parameters parameters = stack.lease().parameters();
    const int64_t n = sizes_.rows;
    stack.for_each(
        call.op(),
        [&](size_t* device, size_t* host) {
          return api.lu_room(handle, parameters, n, n, format_, copy_.data, n, format_, device, host);
        },
        [&](void* device, size_t device_bytes, void* host, size_t host_bytes, int64_t i) {
          return api.lu(handle, parameters, n, n, format_, matrix(i), n, exchanges() + i * n, format_, device,
                        device_bytes, host, host_bytes, stack.info(i));
        });
  }

  const StackSizes& sizes() const { return sizes_; }
  char* matrix(int64_t i) const { return copy_.as<char>() + i * sizes_.elements() * bytes_; }
  int64_t* exchanges() const { return exchanges_.as<int64_t>(); }

  /// Solves for the `columns` columns, one after another, of each matrix of `rhs`. `transposed` is meant of
  /// what the library sees.
  void solve(char* rhs, int64_t columns, bool transposed) const {
    const auto operation = transposed ? blas::Operation::kTranspose : blas::Operation::kNone;
    const DeviceWorkspace ignored(copy_.device.index, sizeof(int));
    const int64_t n = sizes_.rows;
    for (int64_t i = 0; i < sizes_.count; ++i) {
      stack_.require(cusolver().solve_lu(stack_.lease().solver(), stack_.lease().parameters(),
                                         static_cast<int>(operation), n, columns, format_, matrix(i), n,
                                         exchanges() + i * n, format_, rhs + i * n * columns * bytes_, n,
                                         ignored.as<int>()),
                     "solving");
    }
  }

 private:
  StackSizes sizes_;
  int format_;
  int64_t bytes_;
  const StackCall& stack_;
  DeviceScratch copy_;
  DeviceWorkspace exchanges_;
};

constexpr std::string_view kSingular = "is singular; it must be invertible";

/// Strides of a stack of matrices that lie column by column.
Strides by_columns(const Shape& shape) {
  Strides strides = contiguous_strides(shape);
  const size_t rank = strides.size();
  strides[rank - 2] = 1;
  strides[rank - 1] = sizes(shape)[rank - 2];
  return strides;
}

/// (matrix, rhs)
void run_solve(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (!cusolver().available()) return run_on_host(call);
  const DType dtype = solver_dtype(out.dtype);
  const StackSizes sizes(call.in(0));
  const StackCall stack(call, sizes.count);
  const LuFactors factors(call, stack, dtype);
  const Operand rhs(call.value(1), dtype, Operand::kAnyStrides);
  const DeviceScratch x(out.device, dtype, out.shape);
  const Strides strides = by_columns(out.shape);
  move_elements(out.device.index, dtype, out.shape, rhs->data, rhs->strides, x.data, strides);
  factors.solve(x.as<char>(), StackSizes(out).columns, true);
  const ComputedResult result(out, dtype);
  move_elements(out.device.index, dtype, out.shape, x.data, strides, result.data(),
                contiguous_strides(out.shape));
  result.store();
  stack.require_success(kSingular);
}

/// Ones on the diagonals of square matrices that hold zeros.
void write_identity(int device, DType dtype, const StackSizes& sizes, char* to) {
  const DeviceWorkspace one(device, static_cast<size_t>(itemsize(dtype)));
  std::array<char, sizeof(std::complex<double>)> element{};
  store(Scalar(1), dtype, element.data());
  runtime_of({DeviceKind::kCuda, static_cast<int8_t>(device)})
      .copy_to_device(device, one.as<void>(), element.data(), static_cast<size_t>(itemsize(dtype)));
  move_elements(device, dtype, {sizes.count, sizes.rows}, one.as<void>(), {0, 0}, to,
                {sizes.elements(), sizes.rows + 1});
}

/// (input)
void run_inverse(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (!cusolver().available()) return run_on_host(call);
  const DType dtype = solver_dtype(out.dtype);
  const StackSizes sizes(out);
  const StackCall stack(call, sizes.count);
  const LuFactors factors(call, stack, dtype);
  const ComputedResult result(out, dtype);
  fill_zeros(out.device.index, result.data(), out.size() * itemsize(dtype));
  write_identity(out.device.index, dtype, sizes, result.data());
  factors.solve(result.data(), sizes.rows, false);  // the inverse of the transpose, column by column
  result.store();
  stack.require_success(kSingular);
}

/// (input) -> (sign, logarithm)
void run_log_determinant(const KernelCall& call) {
  ValueImpl& sign = call.out(0);
  if (sign.size() == 0) return;
  if (call.in(0).size() == 0 || !cusolver().available()) return run_on_host(call);
  const DType dtype = solver_dtype(sign.dtype);
  const StackCall stack(call, sign.size());
  const LuFactors factors(call, stack, dtype);
  const ComputedResult signs(sign, dtype);
  const ComputedResult logarithms(call.out(1), dtype);
  const LogDeterminantParams params{factors.matrix(0), factors.exchanges(), stack.infos(),       signs.data(),
                                    logarithms.data(), sign.size(),         factors.sizes().rows};
  const char* name = dtype == DType::kFloat32     ? "log_determinant_float32"
                     : dtype == DType::kFloat64   ? "log_determinant_float64"
                     : dtype == DType::kComplex64 ? "log_determinant_complex64"
                                                  : "log_determinant_complex128";
  launch(sign.device.index, name, cover(params.count), params);
  signs.store();
  logarithms.store();
}

/// (matrix, rhs, lower, adjoint). What lies row by row is x^T a^T = rhs^T to the library.
void run_triangular(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (!cublas().available()) return run_on_host(call);
  const DType dtype = solver_dtype(out.dtype);
  const Operand matrix(call.value(0), dtype);
  const Operand rhs(call.value(1), dtype, Operand::kAnyStrides);
  const ComputedResult result(out, dtype);
  move_elements(out.device.index, dtype, out.shape, rhs->data, rhs->strides, result.data(),
                contiguous_strides(out.shape));
  const StackSizes sizes(out);
  const auto rows = static_cast<int>(sizes.rows);
  const auto columns = static_cast<int>(sizes.columns);
  const auto side = static_cast<int>(blas::Side::kRight);
  const auto fill = static_cast<int>(call.flag(2) ? blas::Fill::kUpper : blas::Fill::kLower);
  const auto operation =
      static_cast<int>(call.flag(3) ? blas::Operation::kTranspose : blas::Operation::kNone);
  const SolverLease lease(out.device.index);
  const auto solve = [&]<class T>(auto run, T one) {
    for (int64_t i = 0; i < sizes.count; ++i) {
      const T* a = matrix->as<T>() + i * sizes.rows * sizes.rows;
      T* x = reinterpret_cast<T*>(result.data()) + i * sizes.elements();
      const int status = run(lease.blas(), side, fill, operation, blas::kNonUnitDiagonal, columns, rows, &one,
                             a, rows, x, columns);
      if (status != 0) refuse_status("cuBLAS", call.op(), status);
    }
  };
  if (dtype == DType::kFloat64) {
    solve(cublas().solve_double, 1.0);
  } else {
    solve(cublas().solve_float, 1.0f);
  }
  result.store();
}

DYAD_CUDA_KERNEL(matrix_solve, run_solve);
DYAD_CUDA_KERNEL(inverse, run_inverse);
DYAD_CUDA_KERNEL(slogdet, run_log_determinant);
DYAD_CUDA_KERNEL(triangular_solve, run_triangular);

}  // namespace

}  // namespace dyad::cuda
