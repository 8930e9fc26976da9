// Attention as two products with a softmax between them. Queries are taken so many at a time as their scores
// fit into a bounded room.

#include <algorithm>

#include "kernels/cpu/strided.h"
#include "kernels/cuda/line_grid.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/attention.h"
#include "kernels/cuda/products.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

constexpr int64_t kMostScores = int64_t{256} << 20;  ///< bytes

/// Matrices (length, width) of a stack that they broadcast to.
struct Matrices {
  Operand of;
  Strides stack;

  Matrices(const Value& given, DType dtype, const Shape& broadcast) : of(given, dtype, Operand::kAnyStrides) {
    stack = broadcast_strides(Shape(of->shape.begin(), of->shape.end() - 2),
                              Strides(of->strides.begin(), of->strides.end() - 2), broadcast);
  }
  int64_t length() const { return size_from_end(*of, 2); }
  int64_t width() const { return size_from_end(*of, 1); }
  MatrixView from(int64_t row) const {
    return {of->as<char>() + row * stride_of(*of, 2) * itemsize(of->dtype), stride_of(*of, 2),
            stride_of(*of, 1)};
  }
  MatrixView transposed() const { return {of->data, stride_of(*of, 1), stride_of(*of, 2)}; }
};

class Attention {
 public:
  explicit Attention(const KernelCall& call)
      : out_(call.out()),
        stack_(out_.shape.begin(), out_.shape.end() - 2),
        query_(call.value(0), out_.dtype, stack_),
        key_(call.value(1), out_.dtype, stack_),
        value_(call.value(2), out_.dtype, stack_),
        causal_(call.flag(4)),
        scale_(call.real(5)) {
    if (call.has(3)) mask_.emplace(call.value(3), out_.dtype, Operand::kAnyStrides);
  }

  void run() const {
    const int64_t each = numel(stack_) * key_.length() * itemsize(out_.dtype);
    const int64_t at_once = std::clamp<int64_t>(kMostScores / each, 1, query_.length());
    for (int64_t first = 0; first < query_.length(); first += at_once)
      attend(first, std::min(at_once, query_.length() - first));
  }

 private:
  /// A product of the whole stack; `result_rows` of the result are as many as lie in one of its matrices.
  MatrixProducts products(int64_t m, int64_t n, int64_t k, int64_t result_rows) const {
    MatrixProducts p{out_.device, out_.dtype, m, n, k, {}, {}, nullptr, n};
    p.batch.assign(sizes(stack_), sizes(stack_) + stack_.size());
    p.c_batch = contiguous_strides(stack_);
    for (int64_t& stride : p.c_batch) stride *= result_rows * n;
    return p;
  }

  void attend(int64_t first, int64_t queries) const {
    const int64_t keys = causal_ ? std::min(key_.length(), first + queries) : key_.length();
    const DeviceScratch scores(out_.device, out_.dtype, Shape{numel(stack_), queries, keys});
    MatrixProducts p = products(queries, keys, query_.width(), queries);
    p.a = query_.from(first);
    p.b = key_.transposed();
    p.c = scores.data;
    p.a_batch = query_.stack;
    p.b_batch = key_.stack;
    p.factor = scale_;
    multiply_matrices(p);
    weigh(scores, first, queries, keys);
    MatrixProducts sums = products(queries, value_.width(), keys, query_.length());
    sums.a = {scores.data, keys, 1};
    sums.b = value_.from(0);
    sums.c = out_.as<char>() + first * value_.width() * itemsize(out_.dtype);
    sums.a_batch = contiguous_strides(stack_);
    for (int64_t& stride : sums.a_batch) stride *= queries * keys;
    sums.b_batch = value_.stack;
    multiply_matrices(sums);
  }

  void weigh(const DeviceScratch& scores, int64_t first, int64_t queries, int64_t keys) const {
    AttentionParams p{};
    p.scores = scores.data;
    p.lines = numel(stack_) * queries;
    p.queries = queries;
    p.keys = keys;
    p.first = first;
    p.causal = causal_;
    std::optional<DeviceScratch> spread;
    if (mask_) describe_mask(p, spread);
    launch_teams(out_.device.index, "weigh_keys", p.lines, keys, out_.dtype, p);
  }

  /// The mask as it broadcasts to the scores; one of too many dimensions is written out.
  void describe_mask(AttentionParams& p, std::optional<DeviceScratch>& spread) const {
    Shape lines = stack_;
    lines.push_back(p.queries);
    Shape scores = stack_;
    scores.push_back(query_.length());
    scores.push_back(key_.length());
    Strides strides = broadcast_strides((*mask_)->shape, (*mask_)->strides, scores);
    p.mask_step = strides.back();
    strides.pop_back();
    p.mask = (*mask_)->as<char>() + p.first * strides.back() * itemsize(out_.dtype);
    if (lines.size() > static_cast<size_t>(kStridedRank)) {
      Shape whole = lines;
      whole.push_back(p.keys);
      strides.push_back(p.mask_step);
      spread.emplace(out_.device, out_.dtype, whole);
      move_elements(out_.device.index, out_.dtype, whole, p.mask, strides, spread->data, spread->strides);
      p.mask = spread->data;
      p.mask_step = 1;
      lines = Shape{p.lines};
      strides = Strides{p.keys};
    }
    p.mask_lines.rank = static_cast<uint32_t>(lines.size());
    for (size_t d = 0; d < lines.size(); ++d) {
      p.mask_lines.size[d] = static_cast<uint32_t>(lines[d].value());
      p.mask_lines.divisor[d] = Divisor::of(p.mask_lines.size[d]);
      p.mask_lines.stride[0][d] = strides[d];
    }
  }

  ValueImpl& out_;
  Shape stack_;
  Matrices query_;
  Matrices key_;
  Matrices value_;
  std::optional<Operand> mask_;
  bool causal_;
  double scale_;
};

/// (query, key, value, mask, causal, scale)
void run_attention(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const Attention attention(call);
  attention.run();
}

DYAD_CUDA_KERNEL(attention, run_attention);

}  // namespace

}  // namespace dyad::cuda
