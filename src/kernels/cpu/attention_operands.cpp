#include "kernels/cpu/attention_operands.h"

#include <limits>

#include "kernels/cpu/computed.h"
#include "kernels/cpu/softmax.h"

namespace dyad::kernels {

namespace {

/// Where entry `index` of the stack starts.
int64_t stack_offset(const Strides& strides, const Shape& stack, int64_t index) {
  int64_t offset = 0;
  for (size_t d = stack.size(); d-- > 0;) {
    offset += index % stack[d].value() * strides[d];
    index /= stack[d].value();
  }
  return offset;
}

}  // namespace

MatrixStack::MatrixStack(const ValueImpl& given, DType computed, const Shape& stack)
    : value_(given, computed, Prepared::kAnyStrides), stack_(stack) {
  strides_ = broadcast_strides(Shape(value_->shape.begin(), value_->shape.end() - 2),
                               Strides(value_->strides.begin(), value_->strides.end() - 2), stack);
}

MatrixView MatrixStack::at(int64_t entry, int64_t row) const {
  const auto rank = static_cast<size_t>(value_->rank());
  const int64_t row_stride = value_->strides[rank - 2];
  const int64_t offset = stack_offset(strides_, stack_, entry) + row * row_stride;
  return {value_->as<char>() + offset * itemsize(value_->dtype), row_stride, value_->strides[rank - 1]};
}

AttentionOperands::AttentionOperands(const KernelCall& call, size_t first, DType computed, const Shape& stack)
    : query(call.in(first), computed, stack),
      key(call.in(first + 1), computed, stack),
      value(call.in(first + 2), computed, stack),
      stack_(stack),
      computed_(computed),
      causal_(call.flag(first + 4)),
      scale_(call.real(first + 5)) {
  if (!call.has(first + 3)) return;
  mask_.emplace(call.in(first + 3), computed, Prepared::kAnyStrides);
  Shape scores = stack_;
  scores.push_back(query.length());
  scores.push_back(key.length());
  mask_strides_ = broadcast_strides((*mask_)->shape, (*mask_)->strides, scores);
}

template <class T>
void AttentionOperands::mask_scores(int64_t entry, int64_t first, T* scores) const {
  const T factor = static_cast<T>(scale_);
  const int64_t seen = keys_seen(first);
  const T* mask = nullptr;
  int64_t row_step = 0;
  int64_t key_step = 0;
  if (mask_) {
    const size_t rank = mask_strides_.size();
    row_step = mask_strides_[rank - 2];
    key_step = mask_strides_[rank - 1];
    mask = (*mask_)->as<const T>() + stack_offset(mask_strides_, stack_, entry) + first * row_step;
  }
  for (int64_t i = 0; i < rows_from(first); ++i, scores += seen) {
    for (int64_t j = 0; j < seen; ++j) scores[j] *= factor;
    if (mask) {
      for (int64_t j = 0; j < seen; ++j) scores[j] += mask[i * row_step + j * key_step];
    }
    if (causal_) {
      for (int64_t j = first + i + 1; j < seen; ++j) scores[j] = -std::numeric_limits<T>::infinity();
    }
  }
}

void AttentionOperands::form_weights(int64_t entry, int64_t first, void* weights) const {
  const int64_t rows = rows_from(first);
  const int64_t seen = keys_seen(first);
  multiply(rows, seen, query.width(), query.at(entry, first), MatrixStack::transposed(key.at(entry)),
           weights);
  with_float(computed_, [&]<class T>(T) {
    T* scores = static_cast<T*>(weights);
    mask_scores(entry, first, scores);
    for (int64_t i = 0; i < rows; ++i) {
      T* row = scores + i * seen;
      softmax_loops<T>().softmax(row, seen, 1, 1, row);
    }
  });
}

void AttentionOperands::multiply(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b,
                                 void* c) const {
  MatrixProducts product{};
  product.dtype = computed_;
  product.m = m;
  product.n = n;
  product.k = k;
  product.a = a;
  product.b = b;
  product.c = c;
  multiply_matrices(product);
}

}  // namespace dyad::kernels
