// Several tensors, such as the gradients of a network, as one vector.

#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(logical_not, any, all, cast, isfinite, logical_and, maximum, minimum, reshape, scale_all, sqrt,
         square_sum_of_all, stack, sum, vector_norm, where, greater);

void require_tensors(const Arguments& args) {
  if (args.values(0).empty()) value_error(args.op(), ": x holds no tensors; it must hold at least one");
  for (const Value& value : args.values(0)) {
    if (!value) type_error(args.op(), ": x holds None; it must hold Tensors");
  }
}

void require_floats(const Arguments& args) {
  require_tensors(args);
  for (const Value& value : args.values(0)) {
    if (!is_float(value->dtype))
      type_error(args.op(), ": x holds a tensor of dtype ", value->dtype, "; accepted are floating dtypes");
  }
}

/// float64 if one of the tensors is, else float32.
DType joint_dtype(const ValueList& values) {
  const bool wide =
      std::ranges::any_of(values, [](const Value& value) { return value->dtype == DType::kFloat64; });
  return wide ? DType::kFloat64 : DType::kFloat32;
}

/// Norm of argument 0, several tensors taken as one vector.
Value joint_norm(const Call& call, double order) {
  if (order == 2) {
    const Value squares = square_sum_of_all(call[0]);
    // The root has no slope at 0; there the gradient is 0.
    const Value positive = greater(squares, 0);
    return where(positive, sqrt(where(positive, squares, 1)), 0);
  }
  const DType dtype = joint_dtype(call.values(0));
  ValueList norms;
  for (const Value& value : call.values(0)) norms.push_back(vector_norm(cast(value, dtype), order));
  return norms.size() == 1 ? norms[0] : vector_norm(stack(norms), order);
}

void square_sums(const BatchCall& call, ValueList& results) {
  const auto body = [](const Call& slice, ValueList& given) {
    const DType dtype = joint_dtype(slice.values(0));
    Value total;
    for (const Value& value : slice.values(0)) {
      const Value wide = cast(value, dtype);
      const Value part = sum(wide * wide);
      total = total ? total + part : part;
    }
    given.push_back(std::move(total));
  };
  batch::compose(call, body, results);
}

void scaled_slices(const BatchCall& call, ValueList& results) {
  const auto body = [](const Call& slice, ValueList& given) {
    for (const Value& value : slice.values(0)) given.push_back(cast(value * slice.value(1), value->dtype));
  };
  batch::compose(call, body, results);
}

void finite_slices(const BatchCall& call, ValueList& results) {
  const auto body = [](const Call& slice, ValueList& given) {
    Value finite;
    for (const Value& value : slice.values(0)) {
      const Value part = all(isfinite(value));
      finite = finite ? logical_and(finite, part) : part;
    }
    given.push_back(std::move(finite));
  };
  batch::compose(call, body, results);
}

}  // namespace

DYAD_OP("square_sum_of_all(x: Tensors) -> Tensor")
    .hidden()
    .doc("The sum of the squares of the elements of all tensors, in float32 or, if one is, float64.")
    .infer([](const Arguments& args, Results& results) {
      require_floats(args);
      results.add(joint_dtype(args.values(0)), Shape{});
    })
    .grad([](GradCall& g) {
      ValueList gradients;
      for (const Value& value : g.values(0))
        gradients.push_back(cast(value * (g.grad() * 2.0), value->dtype));
      g.set(0, gradients);
    })
    .batch(square_sums)
    .cost(2)
    .numpy("np.asarray(sum(np.sum(np.square(part)) for part in x))")
    .samples("call([T(2, 3), T(4), T()])", "call([T(0, 3), strided(T(4, 6))])")
    .rejects("dyad._core.named_op('square_sum_of_all')([ints(2)])", "TypeError",
             "x holds a tensor of dtype Int64; accepted are floating dtypes");

DYAD_OP("scale_all(x: Tensors, factor: Tensor) -> Tensors")
    .hidden()
    .doc("Each tensor times one number, in the tensor's own dtype.")
    .infer([](const Arguments& args, Results& results) {
      require_floats(args);
      infer::require_dtype(args, 1, is_float(args.in(1).dtype), "floating dtypes");
      if (!args.in(1).shape.empty())
        value_error(args.op(), ": factor has shape ", args.in(1).shape,
                    "; it must be one number of shape ()");
      for (const Value& value : args.values(0)) results.add(value->dtype, value->shape);
    })
    .grad([](GradCall& g) {
      const ValueList& values = g.values(0);
      ValueList gradients(values.size());
      Value total;
      for (size_t i = 0; i < values.size(); ++i) {
        if (!g.grad(i)) continue;
        gradients[i] = cast(g.grad(i) * g[1], values[i]->dtype);
        if (!g.needs(1)) continue;
        const Value part = cast(sum(g.grad(i) * values[i]), g.in(1).dtype);
        total = total ? total + part : part;
      }
      g.set(0, gradients);
      if (total) g.set(1, total);
    })
    .batch(scaled_slices)
    .cost(1)
    .numpy("ref.scale_all(x, factor)")
    .samples("call([T(2, 3), T(4), T()], T())", "call([T(0, 3), strided(T(4, 6))], T())")
    .rejects("dyad._core.named_op('scale_all')([ones(2)], ones(2))", "ValueError",
             "factor has shape (2,); it must be one number");

DYAD_OP("float_status(x: Tensor) -> Tensor")
    .doc("Overflow flag of a tensor: 1 if an element is infinite or NaN, else 0.")
    .formula("out[0] = [any element is infinite or NaN]")
    .arg("x", "floats, any shape.")
    .returns("Tensor of float32 and shape (1,).")
    .see("ops.isfinite")
    .hidden()
    .primitive("FloatStatus()(x)")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      return reshape(cast(any(logical_not(isfinite(call.value(0)))), DType::kFloat32), Dims{1});
    })
    .no_grad("0 or 1")
    .numpy("np.array([not np.isfinite(x).all()], 'float32')")
    .samples("call(T(2, 3))", "call(V([1.0, np.inf], 'float32'))")
    .rejects("ops.FloatStatus()(ints(2))", "TypeError", "accepted are float dtypes");

DYAD_OP("all_finite(x: Tensors) -> Tensor")
    .hidden()
    .doc("Whether no element of any tensor is infinite or NaN, as a bool.")
    .infer([](const Arguments& args, Results& results) {
      require_tensors(args);
      for (const Value& value : args.values(0)) {
        if (is_complex(value->dtype))
          type_error(args.op(), ": x holds a tensor of dtype ", value->dtype, "; accepted are real dtypes");
      }
      results.add(DType::kBool, Shape{});
    })
    .no_grad("the result is a bool")
    .batch(finite_slices)
    .cost(1)
    .numpy("np.asarray(all(np.isfinite(part).all() for part in x))")
    .samples("call([T(2, 3), T(4), I(3)], dtypes='float')", "call([T(2, 3), V([1.0, np.inf], 'float16')])",
             "call([V([np.nan], 'float64')])", "call([strided(T(4, 6)), V([-np.inf, 0.0], 'bfloat16')])")
    .rejects("dyad._core.named_op('all_finite')([])", "ValueError", "x holds no tensors");

DYAD_OP("clip_by_global_norm(x: Tensors, clip_norm: float=1.0, use_norm: Tensor?=None) -> Tensors")
    .doc("Scales all tensors by one factor so that their joint norm does not exceed `clip_norm`.")
    .hidden()
    .compose([](const Call& call) -> ValueList {
      require_floats(call);
      const double limit = call.real(1);
      if (!(limit > 0)) value_error(call.op(), ": clip_norm is ", limit, "; it must be positive");
      if (call.has(2) && call.in(2).size() != 1)
        value_error(call.op(), ": use_norm has shape ", call.in(2).shape, "; it must hold one number");
      const Value norm = call.has(2) ? reshape(call[2], Dims{}) : joint_norm(call, 2);
      const Value factor = limit / maximum(norm, limit);
      return scale_all.all(call[0], factor);
    })
    .numpy("ref.clip_by_global_norm(x, clip_norm)")
    .samples("call([T(2, 3), T(4)])", "call([T(2, 3)], clip_norm=100.0)")
    .rejects("ops.clip_by_global_norm([])", "ValueError", "clip_by_global_norm: x holds no tensors")
    .rejects("ops.clip_by_global_norm([ones(2)], 0.0)", "ValueError", "clip_by_global_norm: clip_norm is 0");

DYAD_OP("clip_all_by_norm(x: Tensors, max_norm: float, norm_type: float=2.0) -> Tensors")
    .doc(
        "Scales all tensors by one factor so that their joint norm of the given order does not exceed "
        "`max_norm`.")
    .hidden()
    .compose([](const Call& call) -> ValueList {
      require_floats(call);
      const Value norm = joint_norm(call, call.real(2));
      const Value factor = minimum(call.real(1) / (norm + 1e-6), 1);
      return scale_all.all(call[0], factor);
    })
    .numpy("ref.clip_all_by_norm(x, max_norm, norm_type)")
    .samples("call([T(2, 3), T(4)], 1.0)", "call([T(2, 3)], 100.0, 1.0)")
    .rejects("dyad._core.named_op('clip_all_by_norm')([], 1.0)", "ValueError",
             "clip_all_by_norm: x holds no tensors");

}  // namespace dyad
