// Factorisations of stacks of matrices by cuSOLVER, which stores matrices column by column.

#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/matrix_stack.h"
#include "kernels/cuda/params/matrices.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

/// `count` matrices of `rows` by `columns`, row by row and column by column.
struct Layouts {
  Layouts(int64_t count, int64_t rows, int64_t columns)
      : shape{count, rows, columns},
        by_rows{rows * columns, columns, 1},
        by_columns{rows * columns, 1, rows} {}
  Shape shape;
  Strides by_rows;
  Strides by_columns;
};

void clear_triangle(int device, DType dtype, const StackSizes& sizes, char* matrices, bool below) {
  const int64_t bytes = itemsize(dtype);
  const ClearTriangleParams params{matrices, sizes.count, sizes.rows, sizes.columns, below};
  const char* name = bytes == 4 ? "clear_triangle_4" : bytes == 8 ? "clear_triangle_8" : "clear_triangle_16";
  launch(device, name, cover(sizes.count * sizes.elements()), params);
}

/// Makes the largest component of each of the first `pairs` columns of the one positive and turns the columns
/// of the other, which may be null, along.
void choose_phases(int device, DType dtype, int64_t pairs, const StackSizes& first_sizes, char* first,
                   const StackSizes& second_sizes, char* second) {
  const ChoosePhaseParams params{first,
                                 second,
                                 first_sizes.count,
                                 pairs,
                                 first_sizes.rows,
                                 first_sizes.columns,
                                 second_sizes.rows,
                                 second_sizes.columns};
  const char* name = dtype == DType::kFloat32     ? "choose_phase_float32"
                     : dtype == DType::kFloat64   ? "choose_phase_float64"
                     : dtype == DType::kComplex64 ? "choose_phase_complex64"
                                                  : "choose_phase_complex128";
  launch(device, name, cover(first_sizes.count * pairs * kPhaseThreads, 1, kPhaseThreads), params);
}

/// Both triangles count alike, as the gradients of factors of symmetric matrices have it.
void write_symmetric(const Value& given, DType dtype, void* to) {
  const Operand matrices(given, dtype);
  const StackSizes sizes(*matrices);
  const SymmetrizeParams params{matrices->data, to, sizes.count, sizes.rows};
  launch(given->device.index, dtype == DType::kFloat64 ? "symmetrize_double" : "symmetrize_float",
         cover(sizes.count * sizes.elements()), params);
}

/// (input, upper). The lower factor row by row is the upper one of the library.
void run_cholesky(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (!cusolver().available()) return run_on_host(call);
  const DType dtype = solver_dtype(out.dtype);
  const StackSizes sizes(out);
  const ComputedResult result(out, dtype);
  write_symmetric(call.value(0), dtype, result.data());
  const StackCall stack(call, sizes.count);
  const solver::Handle handle = stack.lease().solver();
  const solver::Parameters parameters = stack.lease().parameters();
  const bool upper = call.flag(1);
  const auto fill = static_cast<int>(upper ? blas::Fill::kLower : blas::Fill::kUpper);
  const auto format = static_cast<int>(data_format(dtype));
  const int64_t n = sizes.rows;
  stack.for_each(
      call.op(),
      [&](size_t* device, size_t* host) {
        return cusolver().cholesky_room(handle, parameters, fill, n, format, result.data(), n, format, device,
                                        host);
      },
      [&](void* device, size_t device_bytes, void* host, size_t host_bytes, int64_t i) {
        return cusolver().cholesky(handle, parameters, fill, n, format,
                                   result.data() + i * sizes.elements() * itemsize(dtype), n, format, device,
                                   device_bytes, host, host_bytes, stack.info(i));
      });
  clear_triangle(out.device.index, dtype, sizes, result.data(), upper);
  result.store();
  stack.require_success("is not positive definite");
}

/// The first `k` columns of the unitary factor in place of the reflections in `a`.
void form_q(const StackCall& stack, int device, DType dtype, int64_t rows, int64_t k, int64_t reflections,
            char* a, char* tau, int* info) {
  const solver::Api& api = cusolver();
  const auto form = [&](auto room, auto run) {
    const auto m = static_cast<int>(rows);
    const auto n = static_cast<int>(k);
    const auto count = static_cast<int>(reflections);
    int elements = 0;
    stack.require(room(stack.lease().solver(), m, n, count, a, m, tau, &elements), "forming q");
    const DeviceWorkspace work(device, static_cast<size_t>(elements * itemsize(dtype)));
    stack.require(run(stack.lease().solver(), m, n, count, a, m, tau, work.as<void>(), elements, info),
                  "forming q");
  };
  switch (dtype) {
    case DType::kFloat32:
      return form(api.q_room_float32, api.q_float32);
    case DType::kFloat64:
      return form(api.q_room_float64, api.q_float64);
    case DType::kComplex64:
      return form(api.q_room_complex64, api.q_complex64);
    default:
      return form(api.q_room_complex128, api.q_complex128);
  }
}

/// (input, full) -> (q, r)
void run_qr(const KernelCall& call) {
  const StackSizes sizes(call.in(0));
  if (sizes.empty() || !cusolver().available()) return run_on_host(call);
  const DType dtype = solver_dtype(call.out().dtype);
  const int device = call.out().device.index;
  const int64_t bytes = itemsize(dtype);
  const int64_t reflections = std::min(sizes.rows, sizes.columns);
  const StackSizes q_sizes(call.out(0));
  const StackSizes r_sizes(call.out(1));
  const int64_t k = q_sizes.columns;
  // Room for the wider of input and q.
  const int64_t width = std::max(sizes.columns, k);
  const int64_t step = sizes.rows * width;
  const DeviceWorkspace work(device, static_cast<size_t>(sizes.count * step * bytes));
  const DeviceWorkspace tau(device, static_cast<size_t>(sizes.count * reflections * bytes));
  const Operand given(call.value(0), dtype);
  const Layouts input(sizes.count, sizes.rows, sizes.columns);
  move_elements(device, dtype, input.shape, given->data, input.by_rows, work.as<void>(),
                {step, 1, sizes.rows});

  const StackCall stack(call, sizes.count);
  const solver::Handle handle = stack.lease().solver();
  const solver::Parameters parameters = stack.lease().parameters();
  const auto format = static_cast<int>(data_format(dtype));
  const int64_t m = sizes.rows;
  const int64_t n = sizes.columns;
  const auto a_at = [&](int64_t i) { return work.as<char>() + i * step * bytes; };
  const auto tau_at = [&](int64_t i) { return tau.as<char>() + i * reflections * bytes; };
  stack.for_each(
      call.op(),
      [&](size_t* room, size_t* host) {
        return cusolver().qr_room(handle, parameters, m, n, format, a_at(0), m, format, tau_at(0), format,
                                  room, host);
      },
      [&](void* room, size_t room_bytes, void* host, size_t host_bytes, int64_t i) {
        return cusolver().qr(handle, parameters, m, n, format, a_at(i), m, format, tau_at(i), format, room,
                             room_bytes, host, host_bytes, stack.info(i));
      });
  const ComputedResult r(call.out(1), dtype);
  const Layouts r_layout(sizes.count, r_sizes.rows, r_sizes.columns);
  move_elements(device, dtype, r_layout.shape, work.as<void>(), {step, 1, m}, r.data(), r_layout.by_rows);
  clear_triangle(device, dtype, r_sizes, r.data(), true);
  r.store();
  for (int64_t i = 0; i < sizes.count; ++i) {
    form_q(stack, device, dtype, m, k, reflections, a_at(i), tau_at(i), stack.info(i));
  }
  const ComputedResult q(call.out(0), dtype);
  const Layouts q_layout(sizes.count, m, k);
  move_elements(device, dtype, q_layout.shape, work.as<void>(), {step, 1, m}, q.data(), q_layout.by_rows);
  q.store();
}

/// Singular values, and the vectors as the library gives them, of matrices with at least as many rows as
/// columns to the library: of a wide one it sees the transpose, as it lies.
class Svd {
 public:
  enum class Vectors { kNone, kThin, kFull };

  Svd(const KernelCall& call, Vectors vectors)
      : sizes_(call.in(0)),
        device_(call.out().device),
        dtype_(solver_dtype(call.in(0).dtype)),
        real_(real_dtype(dtype_)),
        tall_(sizes_.rows >= sizes_.columns),
        m(std::max(sizes_.rows, sizes_.columns)),
        n(std::min(sizes_.rows, sizes_.columns)),
        u_columns(vectors == Vectors::kFull ? m : n),
        values_(device_, real_, {sizes_.count, n}),
        u_(device_.index, room(vectors, m * u_columns)),
        v_(device_.index, room(vectors, n * n)) {
    const Layouts input(sizes_.count, sizes_.rows, sizes_.columns);
    const DeviceScratch copy(device_, dtype_, input.shape);
    const Operand given(call.value(0), dtype_);
    move_elements(device_.index, dtype_, input.shape, given->data, input.by_rows, copy.data,
                  tall_ ? input.by_columns : input.by_rows);
    run(call, vectors, copy.as<char>());
  }

  const DeviceScratch& values() const { return values_; }
  DType dtype() const { return dtype_; }
  DType real() const { return real_; }
  int64_t pairs() const { return n; }

  /// u and v of a = u diag(s) v^H, row by row.
  void write_vectors(char* u, char* v) const {
    // What the library gives: the left vectors column by column, and the adjoint of the right ones.
    const Layouts left(sizes_.count, m, u_columns);
    const Layouts right(sizes_.count, n, n);
    char* by_left = tall_ ? u : v;
    char* by_right = tall_ ? v : u;
    move_elements(device_.index, dtype_, left.shape, u_.as<void>(), left.by_columns, by_left, left.by_rows);
    move_elements(device_.index, dtype_, right.shape, v_.as<void>(), right.by_rows, by_right, right.by_rows);
    conjugate_elements(device_.index, dtype_, v, numel(tall_ ? right.shape : left.shape));
  }

 private:
  size_t room(Vectors vectors, int64_t elements) const {
    return vectors == Vectors::kNone ? 0 : static_cast<size_t>(sizes_.count * elements * itemsize(dtype_));
  }

  void run(const KernelCall& call, Vectors vectors, char* a) {
    const StackCall stack(call, sizes_.count);
    const solver::Handle handle = stack.lease().solver();
    const solver::Parameters parameters = stack.lease().parameters();
    const auto format = static_cast<int>(data_format(dtype_));
    const auto real_format = static_cast<int>(data_format(real_));
    const int64_t bytes = itemsize(dtype_);
    const signed char job = vectors == Vectors::kNone ? 'N' : vectors == Vectors::kThin ? 'S' : 'A';
    const int64_t u_step = vectors == Vectors::kNone ? 0 : m * u_columns * bytes;
    const int64_t v_step = vectors == Vectors::kNone ? 0 : n * n * bytes;
    stack.for_each(
        call.op(),
        [&](size_t* device, size_t* host) {
          return cusolver().svd_room(handle, parameters, job, job, m, n, format, a, m, real_format,
                                     values_.data, format, u_.as<void>(), m, format, v_.as<void>(), n, format,
                                     device, host);
        },
        [&](void* device, size_t device_bytes, void* host, size_t host_bytes, int64_t i) {
          return cusolver().svd(handle, parameters, job, job, m, n, format, a + i * m * n * bytes, m,
                                real_format, values_.as<char>() + i * n * itemsize(real_), format,
                                u_.as<char>() + i * u_step, m, format, v_.as<char>() + i * v_step, n, format,
                                device, device_bytes, host, host_bytes, stack.info(i));
        });
    stack.require_success("has no singular values that can be found: the iteration does not end");
  }

  StackSizes sizes_;
  Device device_;
  DType dtype_;
  DType real_;
  bool tall_;
  int64_t m;  ///< rows and columns of what the library sees
  int64_t n;
  int64_t u_columns;
  DeviceScratch values_;
  DeviceWorkspace u_;
  DeviceWorkspace v_;
};

/// Real numbers into a result that may be complex.
void write_values(const DeviceScratch& values, ValueImpl& out) {
  if (!is_complex(out.dtype)) {
    const ComputedResult result(out, values.dtype);
    move_elements(out.device.index, values.dtype, values.shape, values.data, values.strides, result.data(),
                  values.strides);
    return result.store();
  }
  fill_zeros(out.device.index, out.data, out.size() * itemsize(out.dtype));
  move_elements(out.device.index, values.dtype, {out.size()}, values.data, {1}, out.data, {2});
}

/// (input, full) -> (values, u, v)
void run_svd(const KernelCall& call) {
  if (StackSizes(call.in(0)).empty() || !cusolver().available()) return run_on_host(call);
  const Svd svd(call, call.flag(1) ? Svd::Vectors::kFull : Svd::Vectors::kThin);
  const ComputedResult u(call.out(1), svd.dtype());
  const ComputedResult v(call.out(2), svd.dtype());
  svd.write_vectors(u.data(), v.data());
  choose_phases(call.out().device.index, svd.dtype(), svd.pairs(), StackSizes(call.out(1)), u.data(),
                StackSizes(call.out(2)), v.data());
  write_values(svd.values(), call.out(0));
  u.store();
  v.store();
}

/// (input) -> values
void run_singular_values(const KernelCall& call) {
  if (StackSizes(call.in(0)).empty() || !cusolver().available()) return run_on_host(call);
  const Svd svd(call, Svd::Vectors::kNone);
  write_values(svd.values(), call.out());
}

/// (input) -> (values, vectors)
void run_eigh(const KernelCall& call) {
  const StackSizes sizes(call.in(0));
  if (sizes.empty() || !cusolver().available()) return run_on_host(call);
  ValueImpl& out = call.out(1);
  const DType dtype = solver_dtype(out.dtype);
  const int64_t n = sizes.rows;
  const Layouts layout(sizes.count, n, n);
  const DeviceScratch a(out.device, dtype, layout.shape);
  write_symmetric(call.value(0), dtype, a.data);
  const ComputedResult values(call.out(0), dtype);
  const StackCall stack(call, sizes.count);
  const solver::Handle handle = stack.lease().solver();
  const solver::Parameters parameters = stack.lease().parameters();
  const auto format = static_cast<int>(data_format(dtype));
  const auto fill = static_cast<int>(blas::Fill::kLower);
  const int64_t bytes = itemsize(dtype);
  stack.for_each(
      call.op(),
      [&](size_t* device, size_t* host) {
        return cusolver().eigen_room(handle, parameters, solver::kWithVectors, fill, n, format, a.data, n,
                                     format, values.data(), format, device, host);
      },
      [&](void* device, size_t device_bytes, void* host, size_t host_bytes, int64_t i) {
        return cusolver().eigen(handle, parameters, solver::kWithVectors, fill, n, format,
                                a.as<char>() + i * n * n * bytes, n, format, values.data() + i * n * bytes,
                                format, device, device_bytes, host, host_bytes, stack.info(i));
      });
  const ComputedResult vectors(out, dtype);
  move_elements(out.device.index, dtype, layout.shape, a.data, layout.by_columns, vectors.data(),
                layout.by_rows);
  choose_phases(out.device.index, dtype, n, sizes, vectors.data(), sizes, nullptr);
  values.store();
  vectors.store();
  stack.require_success("has no eigenvalues that can be found: the iteration does not end");
}

DYAD_CUDA_KERNEL(cholesky, run_cholesky);
DYAD_CUDA_KERNEL(qr_factors, run_qr);
DYAD_CUDA_KERNEL(svd_factors, run_svd);
DYAD_CUDA_KERNEL(singular_values, run_singular_values);
DYAD_CUDA_KERNEL(eigh, run_eigh);

}  // namespace

}  // namespace dyad::cuda
