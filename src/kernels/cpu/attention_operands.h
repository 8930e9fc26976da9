#pragma once

// What attention and its gradient share: the operands of a call, and the weights of a block of queries.

#include <optional>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// Matrices (length, width), one for each entry of a stack.
class MatrixStack {
 public:
  MatrixStack(const ValueImpl& given, DType computed, const Shape& stack);
  int64_t length() const { return sizes(value_->shape)[value_->rank() - 2]; }
  int64_t width() const { return sizes(value_->shape)[value_->rank() - 1]; }
  /// The matrix of an entry, from a row on.
  MatrixView at(int64_t entry, int64_t row = 0) const;
  static MatrixView transposed(const MatrixView& view) {
    return {view.data, view.column_stride, view.row_stride};
  }

 private:
  Prepared value_;
  Shape stack_;
  Strides strides_;
};

/// Query, key, value, mask, causal and scale of a call, from argument `first` on. The mask is broadcast to
/// (stack…, queries, keys).
class AttentionOperands {
 public:
  AttentionOperands(const KernelCall& call, size_t first, DType computed, const Shape& stack);

  MatrixStack query;
  MatrixStack key;
  MatrixStack value;

  double scale() const { return scale_; }
  int64_t entries() const { return numel(stack_); }
  /// Queries handled at a time: their weights stay in the cache and the whole matrix of weights never exists.
  int64_t block() const { return block_; }
  int64_t blocks() const { return (query.length() + block_ - 1) / block_; }
  int64_t rows_from(int64_t first) const { return std::min(block_, query.length() - first); }
  /// How many keys the queries of a block see; the others come later than all of them.
  int64_t keys_seen(int64_t first) const {
    return causal_ ? std::min(key.length(), first + rows_from(first)) : key.length();
  }
  /// Writes the weights of a block of queries, one row of keys_seen each: the softmax of the masked scores.
  void form_weights(int64_t entry, int64_t first, void* weights) const;
  /// One product on the calling thread; `c` is contiguous.
  void multiply(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b, void* c) const;

 private:
  void scale_scores(int64_t entry, int64_t first, char* scores) const;
  template <class T>
  void hide_later_keys(int64_t first, T* scores) const;

  Shape stack_;
  DType computed_;
  std::optional<Prepared> mask_;
  Strides mask_strides_;
  bool causal_;
  double scale_;
  int64_t block_;
};

}  // namespace dyad::kernels
