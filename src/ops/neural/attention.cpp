#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(attention)
DYAD_USE(cast)
DYAD_USE(dropout)
DYAD_USE(matmul)
DYAD_USE(mul)
DYAD_USE(ones)
DYAD_USE(ones_like)
DYAD_USE(rsqrt)
DYAD_USE(softmax)
DYAD_USE(sum)
DYAD_USE(sum_to)
DYAD_USE(swapaxes)
DYAD_USE(triangle)
DYAD_USE(where)

constexpr double kHidden = -std::numeric_limits<double>::infinity();

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

Shape leading(const ValueImpl& x) { return Shape(x.shape.begin(), x.shape.end() - 2); }

void infer_attention(const Arguments& args, Results& results) {
  const ValueImpl& query = args.in(0);
  const ValueImpl& key = args.in(1);
  const ValueImpl& value = args.in(2);
  for (size_t i = 0; i < 3; ++i) {
    if (args.in(i).rank() < 2) {
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
  infer::require_dtype(args, 0, is_float(dtype), "float16, bfloat16, float32 and float64");
  Shape shape = broadcast(args.op(), broadcast(args.op(), leading(query), leading(key)), leading(value));
  if (args.has(3)) {
    Shape scores = shape;
    scores.push_back(from_end(query, 2));
    scores.push_back(from_end(key, 2));
    if (!broadcasts_to(args.in(3).shape, scores)) {
      value_error(args.op(), ": the mask has shape ", args.in(3).shape, "; it must broadcast to ", scores);
    }
  }
  shape.push_back(from_end(query, 2));
  shape.push_back(from_end(value, 1));
  results.add(dtype, shape);
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

void attention_gradient(GradCall& g) {
  const Value& query = g.value(0);
  const Value& key = g.value(1);
  const Value& value = g.value(2);
  const double scale = g.real(5);
  const Value weights = attention_weights(g, query, key, g.value(3), g.flag(4), scale);
  const Value by_weight = matmul(g.grad(), swapaxes(value, -1, -2));
  const Value mean = sum(mul(by_weight, weights), Dims{-1}, true);
  const Value by_score = mul(weights, by_weight - mean);
  g.set(0, sum_to(mul(matmul(by_score, key), scale), query));
  g.set(1, sum_to(mul(matmul(swapaxes(by_score, -1, -2), query), scale), key));
  g.set(2, sum_to(matmul(swapaxes(weights, -1, -2), g.grad()), value));
  if (g.has(3)) g.set(3, sum_to(by_score, g.value(3)));
}

}  // namespace

DYAD_OP(
    "attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor?, causal: bool, scale: float) -> "
    "Tensor")
    .doc("softmax(scale * query @ key.T + mask) @ value, a block of queries at a time.")
    .hidden()
    .infer(infer_attention)
    .grad(attention_gradient)
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
    "scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor?=None, "
    "dropout_p: float=0.0, is_causal: bool=False, scale: float?=None) -> Tensor")
    .doc(
        "Attention of each query to all keys: softmax(query @ key.T / sqrt(width) + mask) @ value. A bool "
        "mask keeps "
        "the places where it is True, a float mask is added.")
    .compose([](const Call& call) {
      if (call.in(0).rank() < 2) {
        value_error(call.op(), ": query has shape ", call.in(0).shape, "; need (…, length, width)");
      }
      const Dim width = call.in(0).shape.back();
      Value query = call.value(0);
      double scale = call.real(6, 1.0);
      if (!call.has(6) && width.known()) scale = 1 / std::sqrt(static_cast<double>(width.value()));
      // A width that only the run knows is counted there.
      if (!call.has(6) && !width.known()) query = mul(query, rsqrt(sum(ones_like(query), Dims{-1}, true)));
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
    .numpy("ref.attention(query, key, value, attn_mask, dropout_p, is_causal, scale)")
    .samples(
        "call(T(2, 3, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 7), dtypes='float')",
        "call(T(2, 2, 3, 4), T(2, 2, 3, 4), T(2, 2, 3, 4), V([[1, 0, 1], [0, 1, 1], [1, 1, 1]], 'bool'))",
        "call(T(1, 2, 5, 4), T(1, 2, 5, 4), T(1, 2, 5, 4), is_causal=True)")
    .rejects("ops.scaled_dot_product_attention(ones(2, 3), ones(2, 3), ones(2, 3), ones(3, 3))", "ValueError",
             "the mask has shape (3, 3)");

}  // namespace dyad
