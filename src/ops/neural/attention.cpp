#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(attention, attention_gradient, cast, dropout, matmul, mul, ones, softmax, sum, sum_to, swapaxes,
         triangle, where);

constexpr double kHidden = -std::numeric_limits<double>::infinity();

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

Shape leading(const ValueImpl& x) { return Shape(x.shape.begin(), x.shape.end() - 2); }

/// dtype and shape of attention with query, key, value and mask from argument `first` on.
ResultSpec attended(const Arguments& args, size_t first) {
  const ValueImpl& query = args.in(first);
  const ValueImpl& key = args.in(first + 1);
  const ValueImpl& value = args.in(first + 2);
  for (const ValueImpl* operand : {&query, &key, &value}) {
    if (operand->rank() < 2) {
      value_error(args.op(), ": query, key and value have shapes ", query.shape, ", ", key.shape, " and ",
                  value.shape, "; need (…, length, width) each");
    }
  }
  const auto from_end = [](const ValueImpl& x, size_t i) { return x.shape[x.shape.size() - i]; };
  if (differ(from_end(query, 1), from_end(key, 1)) || differ(from_end(key, 2), from_end(value, 2))) {
    value_error(args.op(), ": query, key and value have shapes ", query.shape, ", ", key.shape, " and ",
                value.shape, "; query and key must agree in width, key and value in length");
  }
  if (from_end(key, 2) == Dim(0))
    value_error(args.op(), ": key has shape ", key.shape, "; need at least one key");
  DType dtype = promote(args.op(), promote(args.op(), query.dtype, key.dtype), value.dtype);
  infer::require_dtype(args, first, is_float(dtype), "float16, bfloat16, float32 and float64");
  Shape shape = broadcast(args.op(), broadcast(args.op(), leading(query), leading(key)), leading(value));
  if (args.has(first + 3)) {
    Shape scores = shape;
    scores.push_back(from_end(query, 2));
    scores.push_back(from_end(key, 2));
    if (!broadcasts_to(args.in(first + 3).shape, scores)) {
      value_error(args.op(), ": the mask has shape ", args.in(first + 3).shape, "; it must broadcast to ",
                  scores);
    }
  }
  shape.push_back(from_end(query, 2));
  shape.push_back(from_end(value, 1));
  return {dtype, shape};
}

void infer_attention(const Arguments& args, Results& results) {
  const ResultSpec spec = attended(args, 0);
  results.add(spec.dtype, spec.shape);
}

/// Weights of the values, formed as a whole: for the gradient and for dropout.
Value attention_weights(const Call& call, const Value& query, const Value& key, const Value& mask,
                        bool causal, double scale) {
  Value scores = mul(matmul(query, swapaxes(key, -1, -2)), scale);
  if (mask) scores = scores + mask;
  if (causal) {
    const Dims square{query->shape[query->shape.size() - 2], key->shape[key->shape.size() - 2]};
    scores = where(triangle(ones(call.builder(), square, DType::kBool)), scores, kHidden);
  }
  return softmax(scores, -1);
}

/// The gradients of the weights and, through the softmax, of the scores.
struct WeightGradients {
  Value weights;
  Value scores;
};

WeightGradients weight_gradients(const Call& call, const Value& gradient, const Value& query,
                                 const Value& key, const Value& value, const Value& mask, bool causal,
                                 double scale) {
  const Value weights = attention_weights(call, query, key, mask, causal, scale);
  const Value by_weight = matmul(gradient, swapaxes(value, -1, -2));
  const Value mean = sum(mul(by_weight, weights), Dims{-1}, true);
  return {weights, mul(weights, by_weight - mean)};
}

void attention_rule(GradCall& g) {
  const ValueList found = attention_gradient.all(g.grad(), g[0], g[1], g[2], g[3], g[4], g[5]);
  for (size_t i = 0; i < 3; ++i) g.set(i, sum_to(found[i], g.value(i)));
  if (!g.has(3) || !g.needs(3)) return;
  const auto by =
      weight_gradients(g, g.grad(), g.value(0), g.value(1), g.value(2), g.value(3), g.flag(4), g.real(5));
  g.set(3, sum_to(by.scores, g.value(3)));
}

void infer_attention_gradient(const Arguments& args, Results& results) {
  const ResultSpec spec = attended(args, 1);
  const Shape& given = args.in(0).shape;
  bool fits = given.size() == spec.shape.size();
  for (size_t i = 0; fits && i < given.size(); ++i) fits = !differ(given[i], spec.shape[i]);
  if (!fits) {
    value_error(args.op(), ": gradient has shape ", given, "; attention gives ", spec.shape);
  }
  for (size_t i = 1; i < 4; ++i) {
    const Shape& operand = args.in(i).shape;
    Shape shape(spec.shape.begin(), spec.shape.end() - 2);
    shape.push_back(operand[operand.size() - 2]);
    shape.push_back(operand.back());
    results.add(promote(args.op(), args.in(0).dtype, spec.dtype), shape);
  }
}

/// Slices are one more of the leading dimensions, which the mask alone cannot add.
void attended_slices(const BatchCall& call, ValueList& results) {
  if (call.mapped(0) || call.mapped(1) || call.mapped(2)) return batch::aligned(call, results);
  std::vector<Arg> args = batch::wholes(call);
  int64_t rank = 0;
  for (size_t i = 0; i < 3; ++i) rank = std::max(rank, call.in(i).rank());
  for (size_t i = 0; i < 4; ++i) args[i] = batch::padded(*args[i].get<Value>(), rank);
  batch::apply(call, args, results);
}

/// Two products over all pairs of a query and a key.
double pair_flops(const ValueImpl& query, const ValueImpl& key) {
  return 4 * cost::elements(query) * cost::axis_from_end(key, 2);
}

}  // namespace

DYAD_OP(
    "attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor?, causal: bool, scale: float) -> "
    "Tensor")
    .doc("softmax(scale * query @ key.T + mask) @ value, a block of queries at a time.")
    .hidden()
    .infer(infer_attention)
    .grad(attention_rule)
    .batch(attended_slices)
    .cost([](const Arguments& args, cost::Values) { return pair_flops(args.in(0), args.in(1)); })
    .autocast(Autocast::kLow)
    .numpy("ref.attention(query, key, value, mask, 0.0, causal, scale)")
    .samples("call(T(1, 2, 3), T(1, 2, 3), T(1, 2, 2), None, False, 0.5)",
             "call(T(1, 2, 3), T(1, 4, 3), T(1, 4, 2), None, False, 0.5, dtypes='float')",
             "call(T(1, 2, 3), T(1, 2, 3), T(1, 2, 2), T(2, 2), False, 0.5)",
             "call(T(3, 2), T(3, 2), T(3, 1), None, True, 0.5)",
             "call(T(2, 3, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 7), T(5, 6), False, 0.5)",
             "call(T(70, 8), T(70, 8), T(70, 8), None, True, 0.3)",
             "call(strided(T(2, 5, 4)), strided(T(2, 6, 4)), strided(T(2, 6, 4)), None, False, 1.0)")
    .rejects("ops.scaled_dot_product_attention(ones(2, 3), ones(2, 4), ones(2, 3))", "ValueError",
             "query and key must agree in width");

DYAD_OP(
    "attention_gradient(gradient: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Tensor?, causal: "
    "bool, scale: float) -> (Tensor, Tensor, Tensor)")
    .doc("Gradients of attention's query, key and value, each over the whole stack that they broadcast to.")
    .hidden()
    .infer(infer_attention_gradient)
    .compose([](const Call& call) -> ValueList {
      const double scale = call.real(6);
      const auto by = weight_gradients(call, call.value(0), call.value(1), call.value(2), call.value(3),
                                       call.value(4), call.flag(5), scale);
      return {mul(matmul(by.scores, call[2]), scale),
              mul(matmul(swapaxes(by.scores, -1, -2), call[1]), scale),
              matmul(swapaxes(by.weights, -1, -2), call[0])};
    })
    // The scores once more, and four products for the gradients.
    .cost([](const Arguments& args, cost::Values) { return 2.5 * pair_flops(args.in(1), args.in(2)); })
    .numpy("ref.attention_gradient(gradient, query, key, value, mask, causal, scale)")
    .samples("call(T(1, 2, 2), T(1, 2, 3), T(1, 4, 3), T(1, 4, 2), None, False, 0.5)",
             "call(T(2, 3, 2), T(2, 3, 4), T(3, 4), T(3, 2), None, True, 0.5)",
             "call(T(5, 2), T(5, 3), T(3, 3), T(3, 2), T(5, 3), True, 0.5)",
             "call(T(70, 8), T(70, 8), T(140, 8), T(140, 8), None, True, 0.3)",
             "call(strided(T(2, 70, 4)), strided(T(2, 70, 6)), strided(T(2, 5, 6)), T(2, 5, 4), None, False, "
             "0.3)")
    .rejects(
        "dyad._core.named_op('attention_gradient')(ones(2), ones(2, 2), ones(2, 2), ones(2, 2), None, "
        "False, 1.0)",
        "ValueError", "attention_gradient: gradient has shape (2,); attention gives (2, 2)");

DYAD_OP(
    "scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor?=None, "
    "dropout_p: float=0.0, is_causal: bool=False, scale: float?=None) -> Tensor")
    .doc("Scaled dot-product attention of each query to all keys.")
    .formula("out = softmax(query @ keyᵀ · scale + mask) @ value")
    .arg("query", "floats of shape (*batch, L, E).")
    .arg("key", "of shape (*batch, S, E).")
    .arg("value", "of shape (*batch, S, V).")
    .arg("attn_mask",
         "broadcasts to (*batch, L, S): bools (True: attend) or floats that are added; None: no mask.")
    .arg("dropout_p", "probability that a weight becomes 0; applied whenever it is not 0.")
    .arg("is_causal", "whether query i sees only keys j ≤ i.")
    .arg("scale", "factor of the products; None: 1/√E.")
    .returns("Tensor of shape (*batch, L, V).")
    .see("nn.MultiheadAttention, ops.softmax")
    .reference("arXiv:1706.03762")
    .compose([](const Call& call) {
      if (call.in(0).rank() < 2) {
        value_error(call.op(), ": query has shape ", call.in(0).shape, "; need (…, length, width)");
      }
      const Value& query = call.value(0);
      double scale = call.real(6, 1.0);
      if (!call.has(6)) scale = 1 / std::sqrt(static_cast<double>(query->shape.back().value()));
      const double drop = call.real(4);
      if (!(drop >= 0 && drop <= 1))
        value_error(call.op(), ": dropout_p is ", drop, "; it must be between 0 and 1");
      Value mask = call.value(3);
      if (mask && is_bool(mask->dtype)) mask = where(mask, 0.0, kHidden);
      if (mask && mask->dtype != call.in(0).dtype) mask = cast(mask, call.in(0).dtype);
      if (drop == 0) return attention(query, call[1], call[2], mask, call[5], scale);
      const Value weights = attention_weights(call, query, call.value(1), mask, call.flag(5), scale);
      return matmul(dropout(weights, drop, true), call[2]);
    })
    .autocast(Autocast::kLow)
    .numpy("ref.attention(query, key, value, attn_mask, dropout_p, is_causal, scale)")
    .samples(
        "call(T(2, 3, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 7), dtypes='float')",
        "call(T(2, 2, 3, 4), T(2, 2, 3, 4), T(2, 2, 3, 4), V([[1, 0, 1], [0, 1, 1], [1, 1, 1]], 'bool'))",
        "call(T(1, 2, 5, 4), T(1, 2, 5, 4), T(1, 2, 5, 4), is_causal=True)")
    .rejects("ops.scaled_dot_product_attention(ones(2, 3), ones(2, 3), ones(2, 3), ones(3, 3))", "ValueError",
             "the mask has shape (3, 3)");

}  // namespace dyad
