// Several tensors seen as one range of elements, so that many small ones cost no more than one large one.

#include <algorithm>
#include <atomic>
#include <deque>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/gradient_table.h"
#include "kernels/cpu/loops.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kPiece = 1 << 14;

template <class T>
const GradientLoops<T>& loops() {
  static const GradientTable& best = best_instruction_set() == 2   ? avx512::gradient_table
                                     : best_instruction_set() == 1 ? avx2::gradient_table
                                                                   : baseline::gradient_table;
  if constexpr (std::is_same_v<T, float>) {
    return best.float32;
  } else {
    return best.float64;
  }
}

/// A stretch of one tensor.
struct Piece {
  size_t tensor;
  int64_t begin;
  int64_t count;
};

std::vector<Piece> pieces_of(const ValueList& tensors) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t size = tensors[i]->size();
    for (int64_t at = 0; at < size; at += kPiece) pieces.push_back({i, at, std::min(kPiece, size - at)});
  }
  return pieces;
}

/// Pieces that one thread takes at least: small tensors do not wake another one.
int64_t grain_of(const std::vector<Piece>& pieces) {
  int64_t elements = 0;
  for (const Piece& piece : pieces) elements += piece.count;
  return elements <= 2 * kPiece ? static_cast<int64_t>(pieces.size()) : 1;
}

/// Reads pieces of contiguous tensors in the type they are computed in.
class Reader {
 public:
  explicit Reader(const ValueList& tensors) {
    for (const Value& tensor : tensors) inputs_.emplace_back(*tensor);
    for (const Value& tensor : tensors) dtypes_.push_back(tensor->dtype);
  }
  DType dtype(const Piece& piece) const { return dtypes_[piece.tensor]; }
  /// The piece itself where its type is T, else converted into `scratch`.
  template <class T>
  const T* read(const Piece& piece, T* scratch) const {
    const DType dtype = dtypes_[piece.tensor];
    const char* at = inputs_[piece.tensor].as<char>() + piece.begin * itemsize(dtype);
    const DType wanted = std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64;
    if (dtype == wanted) return reinterpret_cast<const T*>(at);
    converter(dtype, wanted)(piece.count, at, scratch);
    return scratch;
  }

 private:
  std::deque<Contiguous> inputs_;  // they cannot be moved
  std::vector<DType> dtypes_;
};

/// (x: Tensors) → Σ x²; each piece is summed alone, so that the result does not depend on the threads.
void run_square_sum(const KernelCall& call) {
  const ValueList& tensors = call.values(0);
  const std::vector<Piece> pieces = pieces_of(tensors);
  const Reader reader(tensors);
  std::vector<double> sums(pieces.size());
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      with_float(compute_dtype(reader.dtype(piece)), [&]<class T>(T) {
        const T* in = reader.read(piece, reinterpret_cast<T*>(scratch));
        sums[static_cast<size_t>(i)] = static_cast<double>(loops<T>().square_sum(piece.count, in));
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
  const Reader reader(tensors);
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
        loops<T>().scale(piece.count, in, static_cast<T>(factor), out);
        if (!direct) converter(compute_dtype(dtype), dtype)(piece.count, out, to);
      });
    }
  });
}

/// (x: Tensors) → whether no element is infinite or NaN.
void run_all_finite(const KernelCall& call) {
  const ValueList& tensors = call.values(0);
  const std::vector<Piece> pieces = pieces_of(tensors);
  const Reader reader(tensors);
  std::atomic<bool> finite = true;
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (int64_t i = begin; i < end && finite; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      if (!is_float(reader.dtype(piece))) continue;
      with_float(compute_dtype(reader.dtype(piece)), [&]<class T>(T) {
        const T* in = reader.read(piece, reinterpret_cast<T*>(scratch));
        if (!loops<T>().all_finite(piece.count, in)) finite = false;
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
