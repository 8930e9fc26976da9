#include <algorithm>

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(clamp, cast, clamp_between, copy, maximum, relu, minimum, less, greater, logical_and, logical_not,
         logical_or, where, isnan, isposinf, isneginf);

void require_bound(const Arguments& args) {
  if (!args.has(1) && !args.has(2)) {
    value_error(args.op(), ": at least one of 'min' or 'max' must not be None");
  }
}

/// A bound that an integer dtype cannot hold, moved to the nearest number that it can: -1 is not a bound
/// for uint8.
Arg within(DType dtype, const Arg& bound) {
  const Scalar* number = bound.get<Scalar>();
  if (!number || number->kind() != Scalar::Kind::kInt || !is_int(dtype) || itemsize(dtype) == 8) return bound;
  const int64_t values = int64_t{1} << (8 * itemsize(dtype));
  const int64_t lowest = is_signed_int(dtype) ? -(values / 2) : 0;
  return std::clamp(number->to_int(), lowest, lowest + values - 1);
}

/// The replacement of an element that is not finite; the result keeps the dtype of the input.
Arg replacement(const Call& call, size_t at, std::string_view name, double otherwise) {
  if (!call.has(at)) return Arg(otherwise);
  return call.is_value(at) ? Arg(cast(single_element(call, at, name), call.in(0).dtype)) : call[at];
}

}  // namespace

DYAD_OP("clamp_between(input: Operand, min: Operand, max: Operand) -> Tensor")
    .doc(
        "Each element moved to the nearer bound if it lies outside; the upper bound holds where the bounds "
        "cross.")
    .hidden()
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      const Value below = less(g.builder(), g[0], g[1]);
      const Value lifted = maximum(g.builder(), g[0], g[1]);
      const Value above = greater(lifted, g[2]);
      set_operand(g, 0, [&] { return where(logical_or(below, above), false, g.grad()); });
      set_operand(g, 1, [&] { return where(logical_and(below, logical_not(above)), g.grad(), false); });
      set_operand(g, 2, [&] { return where(above, g.grad(), false); });
    })
    .numpy("np.minimum(np.maximum(input, min), max)")
    .samples("call(T(2, 3), -1, 1, dtypes='float+int8+int16+int32+int64')",
             "call(T(2, 3), T(3), T(2, 1), dtypes='float')")
    .rejects("ops.clamp(ones(2), ones(3), 1)", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("clamp(input: Tensor, min: Operand?=None, max: Operand?=None) -> Tensor")
    .doc("Clamp (clip): limits each element to [min, max]. Where min > max, the result is max.")
    .formula("out[i] = min(max(input[i], min[i]), max[i])")
    .arg("input", "integers or floats, any shape.")
    .arg("min", "lower bound, broadcasts with `input`; None: no lower bound.")
    .arg("max", "upper bound, broadcasts with `input`; None: no upper bound.")
    .returns("Tensor with the broadcast shape and the promoted dtype.")
    .see("ops.hardtanh, ops.relu6")
    .function("clip")
    .method()
    .method("clip")
    .inplace("clamp_")
    .inplace("clip_")
    .alias("x", "input")
    .alias("clip_value_min", "min")
    .alias("clip_value_max", "max")
    .mint("clamp")
    .infer([](const Arguments& args, Results& results) {
      require_bound(args);
      Arg given[3] = {args[0]};
      size_t count = 1;
      for (size_t i = 1; i < 3; ++i) {
        if (args.has(i)) given[count++] = args[i];
      }
      infer::arithmetic(Arguments(args.op(), {given, count}), results);
    })
    .compose([](const Call& c) {
      require_bound(c);
      const DType dtype = c.in(0).dtype;
      if (!c.has(1)) return minimum(c.value(0), within(dtype, c[2]));
      if (!c.has(2)) return maximum(c.value(0), within(dtype, c[1]));
      return clamp_between(c.value(0), within(dtype, c[1]), within(dtype, c[2]));
    })
    .numpy("np.clip(input, min, max)")
    .samples("call(T(2, 3), -1, 1, dtypes='float+int8+int16+int32+int64')",
             "call(T(2, 3), None, 1, dtypes='float+int8+int16+int32+int64+uint8')",
             "call(T(2, 3), T(3), None, dtypes='float')", "call(V([0, 3, 250], 'uint8'), -1, 200)",
             "call(V([0, 3, 250], 'uint8'), -1, None)", "call(T(), 0, 1)", "call(T(0, 3), 0, 1)")
    .rejects("ops.clamp(ones(2))", "ValueError", "clamp: at least one of 'min' or 'max' must not be None")
    .rejects("ops.clamp(ones(2), 'a', 1)", "TypeError", "min is 'a'");

DYAD_OP("hardtanh(input: Tensor, min_val: Number=-1.0, max_val: Number=1.0) -> Tensor")
    .doc("Hard tanh: limits each element to [min_val, max_val].")
    .formula("hardtanh(x) = min(max(x, min_val), max_val)")
    .arg("input", "integers or floats, any shape.")
    .arg("min_val", "lower bound.")
    .arg("max_val", "upper bound.")
    .see("ops.clamp, nn.Hardtanh")
    .inplace("hardtanh_")
    .compose([](const Call& c) {
      // A default bound such as -1.0 must not turn integers into floats.
      auto bound = [&](size_t i) {
        const double number = c.real(i);
        const auto whole = static_cast<int64_t>(number);
        const DType dtype = c.in(0).dtype;
        return within(dtype, is_int(dtype) && static_cast<double>(whole) == number ? Arg(whole) : c[i]);
      };
      return clamp_between(c.value(0), bound(1), bound(2));
    })
    .numpy("np.clip(input, min_val, max_val)")
    .samples("unary(only='float')", "call(T(2, 3), -2, 0.5)")
    .rejects("ops.hardtanh('a')", "TypeError", "hardtanh: input is 'a'");

DYAD_OP("relu6(input: Tensor) -> Tensor")
    .doc("ReLU6: limits each element to [0, 6].")
    .formula("relu6(x) = min(max(x, 0), 6)")
    .see("ops.relu, nn.ReLU6")
    .function("relu6(x:input)")
    .primitive("ReLU6")
    .alias("x", "input")
    .compose([](const Call& c) { return clamp_between(relu(c.value(0)), 0, 6); })
    .numpy("np.clip(input, 0, 6)")
    .samples("unary(lo=-3, hi=9, only='float+int8+int16+int32+int64+uint8')")
    .rejects("ops.relu6('a')", "TypeError", "relu6: input is 'a'");

DYAD_OP(
    "nan_to_num(input: Tensor, nan: Operand?=None, posinf: Operand?=None, neginf: Operand?=None) -> Tensor")
    .doc("Replacement of NaN and infinities by finite numbers, element by element.")
    .formula("out = nan", "x is NaN")
    .formula("out = posinf", "x = +∞")
    .formula("out = neginf", "x = −∞")
    .formula("out = x", "otherwise")
    .arg("input", "any dtype and shape; only floats change.")
    .arg("nan", "number or tensor of one element; None: 0.")
    .arg("posinf", "number or tensor of one element; None: the largest finite number of the dtype.")
    .arg("neginf", "number or tensor of one element; None: the lowest finite number of the dtype.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.isnan, ops.isinf")
    .method()
    .inplace("nan_to_num_")
    .primitive("NanToNum(nan=None, posinf=None, neginf=None)(x:input)")
    .alias("x", "input")
    .mint("nan_to_num")
    .compose([](const Call& c) {
      const Value& x = c.value(0);
      if (!is_float(x->dtype)) return copy(x);
      const double largest = x->dtype == DType::kFloat16    ? 65504.0
                             : x->dtype == DType::kBFloat16 ? 3.3895313892515355e38
                             : x->dtype == DType::kFloat32  ? 3.4028234663852886e38
                                                            : 1.7976931348623157e308;
      Value result = where(isnan(x), replacement(c, 1, "nan", 0), x);
      result = where(isposinf(x), replacement(c, 2, "posinf", largest), result);
      return where(isneginf(x), replacement(c, 3, "neginf", -largest), result);
    })
    .numpy("np.nan_to_num(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)")
    .samples("unary(only='real')", "call(V([np.nan, np.inf, -np.inf, 1.0], 'float32'))",
             "call(V([np.nan, np.inf, -np.inf, 1.0], 'float32'), 1.0, 2.0, 3.0)",
             "call(V([np.nan, np.inf, -np.inf, 1.0], 'float32'), V([2.0], 'float32'), V(3.0, 'float32'))")
    .rejects("ops.nan_to_num(ones(2), 'a')", "TypeError", "nan is 'a'")
    .rejects("ops.nan_to_num(ones(2), ones(2))", "TypeError", "nan has shape (2,)");

}  // namespace dyad
