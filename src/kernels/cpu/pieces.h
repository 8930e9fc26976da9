#pragma once

// Several tensors seen as one range of elements, so that many small ones cost no more than one large one.

#include <algorithm>
#include <deque>
#include <type_traits>
#include <vector>

#include "kernels/cpu/best_table.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/gradient_table.h"
#include "kernels/cpu/loops.h"
#include "types/arg.h"

namespace dyad::kernels {

inline constexpr int64_t kPiece = 1 << 14;

template <class T>
const GradientLoops<T>& gradient_loops() {
  static const GradientTable& best =
      best_table(baseline::gradient_table, avx2::gradient_table, avx512::gradient_table);
  return loops_in<T>(best);
}

/// A stretch of one tensor.
struct Piece {
  size_t tensor;
  int64_t begin;
  int64_t count;
};

inline std::vector<Piece> pieces_of(const ValueList& tensors) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t size = tensors[i]->size();
    for (int64_t at = 0; at < size; at += kPiece) pieces.push_back({i, at, std::min(kPiece, size - at)});
  }
  return pieces;
}

/// Pieces that one thread takes at least: small tensors do not wake another one.
inline int64_t grain_of(const std::vector<Piece>& pieces) {
  int64_t elements = 0;
  for (const Piece& piece : pieces) elements += piece.count;
  return elements <= 2 * kPiece ? static_cast<int64_t>(pieces.size()) : 1;
}

/// Reads pieces of contiguous tensors in the type they are computed in.
class PieceReader {
 public:
  explicit PieceReader(const ValueList& tensors) {
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

}  // namespace dyad::kernels
