#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/prepared.h"
#include "kernels/cpu/softmax_table.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

const SoftmaxTable& table() {
  static const SoftmaxTable& best = best_instruction_set() == 2   ? avx512::softmax_table
                                    : best_instruction_set() == 1 ? avx2::softmax_table
                                                                  : baseline::softmax_table;
  return best;
}

// Queries handled at a time: their scores stay in the cache and the whole matrix of scores never exists.
constexpr int64_t kQueryBlock = 64;

template <class T>
const SoftmaxLoops<T>& loops() {
  if constexpr (std::is_same_v<T, float>) {
    return table().float32;
  } else {
    return table().float64;
  }
}

/// One call: operands of shape (stack…, length, width), the mask broadcast to (stack…, queries, keys).
struct Attention {
  DType computed;
  const ValueImpl& query;
  const ValueImpl& key;
  const ValueImpl& value;
  const ValueImpl* mask;  ///< of the computed dtype, added to the scores; or null
  Strides mask_strides;   ///< over the shape of the scores
  Shape stack;
  bool causal;
  double scale;
  char* out;

  int64_t queries() const { return sizes(query.shape)[query.rank() - 2]; }
  int64_t keys() const { return sizes(key.shape)[key.rank() - 2]; }
  int64_t width() const { return sizes(query.shape)[query.rank() - 1]; }
  int64_t out_width() const { return sizes(value.shape)[value.rank() - 1]; }
};

int64_t stride(const ValueImpl& x, int64_t from_end) {
  return x.strides[static_cast<size_t>(x.rank() - from_end)];
}

/// Where entry `index` of the stack starts.
int64_t stack_offset(const Strides& strides, const Shape& stack, int64_t index) {
  int64_t offset = 0;
  for (size_t d = stack.size(); d-- > 0;) {
    offset += index % stack[d].value() * strides[d];
    index /= stack[d].value();
  }
  return offset;
}

Strides leading_strides(const ValueImpl& x, const Shape& stack) {
  return broadcast_strides(Shape(x.shape.begin(), x.shape.end() - 2),
                           Strides(x.strides.begin(), x.strides.end() - 2), stack);
}

template <class T>
void mask_scores(const Attention& a, int64_t entry, int64_t first, int64_t rows, T* scores) {
  const T factor = static_cast<T>(a.scale);
  const int64_t keys = a.keys();
  const T* mask = nullptr;
  int64_t row_step = 0;
  int64_t key_step = 0;
  if (a.mask) {
    const size_t rank = a.mask_strides.size();
    row_step = a.mask_strides[rank - 2];
    key_step = a.mask_strides[rank - 1];
    mask = a.mask->as<const T>() + stack_offset(a.mask_strides, a.stack, entry) + first * row_step;
  }
  for (int64_t i = 0; i < rows; ++i, scores += keys) {
    for (int64_t j = 0; j < keys; ++j) scores[j] *= factor;
    if (mask) {
      for (int64_t j = 0; j < keys; ++j) scores[j] += mask[i * row_step + j * key_step];
    }
    if (a.causal) {
      for (int64_t j = first + i + 1; j < keys; ++j) scores[j] = -std::numeric_limits<T>::infinity();
    }
  }
}

template <class T>
void attend(const Attention& a, int64_t entry, int64_t first, int64_t rows, T* scores) {
  const int64_t keys = a.keys();
  auto place = [&](const ValueImpl& x, int64_t row) {
    return x.as<const T>() + stack_offset(leading_strides(x, a.stack), a.stack, entry) + row * stride(x, 2);
  };
  MatrixProducts product{};
  product.dtype = a.computed;
  product.m = rows;
  product.n = keys;
  product.k = a.width();
  product.a = {place(a.query, first), stride(a.query, 2), stride(a.query, 1)};
  product.b = {place(a.key, 0), stride(a.key, 1), stride(a.key, 2)};
  product.c = scores;
  multiply_matrices(product);
  mask_scores(a, entry, first, rows, scores);
  for (int64_t i = 0; i < rows; ++i) loops<T>().softmax(scores + i * keys, keys, 1, 1, scores + i * keys);
  product.n = a.out_width();
  product.k = keys;
  product.a = {scores, keys, 1};
  product.b = {place(a.value, 0), stride(a.value, 2), stride(a.value, 1)};
  product.c = reinterpret_cast<T*>(a.out) + (entry * a.queries() + first) * a.out_width();
  multiply_matrices(product);
}

template <class T>
void run_blocks(const Attention& a) {
  const int64_t blocks = (a.queries() + kQueryBlock - 1) / kQueryBlock;
  const int64_t entries = numel(a.stack);
  const int64_t work = std::max<int64_t>(1, kQueryBlock * a.keys() * a.width());
  parallel_for(entries * blocks, 1 + (1 << 16) / work, [&](int64_t begin, int64_t end) {
    Workspace scores(static_cast<size_t>(kQueryBlock * a.keys()) * sizeof(T));
    for (int64_t index = begin; index < end; ++index) {
      const int64_t first = index % blocks * kQueryBlock;
      attend<T>(a, index / blocks, first, std::min(kQueryBlock, a.queries() - first), scores.as<T>());
    }
  });
}

void run_attention(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared query(call.in(0), computed, Prepared::kAnyStrides);
  const Prepared key(call.in(1), computed, Prepared::kAnyStrides);
  const Prepared value(call.in(2), computed, Prepared::kAnyStrides);
  std::optional<Prepared> mask;
  if (call.has(3)) mask.emplace(call.in(3), computed, Prepared::kAnyStrides);
  Scratch wide(computed, computed == out.dtype ? Shape{0} : out.shape);
  Attention a{
      computed, *query, *key,         *value,       mask ? &**mask : nullptr,
      {},       {},     call.flag(4), call.real(5), computed == out.dtype ? out.as<char>() : wide.as<char>()};
  a.stack = Shape(out.shape.begin(), out.shape.end() - 2);
  if (mask) {
    Shape scores = a.stack;
    scores.push_back(a.queries());
    scores.push_back(a.keys());
    a.mask_strides = broadcast_strides((*mask)->shape, (*mask)->strides, scores);
  }
  if (computed == DType::kFloat32) {
    run_blocks<float>(a);
  } else {
    run_blocks<double>(a);
  }
  if (computed != out.dtype) copy(wide, out);
}

DYAD_CPU_KERNEL(attention, run_attention);

}  // namespace

}  // namespace dyad::kernels
