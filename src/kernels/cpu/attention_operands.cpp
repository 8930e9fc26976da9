#include "kernels/cpu/attention_operands.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/computed.h"
#include "kernels/cpu/loops.h"
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

const LoopEntry* loops_of(std::string_view op) {
  return static_cast<const LoopEntry*>(KernelRegistry::instance().find(op, DeviceKind::kCpu).payload);
}

/// An elementwise operator on `count` elements and a second operand, over the first.
void run_loop(const LoopEntry& entry, DType dtype, int64_t count, char* first, const char* second,
              uint8_t second_step) {
  const void* in[] = {first, second};
  const uint8_t steps[] = {1, second_step};
  entry.loops[static_cast<size_t>(dtype)](count, in, steps, first);
}

/// Elements of a block of weights: they and what makes them stay in the second cache.
constexpr int64_t kWeights = 32 * 1024;
constexpr int64_t kLeastQueries = 24;
constexpr int64_t kMostQueries = 192;
constexpr int64_t kMostCausalQueries = 48;  // a block sees all keys up to its last query

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
      scale_(call.real(first + 5)),
      block_(
          std::clamp(kWeights / key.length(), kLeastQueries, causal_ ? kMostCausalQueries : kMostQueries)) {
  if (!call.has(first + 3)) return;
  const ValueImpl& mask = call.in(first + 3);
  const int64_t key_step = mask.rank() == 0 ? 0 : mask.strides.back();
  const bool in_order = key_step == 1 || mask.rank() == 0 || mask.shape.back() == Dim(1);
  mask_.emplace(mask, computed, in_order ? Prepared::kAnyStrides : Prepared::kContiguous);
  Shape scores = stack_;
  scores.push_back(query.length());
  scores.push_back(key.length());
  mask_strides_ = broadcast_strides((*mask_)->shape, (*mask_)->strides, scores);
}

void AttentionOperands::scale_scores(int64_t entry, int64_t first, char* scores) const {
  static const auto* const mul = loops_of("mul");
  static const auto* const add = loops_of("add");
  const int64_t seen = keys_seen(first);
  const int64_t rows = rows_from(first);
  alignas(8) char factor[8];
  store(Scalar(scale_), computed_, factor);
  if (scale_ != 1.0) run_loop(*mul, computed_, rows * seen, scores, factor, 0);
  if (!mask_) return;
  const size_t rank = mask_strides_.size();
  const int64_t row_step = mask_strides_[rank - 2];
  const int64_t bytes = itemsize(computed_);
  const int64_t start = stack_offset(mask_strides_, stack_, entry) + first * row_step;
  const char* mask = (*mask_)->as<const char>() + start * bytes;
  const auto key_step = static_cast<uint8_t>(mask_strides_[rank - 1]);
  for (int64_t i = 0; i < rows; ++i) {
    run_loop(*add, computed_, seen, scores + i * seen * bytes, mask + i * row_step * bytes, key_step);
  }
}

template <class T>
void AttentionOperands::hide_later_keys(int64_t first, T* scores) const {
  const int64_t seen = keys_seen(first);
  for (int64_t i = 0; i < rows_from(first); ++i) {
    const int64_t visible = std::min(seen, first + i + 1);
    std::fill(scores + i * seen + visible, scores + (i + 1) * seen, -std::numeric_limits<T>::infinity());
  }
}

void AttentionOperands::form_weights(int64_t entry, int64_t first, void* weights) const {
  const int64_t rows = rows_from(first);
  const int64_t seen = keys_seen(first);
  multiply(rows, seen, query.width(), query.at(entry, first), MatrixStack::transposed(key.at(entry)),
           weights);
  scale_scores(entry, first, static_cast<char*>(weights));
  with_float(computed_, [&]<class T>(T) {
    T* scores = static_cast<T*>(weights);
    if (causal_) hide_later_keys(first, scores);
    for (int64_t i = 0; i < rows; ++i) {
      T* row = scores + i * seen;
      softmax_loops<T>().softmax(row, seen, 1, 1, row);
    }
  });
}

void AttentionOperands::multiply(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b,
                                 void* c) const {
  multiply_here(computed_, {m, n, k, a, b, c, n, nullptr, nullptr, nullptr});
}

}  // namespace dyad::kernels
