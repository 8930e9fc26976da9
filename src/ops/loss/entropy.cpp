// The kernels behind cross entropy and negative log-likelihood. Each keeps one number per position for the
// backward pass instead of the logarithms of all probabilities.

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"
#include "types/agreement.h"

namespace dyad::batch {

namespace {

DYAD_USE(cast, index_select, not_equal, reshape, sum, where, zeros_like);

constexpr size_t kReduction = 4;

Dim examples_of(const Value& whole) { return whole->shape[0] * whole->shape[1]; }

/// (slices, examples, …) with all examples in one row.
Value as_examples(const Value& whole) {
  Shape shape{examples_of(whole)};
  for (size_t d = 2; d < whole->shape.size(); ++d) shape.push_back(whole->shape[d]);
  return reshape(whole, shape);
}

Dims all_but_first(const Value& whole) {
  Dims axes;
  for (int64_t d = 1; d < whole->rank(); ++d) axes.push_back(d);
  return axes;
}

Value sum_of_slice(const Value& whole) {
  return whole->rank() == 1 ? whole : sum(whole, all_but_first(whole));
}

/// The weight of each position's class, 0 for one that is ignored.
Value weights_of(const BatchCall& call, const Value& target, DType dtype) {
  const Value counted = not_equal(target, call[3]);
  if (!call.has(2)) return cast(counted, dtype);
  const Value safe = where(counted, target, zeros_like(target));
  const Value own = reshape(index_select(call[2], 0, reshape(safe, Dims{-1})), target->shape);
  return cast(own, dtype) * cast(counted, dtype);
}

}  // namespace

void class_loss(const BatchCall& call, ValueList& results) {
  if (call.mapped(2)) return slice_by_slice(call, results);
  const Value input = whole(call, 0);
  const Value target = whole(call, 1);
  const bool single = slice_rank(call, 0) == 1;  // one example for each slice
  std::vector<Arg> args = wholes(call);
  args[0] = single ? input : as_examples(input);
  args[1] = single ? target : as_examples(target);
  args[2] = call[2];
  args[kReduction] = "none";
  ValueList made;
  apply(call, args, made);
  const std::vector<ResultSpec> specs = slice_results(call);
  const Value losses = reshape(made[0], target->shape);
  const Value total = sum_of_slice(weights_of(call, target, specs[2].dtype));
  Value loss = losses;
  if (call.text(kReduction) != "none") loss = sum_of_slice(loss);
  if (call.text(kReduction) == "mean") loss = loss / cast(total, loss->dtype);
  results = {loss, reshape(made[1], target->shape), total};
}

void distribution_loss(const BatchCall& call, ValueList& results) {
  if (slice_rank(call, 0) == 1) return leading(call, results);
  folded<0, 1>(call, results);
}

}  // namespace dyad::batch

namespace dyad {

namespace {

DYAD_USE(cast, class_loss_grad, cumsum, distribution_loss_grad, equal, exp, expand_dims, index_select,
         not_equal, ones_like, reshape, sum, where, zeros_like);

/// The arguments (input, target, weight) from `at` on and the options from `options` on.
void require_class_loss(const Arguments& args, size_t at, size_t options) {
  infer::require_dtype(args, at, is_float(args.in(at).dtype), "float dtypes");
  infer::require_dtype(args, at + 1, is_int(args.in(at + 1).dtype), "integer dtypes for target");
  loss::require_class_indices(args, at, at + 1);
  loss::require_class_weight(args, at, at + 2);
  loss::require_reduction(args, options + 1);
}

void infer_class_loss(const Arguments& args, Results& results) {
  require_class_loss(args, 0, 3);
  const ValueImpl& input = args.in(0);
  const Shape positions = loss::positions(input);
  results.add(input.dtype, args.text(4) == "none" ? positions : Shape{});
  results.add(compute_dtype(input.dtype), positions);
  results.add(compute_dtype(input.dtype), Shape{});
}

void require_shape(const Arguments& args, size_t at, std::string_view name, const Shape& expected) {
  if (may_agree(args.in(at).shape, expected)) return;
  value_error(args.op(), ": ", name, " has shape ", args.in(at).shape, "; it must have shape ", expected);
}

void infer_class_loss_grad(const Arguments& args, Results& results) {
  require_class_loss(args, 1, 6);
  const Shape positions = loss::positions(args.in(1));
  require_shape(args, 0, "gradient", args.text(7) == "none" ? positions : Shape{});
  require_shape(args, 4, "log_sum", positions);
  require_shape(args, 5, "total", Shape{});
  results.add(args.in(1).dtype, args.in(1).shape);
}

void require_distribution(const Arguments& args, size_t at) {
  infer::require_dtype(args, at, is_float(args.in(at).dtype), "float dtypes");
  loss::require_class_axis(args, at);
  loss::require_same_shape(args, at, at + 1);
}

/// The probabilities of the classes, given the logarithms of the sums of exponentials.
Value shares_of(const Value& input, const Value& log_sum, int64_t axis) {
  return exp(input - expand_dims(log_sum, axis));
}

/// The gradient by the logarithms of the sums of exponentials, which flows through the probabilities.
Value through_log_sum(const GradCall& g, int64_t axis) {
  return cast(expand_dims(g.grad(1), axis) * shares_of(g.value(0), g.out(1), axis), g.in(0).dtype);
}

/// 1 at the class of each position that counts, 0 elsewhere.
Value marks_of(const Value& input, const Value& target, const Arg& ignored, int64_t axis) {
  const Value numbers = cumsum(ones_like(input), axis) - 1.0;
  const Value own = cast(equal(numbers, expand_dims(target, axis)), input->dtype);
  return own * expand_dims(cast(not_equal(target, ignored), input->dtype), axis);
}

/// Sums over all axes but the one of the classes.
Value sum_by_class(const Value& terms, int64_t axis) {
  Dims others;
  for (int64_t i = 0; i < terms->rank(); ++i) {
    if (i != axis) others.push_back(i);
  }
  return others.empty() ? terms : sum(terms, others);
}

/// The gradient of class_loss by its weights, each of which multiplies its class's part of the loss and, in a
/// mean, of the divisor.
Value class_weight_gradient(const GradCall& g) {
  const Value& input = g.value(0);
  const int64_t axis = loss::class_axis(*input);
  const Value marks = marks_of(input, g.value(1), g[3], axis);
  Value divisor = g.grad(2) ? g.grad(2) : Value();
  Value result;
  if (g.grad(0)) {
    const bool averaged = g.text(4) == "mean";
    const Value arrived = averaged ? g.grad(0) / g.out(2) : g.grad(0);
    if (averaged) divisor = divisor ? divisor - arrived * g.out(0) : -(arrived * g.out(0));
    const double smoothing = g.real(5);
    const Value classes = sum(ones_like(input), Dims{axis}, true);
    const Value counted = expand_dims(cast(not_equal(g[1], g[3]), input->dtype), axis);
    const Value parts = marks * (1 - smoothing) + counted * (smoothing / classes);
    const Value below = expand_dims(g.out(1), axis) - input;
    const Value each = averaged || g.text(4) == "sum" ? arrived : expand_dims(arrived, axis);
    result = sum_by_class(parts * below * each, axis);
  }
  if (divisor) {
    const Value spread = sum_by_class(marks, axis) * divisor;
    result = result ? result + spread : spread;
  }
  return result ? cast(result, g.in(2).dtype) : zeros_like(g[2]);
}

/// The gradient of class_loss in terms of operators: what the kernel computes, differentiable to any order.
Value class_loss_gradient(const Call& call) {
  const Value& input = call.value(1);
  const Value& target = call.value(2);
  const int64_t axis = loss::class_axis(*input);
  const double smoothing = call.real(8);
  const Value counted = not_equal(target, call[6]);
  const Value safe = where(counted, target, zeros_like(target));
  const Value kept = cast(counted, input->dtype);
  const Value weight = call.has(3) ? cast(call[3], input->dtype) : Value();
  const Value own =
      weight ? reshape(index_select(weight, 0, reshape(safe, Dims{-1})), target->shape) * kept : kept;
  Value arrived = cast(call[0], input->dtype);
  if (call.text(7) == "mean") arrived = arrived / cast(call[5], input->dtype);
  arrived = arrived * kept;
  const Value marks = marks_of(input, target, call[6], axis);
  const Value ones = ones_like(input);
  Value weights = ones;
  if (weight) {
    Shape along(input->shape.size(), Dim(1));
    along[static_cast<size_t>(axis)] = weight->shape[0];
    weights = weights * reshape(weight, along);
  }
  const Value classes = sum(ones, Dims{axis}, true);
  const Value spread = weights * (smoothing / classes);
  const Value wanted = marks * expand_dims(own, axis) * (1 - smoothing) + spread;
  Value result = -wanted;
  if (call.flag(9)) result = shares_of(input, call.value(4), axis) * sum(wanted, Dims{axis}, true) - wanted;
  return cast(result * expand_dims(arrived, axis), input->dtype);
}

}  // namespace

DYAD_OP(
    "class_loss(input: Tensor, target: Tensor, weight: Tensor?=None, ignore_index: int=-100, "
    "reduction: str='mean', label_smoothing: float=0.0, normalize: bool=True) -> (Tensor, Tensor, Tensor)")
    .hidden()
    .doc(
        "Negative log-likelihood of class indices, from scores (`normalize`) or from logarithms of "
        "probabilities; the logarithm of the sum of exponentials at each position; and the weight that "
        "counted.")
    .infer(infer_class_loss)
    .grad([](GradCall& g) {
      const int64_t axis = loss::class_axis(g.in(0));
      if (g.has(2) && g.needs(2)) g.set(2, class_weight_gradient(g));
      if (!g.needs(0)) return;
      Value total;
      if (g.grad(0)) {
        total = class_loss_grad(g.grad(0), g[0], g[1], g[2], g.out(1), g.out(2), g[3], g[4], g[5], g[6]);
      }
      if (g.grad(1) && g.flag(6)) total = total ? total + through_log_sum(g, axis) : through_log_sum(g, axis);
      if (total) g.set(0, total);
    })
    .batch(batch::class_loss)
    .cost(5)
    .autocast(Autocast::kFloat32)
    .numpy("ref.class_loss(input, target, weight, ignore_index, reduction, label_smoothing, normalize)")
    .samples("call(T(4, 5), I(4, lo=0, hi=5))", "call(T(5), I(lo=0, hi=5), reduction='none')",
             "call(T(2, 5, 3), I(2, 3, lo=0, hi=5), T(5, lo=0.5, hi=2), reduction='none')",
             "call(T(4, 5), V([0, -100, 3, 4], 'int32'), T(5, lo=0.5, hi=2), label_smoothing=0.1)",
             "call(T(4, 5), I(4, lo=0, hi=5), None, 2, 'sum', 0.3, False)",
             "call(T(2, 70), I(2, lo=0, hi=70), label_smoothing=0.1)",
             "call(strided(T(4, 6)), I(4, lo=0, hi=6))", "call(T(0, 5), I(0), reduction='sum')")
    .rejects("dyad._core.named_op('class_loss')(ones(2, 3), ints(3))", "ValueError",
             "class_loss: input has shape (2, 3) and target (3,); class indices must have shape (2,)")
    .rejects("dyad._core.named_op('class_loss')(ones(2, 3), ints(2) + 7)", "IndexError",
             "class_loss: target holds class");

DYAD_OP(
    "class_loss_grad(gradient: Tensor, input: Tensor, target: Tensor, weight: Tensor?, log_sum: Tensor, "
    "total: Tensor, ignore_index: int=-100, reduction: str='mean', label_smoothing: float=0.0, "
    "normalize: bool=True) -> Tensor")
    .hidden()
    .doc("Gradient of class_loss with respect to its input, given what it kept.")
    .infer(infer_class_loss_grad)
    .compose_wide([](const Call& call) { return class_loss_gradient(call); })
    .cost(3)
    .numpy(
        "ref.class_loss_grad(gradient, input, target, weight, ignore_index, reduction, label_smoothing, "
        "normalize)")
    .samples(
        "call(T(), V([[1.0, 2.0], [0.0, 0.0]], 'float32'), V([0, 1], 'int64'), None, "
        "V([2.3132617, 0.6931472], 'float32'), V(2.0, 'float32'))",
        "call(T(2), V([[1.0, 2.0], [0.0, 0.0]], 'float32'), V([0, -100], 'int64'), "
        "V([0.5, 2.0], 'float32'), V([2.3132617, 0.6931472], 'float32'), V(0.5, 'float32'), "
        "reduction='none', label_smoothing=0.1)",
        "call(T(), V([[1.0, 2.0], [0.0, 0.0]], 'float32'), V([0, 1], 'int64'), V([0.5, 2.0], 'float32'), "
        "V([0.0, 0.0], 'float32'), V(2.5, 'float32'), normalize=False)")
    .rejects(
        "dyad._core.named_op('class_loss_grad')(ones(3), ones(2, 3), ints(2), None, ones(2), ones(1).sum())",
        "ValueError", "class_loss_grad: gradient has shape (3,); it must have shape ()");

DYAD_OP("distribution_loss(input: Tensor, target: Tensor) -> (Tensor, Tensor)")
    .hidden()
    .doc(
        "Cross entropy of scores with a distribution over the classes, one number per position, and the "
        "logarithm of the sum of exponentials there.")
    .infer([](const Arguments& args, Results& results) {
      require_distribution(args, 0);
      const Shape positions = loss::positions(args.in(0));
      results.add(args.in(0).dtype, positions);
      results.add(compute_dtype(args.in(0).dtype), positions);
    })
    .grad([](GradCall& g) {
      const int64_t axis = loss::class_axis(g.in(0));
      Value total;
      if (g.grad(0)) {
        total = distribution_loss_grad(g.grad(0), g[0], g[1], g.out(1));
      }
      if (g.grad(0) && g.needs(1)) {
        g.set(1, cast(expand_dims(g.grad(0), axis) * (expand_dims(g.out(1), axis) - g[0]), g.in(1).dtype));
      }
      if (g.grad(1)) total = total ? total + through_log_sum(g, axis) : through_log_sum(g, axis);
      g.set(0, total);
    })
    .batch(batch::distribution_loss)
    .cost(5)
    .autocast(Autocast::kFloat32)
    .numpy("ref.distribution_loss(input, target)")
    .samples("call(T(4, 5), T(4, 5, lo=0, hi=1))", "call(T(2, 5, 3), T(2, 5, 3, lo=0, hi=1))",
             "call(T(70), T(70, lo=0, hi=1))", "call(T(0, 5), T(0, 5))")
    .rejects("dyad._core.named_op('distribution_loss')(ones(2, 3), ones(2, 4))", "ValueError",
             "they must be equal");

DYAD_OP("distribution_loss_grad(gradient: Tensor, input: Tensor, target: Tensor, log_sum: Tensor) -> Tensor")
    .hidden()
    .doc("Gradient of distribution_loss with respect to its input, given what it kept.")
    .infer([](const Arguments& args, Results& results) {
      require_distribution(args, 1);
      require_shape(args, 0, "gradient", loss::positions(args.in(1)));
      require_shape(args, 3, "log_sum", loss::positions(args.in(1)));
      results.add(args.in(1).dtype, args.in(1).shape);
    })
    .compose_wide([](const Call& call) {
      const int64_t axis = loss::class_axis(call.in(1));
      const Value& target = call.value(2);
      const Value shares = shares_of(call.value(1), call.value(3), axis);
      const Value excess = shares * sum(target, Dims{axis}, true) - target;
      return cast(excess * expand_dims(call[0], axis), call.in(1).dtype);
    })
    .cost(3)
    .numpy("np.expand_dims(gradient, 1) * (np.exp(input) * np.sum(target, 1, keepdims=True) - target)")
    .samples(
        "call(T(2), V([[-1.0, -0.4586751], [-0.6931472, -0.6931472]], 'float32'), T(2, 2, lo=0, hi=1), "
        "V([0.0, 0.0], 'float32'))")
    .rejects("dyad._core.named_op('distribution_loss_grad')(ones(3), ones(2, 3), ones(2, 3), ones(2))",
             "ValueError", "gradient has shape (3,); it must have shape (2,)");

}  // namespace dyad
