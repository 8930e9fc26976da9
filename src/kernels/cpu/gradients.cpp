// Steps over all gradients of a network at once.

#include <atomic>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/pieces.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// (x: Tensors) → Σ x²; each piece is summed alone, so that the result does not depend on the threads.
void run_square_sum(const KernelCall& call) {
  const ValueList& tensors = call.values(0);
  const std::vector<Piece> pieces = pieces_of(tensors);
  const PieceReader reader(tensors);
  std::vector<double> sums(pieces.size());
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      with_float(compute_dtype(reader.dtype(piece)), [&]<class T>(T) {
        const T* in = reader.read(piece, reinterpret_cast<T*>(scratch));
        sums[static_cast<size_t>(i)] = static_cast<double>(gradient_loops<T>().square_sum(piece.count, in));
      });
    }
  });
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  with_float(call.out().dtype, [&]<class T>(T) { *call.out().as<T>() = static_cast<T>(total); });
}

/// (x: Tensors, factor)
void run_scale(const KernelCall& call) {
  const ValueList& tensors = call.values(0);
  const std::vector<Piece> pieces = pieces_of(tensors);
  const PieceReader reader(tensors);
  const Contiguous number(call.in(1), DType::kFloat64);
  const double factor = *number.as<double>();
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      const DType dtype = reader.dtype(piece);
      char* to = call.out(piece.tensor).as<char>() + piece.begin * itemsize(dtype);
      with_float(compute_dtype(dtype), [&]<class T>(T) {
        T* converted = reinterpret_cast<T*>(scratch);
        const T* in = reader.read(piece, converted);
        const bool direct = dtype == compute_dtype(dtype);
        T* out = direct ? reinterpret_cast<T*>(to) : converted;
        gradient_loops<T>().scale(piece.count, in, static_cast<T>(factor), out);
        if (!direct) converter(compute_dtype(dtype), dtype)(piece.count, out, to);
      });
    }
  });
}

/// (x: Tensors) → whether no element is infinite or NaN.
void run_all_finite(const KernelCall& call) {
  const ValueList& tensors = call.values(0);
  const std::vector<Piece> pieces = pieces_of(tensors);
  const PieceReader reader(tensors);
  std::atomic<bool> finite = true;
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (int64_t i = begin; i < end && finite; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      if (!is_float(reader.dtype(piece))) continue;
      with_float(compute_dtype(reader.dtype(piece)), [&]<class T>(T) {
        const T* in = reader.read(piece, reinterpret_cast<T*>(scratch));
        if (!gradient_loops<T>().all_finite(piece.count, in)) finite = false;
      });
    }
  });
  *call.out().as<bool>() = finite;
}

}  // namespace

DYAD_CPU_KERNEL(square_sum_of_all, run_square_sum);
DYAD_CPU_KERNEL(scale_all, run_scale);
DYAD_CPU_KERNEL(all_finite, run_all_finite);

}  // namespace dyad::kernels
