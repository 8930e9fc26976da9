// The functions of cuSOLVER that Dyad calls, in the order of the stream. Factors of symmetric matrices and
// singular values are those of the CPU's kernels.

#include "kernels/cuda/cusolver.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/complex_factorizations.h"
#include "kernels/cpu/factorizations.h"
#include "testing/emulated_cuda/libraries/queue.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;
using namespace dyad::cuda::solver;
using dyad::kernels::ComplexMatrix;

namespace dyad::cuda::solver {
struct cusolverDnContext {
  StreamHandle stream = nullptr;
};
struct cusolverDnParams {};
}  // namespace dyad::cuda::solver

namespace {

constexpr size_t kRoom = 128;

/// A matrix of the library: column by column, in some format.
struct Columns {
  int format;
  void* data;
  int64_t leading;
  Number operator()(int64_t row, int64_t column) const { return load(format, data, row + column * leading); }
  void set(int64_t row, int64_t column, Number value) const {
    store(format, data, row + column * leading, value);
  }
};

int give_room(size_t* device, size_t* host) {
  *device = kRoom;
  *host = kRoom;
  return kDone;
}

void factor_lu(const Columns& a, int64_t n, int64_t* exchanges, int* info) {
  *info = 0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t r = k + 1; r < n; ++r) {
      if (std::abs(a(r, k)) > std::abs(a(pivot, k))) pivot = r;
    }
    exchanges[k] = pivot + 1;
    for (int64_t c = 0; pivot != k && c < n; ++c) {
      const Number kept = a(k, c);
      a.set(k, c, a(pivot, c));
      a.set(pivot, c, kept);
    }
    if (a(k, k) == 0.0) {
      if (*info == 0) *info = static_cast<int>(k + 1);
      continue;
    }
    for (int64_t r = k + 1; r < n; ++r) {
      a.set(r, k, a(r, k) / a(k, k));
      for (int64_t c = k + 1; c < n; ++c) a.set(r, c, a(r, c) - a(r, k) * a(k, c));
    }
  }
}

/// The matrix that was factored, put together again, so that both directions are solved by elimination.
std::vector<Number> product_of_factors(const Columns& a, int64_t n, const int64_t* exchanges) {
  std::vector<Number> whole(static_cast<size_t>(n * n));
  const auto at = [&](int64_t r, int64_t c) -> Number& { return whole[static_cast<size_t>(r * n + c)]; };
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c) {
      for (int64_t k = 0; k <= std::min(r, c); ++k) at(r, c) += (k == r ? Number(1) : a(r, k)) * a(k, c);
    }
  }
  for (int64_t k = n; k-- > 0;) {
    for (int64_t c = 0; c < n; ++c) std::swap(at(k, c), at(exchanges[k] - 1, c));
  }
  return whole;
}

void solve(std::vector<Number> a, int64_t n, const Columns& b, int64_t columns) {
  const auto at = [&](int64_t r, int64_t c) -> Number& { return a[static_cast<size_t>(r * n + c)]; };
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t r = k + 1; r < n; ++r) {
      if (std::abs(at(r, k)) > std::abs(at(pivot, k))) pivot = r;
    }
    for (int64_t c = 0; c < n; ++c) std::swap(at(k, c), at(pivot, c));
    for (int64_t c = 0; c < columns; ++c) {
      const Number kept = b(k, c);
      b.set(k, c, b(pivot, c));
      b.set(pivot, c, kept);
    }
    for (int64_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const Number share = at(r, k) / at(k, k);
      for (int64_t c = k; c < n; ++c) at(r, c) -= share * at(k, c);
      for (int64_t c = 0; c < columns; ++c) b.set(r, c, b(r, c) - share * b(k, c));
    }
  }
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < columns; ++c) b.set(r, c, b(r, c) / at(r, r));
  }
}

void factor_cholesky(const Columns& a, int64_t n, bool lower, int* info) {
  *info = 0;
  const auto get = [&](int64_t r, int64_t c) { return lower ? a(r, c) : std::conj(a(c, r)); };
  const auto set = [&](int64_t r, int64_t c, Number x) {
    lower ? a.set(r, c, x) : a.set(c, r, std::conj(x));
  };
  for (int64_t c = 0; c < n; ++c) {
    double diagonal = get(c, c).real();
    for (int64_t k = 0; k < c; ++k) diagonal -= std::norm(get(c, k));
    if (!(diagonal > 0)) {
      *info = static_cast<int>(c + 1);
      return;
    }
    set(c, c, std::sqrt(diagonal));
    for (int64_t r = c + 1; r < n; ++r) {
      Number sum = get(r, c);
      for (int64_t k = 0; k < c; ++k) sum -= get(r, k) * std::conj(get(c, k));
      set(r, c, sum / get(c, c));
    }
  }
}

/// Householder reflections 1 - tau v v^H with v(0) = 1, as LAPACK keeps them.
void factor_qr(const Columns& a, int64_t m, int64_t n, void* tau) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    double rest = 0;
    for (int64_t r = k + 1; r < m; ++r) rest += std::norm(a(r, k));
    const Number alpha = a(k, k);
    Number t = 0;
    if (rest != 0 || alpha.imag() != 0) {
      const double size = std::sqrt(std::norm(alpha) + rest);
      const double beta = alpha.real() >= 0 ? -size : size;
      t = Number((beta - alpha.real()) / beta, -alpha.imag() / beta);
      for (int64_t r = k + 1; r < m; ++r) a.set(r, k, a(r, k) / (alpha - beta));
      a.set(k, k, beta);
    }
    store(a.format, tau, k, t);
    for (int64_t c = k + 1; c < n; ++c) {  // the adjoint of the reflection
      Number sum = a(k, c);
      for (int64_t r = k + 1; r < m; ++r) sum += std::conj(a(r, k)) * a(r, c);
      sum *= std::conj(t);
      a.set(k, c, a(k, c) - sum);
      for (int64_t r = k + 1; r < m; ++r) a.set(r, c, a(r, c) - a(r, k) * sum);
    }
  }
}

void form_q(const Columns& a, int64_t m, int64_t n, int64_t reflections, const void* tau) {
  std::vector<Number> q(static_cast<size_t>(m * n));
  const auto at = [&](int64_t r, int64_t c) -> Number& { return q[static_cast<size_t>(r * n + c)]; };
  for (int64_t i = 0; i < n; ++i) at(i, i) = 1;
  for (int64_t k = reflections; k-- > 0;) {
    const Number t = load(a.format, tau, k);
    for (int64_t c = 0; c < n; ++c) {
      Number sum = at(k, c);
      for (int64_t r = k + 1; r < m; ++r) sum += std::conj(a(r, k)) * at(r, c);
      sum *= t;
      at(k, c) -= sum;
      for (int64_t r = k + 1; r < m; ++r) at(r, c) -= a(r, k) * sum;
    }
  }
  for (int64_t r = 0; r < m; ++r) {
    for (int64_t c = 0; c < n; ++c) a.set(r, c, at(r, c));
  }
}

int run_form_q(Handle handle, DataFormat format, int m, int n, int k, void* a, int leading, const void* tau,
               void* work, int elements, int* info) {
  if (leading < m || n > m || k > n || elements < 1) return kInvalid;
  return enqueue(handle->stream, [=] {
    std::memset(work, 0x5a,
                static_cast<size_t>(elements) * static_cast<size_t>(bytes_of(static_cast<int>(format))));
    form_q({static_cast<int>(format), a, leading}, m, n, k, tau);
    *info = 0;
  });
}

}  // namespace

DYAD_LIBRARY_FUNCTION cusolverDnCreate(Handle* handle) {
  *handle = new cusolverDnContext;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cusolverDnSetStream(Handle handle, StreamHandle stream) {
  handle->stream = stream;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cusolverDnCreateParams(Parameters* parameters) {
  *parameters = new cusolverDnParams;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cusolverDnXgetrf_bufferSize(Handle, Parameters, int64_t, int64_t, int, const void*,
                                                  int64_t, int, size_t* device, size_t* host) {
  return give_room(device, host);
}
DYAD_LIBRARY_FUNCTION cusolverDnXgetrf(Handle handle, Parameters, int64_t m, int64_t n, int format, void* a,
                                       int64_t leading, int64_t* exchanges, int, void*, size_t, void*, size_t,
                                       int* info) {
  if (m != n || leading < m) return kInvalid;
  return enqueue(handle->stream, [=] { factor_lu({format, a, leading}, n, exchanges, info); });
}
DYAD_LIBRARY_FUNCTION cusolverDnXgetrs(Handle handle, Parameters, int operation, int64_t n, int64_t columns,
                                       int format, const void* a, int64_t a_leading, const int64_t* exchanges,
                                       int b_format, void* b, int64_t b_leading, int* info) {
  if (a_leading < n || b_leading < n) return kInvalid;
  return enqueue(handle->stream, [=] {
    std::vector<Number> whole = product_of_factors({format, const_cast<void*>(a), a_leading}, n, exchanges);
    if (operation == static_cast<int>(blas::Operation::kTranspose)) {
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < r; ++c)
          std::swap(whole[static_cast<size_t>(r * n + c)], whole[static_cast<size_t>(c * n + r)]);
      }
    }
    solve(std::move(whole), n, {b_format, b, b_leading}, columns);
    *info = 0;
  });
}
DYAD_LIBRARY_FUNCTION cusolverDnXpotrf_bufferSize(Handle, Parameters, int, int64_t, int, const void*, int64_t,
                                                  int, size_t* device, size_t* host) {
  return give_room(device, host);
}
DYAD_LIBRARY_FUNCTION cusolverDnXpotrf(Handle handle, Parameters, int fill, int64_t n, int format, void* a,
                                       int64_t leading, int, void*, size_t, void*, size_t, int* info) {
  const bool lower = fill == static_cast<int>(blas::Fill::kLower);
  return enqueue(handle->stream, [=] { factor_cholesky({format, a, leading}, n, lower, info); });
}
DYAD_LIBRARY_FUNCTION cusolverDnXgeqrf_bufferSize(Handle, Parameters, int64_t, int64_t, int, const void*,
                                                  int64_t, int, const void*, int, size_t* device,
                                                  size_t* host) {
  return give_room(device, host);
}
DYAD_LIBRARY_FUNCTION cusolverDnXgeqrf(Handle handle, Parameters, int64_t m, int64_t n, int format, void* a,
                                       int64_t leading, int, void* tau, int, void*, size_t, void*, size_t,
                                       int* info) {
  return enqueue(handle->stream, [=] {
    factor_qr({format, a, leading}, m, n, tau);
    *info = 0;
  });
}
DYAD_LIBRARY_FUNCTION cusolverDnXsyevd_bufferSize(Handle, Parameters, int, int, int64_t, int, const void*,
                                                  int64_t, int, const void*, int, size_t* device,
                                                  size_t* host) {
  return give_room(device, host);
}
DYAD_LIBRARY_FUNCTION cusolverDnXsyevd(Handle handle, Parameters, int, int, int64_t n, int format, void* a,
                                       int64_t leading, int w_format, void* w, int, void*, size_t, void*,
                                       size_t, int* info) {
  return enqueue(handle->stream, [=] {
    const Columns given{format, a, leading};
    dyad::kernels::Matrix matrix(n, n);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) matrix(r, c) = given(std::max(r, c), std::min(r, c)).real();
    }
    std::vector<double> values;
    dyad::kernels::Matrix vectors;
    dyad::kernels::factor_symmetric(matrix, values, vectors);
    for (int64_t c = 0; c < n; ++c) {
      store(w_format, w, c, values[static_cast<size_t>(c)]);
      for (int64_t r = 0; r < n; ++r) given.set(r, c, -vectors(r, c));  // the sign is free
    }
    *info = 0;
  });
}
DYAD_LIBRARY_FUNCTION cusolverDnXgesvd_bufferSize(Handle, Parameters, signed char, signed char, int64_t,
                                                  int64_t, int, const void*, int64_t, int, const void*, int,
                                                  const void*, int64_t, int, const void*, int64_t, int,
                                                  size_t* device, size_t* host) {
  return give_room(device, host);
}
DYAD_LIBRARY_FUNCTION cusolverDnXgesvd(Handle handle, Parameters, signed char u_job, signed char v_job,
                                       int64_t m, int64_t n, int format, void* a, int64_t leading,
                                       int s_format, void* s, int u_format, void* u, int64_t u_leading,
                                       int v_format, void* v, int64_t v_leading, int, void*, size_t, void*,
                                       size_t, int* info) {
  if (m < n || leading < m || u_job != v_job) return kInvalid;
  if (u_job != 'N' && (u_leading < m || v_leading < n)) return kInvalid;
  return enqueue(handle->stream, [=] {
    const Columns given{format, a, leading};
    ComplexMatrix matrix(m, n);
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) matrix(r, c) = given(r, c);
    }
    ComplexMatrix left;
    ComplexMatrix right;
    std::vector<double> values;
    dyad::kernels::factor_complex_svd(matrix, u_job == 'A', left, values, right);
    for (int64_t i = 0; i < n; ++i) store(s_format, s, i, values[static_cast<size_t>(i)]);
    *info = 0;
    if (u_job == 'N') return;
    const Columns u_columns{u_format, u, u_leading};
    const Columns v_columns{v_format, v, v_leading};
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < left.columns; ++c) u_columns.set(r, c, -left(r, c));  // the phase is free
    }
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) v_columns.set(r, c, -std::conj(right(c, r)));
    }
  });
}

#define DYAD_EMULATED_Q(symbol, format)                                                                   \
  DYAD_LIBRARY_FUNCTION symbol##_bufferSize(Handle, int, int, int, const void*, int, const void*,         \
                                            int* elements) {                                              \
    *elements = 8;                                                                                        \
    return kDone;                                                                                         \
  }                                                                                                       \
  DYAD_LIBRARY_FUNCTION symbol(Handle handle, int m, int n, int k, void* a, int leading, const void* tau, \
                               void* work, int elements, int* info) {                                     \
    return run_form_q(handle, DataFormat::format, m, n, k, a, leading, tau, work, elements, info);        \
  }
DYAD_EMULATED_Q(cusolverDnSorgqr, kFloat32)
DYAD_EMULATED_Q(cusolverDnDorgqr, kFloat64)
DYAD_EMULATED_Q(cusolverDnCungqr, kComplex64)
DYAD_EMULATED_Q(cusolverDnZungqr, kComplex128)

DYAD_CUSOLVER(DYAD_CHECK_LIBRARY)
