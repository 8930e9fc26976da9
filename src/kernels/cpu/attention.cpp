#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/attention_operands.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/softmax.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kParallelWork = 1 << 17;

Shape stack_of(const ValueImpl& result) { return Shape(result.shape.begin(), result.shape.end() - 2); }

/// (query, key, value, mask, causal, scale) -> output
void run_attention(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const AttentionOperands a(call, 0, computed, stack_of(out));
  Computed result(out, computed);
  const int64_t keys = a.key.length();
  const int64_t width = a.value.width();
  const int64_t bytes = itemsize(computed);
  const int64_t work = std::max<int64_t>(1, a.block() * keys * a.query.width());
  parallel_for(a.entries() * a.blocks(), 1 + kParallelWork / work, [&](int64_t begin, int64_t end) {
    const Workspace weights(static_cast<size_t>(a.block() * keys * bytes));
    for (int64_t index = begin; index < end; ++index) {
      const int64_t entry = index / a.blocks();
      const int64_t first = index % a.blocks() * a.block();
      const int64_t seen = a.keys_seen(first);
      a.form_weights(entry, first, weights.as<void>());
      a.multiply(a.rows_from(first), width, seen, {weights.as<void>(), seen, 1}, a.value.at(entry),
                 result.as<char>() + (entry * a.query.length() + first) * width * bytes);
    }
  });
  result.store();
}

/// The three gradients of one entry of the stack, from that of its result.
template <class T>
struct EntryGradient {
  const AttentionOperands& a;
  const MatrixStack& gradient;
  T* query;
  T* key;
  T* value;
  T* weights;    ///< room for a block of weights,
  T* by_weight;  ///< their gradients,
  T* part;       ///< and what one block says about keys or values

  void run(int64_t entry) const {
    // The last block sees every key, so that it can write what the others add to.
    for (int64_t block = a.blocks(); block-- > 0;) run_block(entry, block * a.block());
  }

 private:
  void run_block(int64_t entry, int64_t first) const {
    const int64_t rows = a.rows_from(first);
    const int64_t seen = a.keys_seen(first);
    const MatrixView of_result = gradient.at(entry, first);
    a.form_weights(entry, first, weights);
    a.multiply(rows, seen, gradient.width(), of_result, MatrixStack::transposed(a.value.at(entry)),
               by_weight);
    add(entry, first, a.value.width(), {weights, 1, seen}, of_result, value);
    const T factor = static_cast<T>(a.scale());
    for (int64_t i = 0; i < rows; ++i) {
      T* row = by_weight + i * seen;
      softmax_loops<T>().softmax_grad(row, weights + i * seen, seen, 1, 1, row);
      for (int64_t j = 0; j < seen; ++j) row[j] *= factor;
    }
    const int64_t width = a.query.width();
    a.multiply(rows, width, seen, {by_weight, seen, 1}, a.key.at(entry),
               query + (entry * a.query.length() + first) * width);
    add(entry, first, width, {by_weight, 1, seen}, a.query.at(entry, first), key);
  }

  /// Adds the product of (seen, rows) and (rows, width) to the first rows of the entry's gradient.
  void add(int64_t entry, int64_t first, int64_t width, const MatrixView& left, const MatrixView& right,
           T* target) const {
    const int64_t rows = a.rows_from(first);
    const int64_t seen = a.keys_seen(first);
    T* to = target + entry * a.key.length() * width;
    if (first + rows == a.query.length()) {
      std::fill(to + seen * width, to + a.key.length() * width, T(0));
      return a.multiply(seen, width, rows, left, right, to);
    }
    a.multiply(seen, width, rows, left, right, part);
    for (int64_t i = 0; i < seen * width; ++i) to[i] += part[i];
  }
};

/// (gradient, query, key, value, mask, causal, scale) -> gradients of query, key and value over the whole
/// stack
void run_attention_gradient(const KernelCall& call) {
  const DType computed = compute_dtype(call.out(0).dtype);
  const Shape stack = stack_of(call.out(0));
  const AttentionOperands a(call, 1, computed, stack);
  const MatrixStack gradient(call.in(0), computed, stack);
  Computed query(call.out(0), computed);
  Computed key(call.out(1), computed);
  Computed value(call.out(2), computed);
  const int64_t keys = a.key.length();
  const int64_t widest = std::max(a.query.width(), a.value.width());
  const int64_t work = std::max<int64_t>(1, a.query.length() * keys * widest);
  with_float(computed, [&]<class T>(T) {
    T* to_query = query.as<T>();
    T* to_key = key.as<T>();
    T* to_value = value.as<T>();
    if (a.query.length() == 0) {
      std::fill(to_key, to_key + call.out(1).size(), T(0));
      std::fill(to_value, to_value + call.out(2).size(), T(0));
      return;
    }
    parallel_for(a.entries(), 1 + kParallelWork / work, [&](int64_t begin, int64_t end) {
      const Workspace weights(static_cast<size_t>(a.block() * keys) * sizeof(T));
      const Workspace by_weight(static_cast<size_t>(a.block() * keys) * sizeof(T));
      const Workspace part(static_cast<size_t>(keys * widest) * sizeof(T));
      const EntryGradient<T> one{a,        gradient,        to_query,          to_key,
                                 to_value, weights.as<T>(), by_weight.as<T>(), part.as<T>()};
      for (int64_t entry = begin; entry < end; ++entry) one.run(entry);
    });
  });
  query.store();
  key.store();
  value.store();
}

DYAD_CPU_KERNEL(attention, run_attention);
DYAD_CPU_KERNEL(attention_gradient, run_attention_gradient);

}  // namespace

}  // namespace dyad::kernels
