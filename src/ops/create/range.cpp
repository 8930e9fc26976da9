#include <cmath>

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

/// start, end and step of arange: with one number given, it is the end.
struct Span {
  Scalar start;
  Scalar end;
  Scalar step;
};

Span span_of(const Arguments& args) {
  if (args.has(1)) return {args.number(0), args.number(1), args.number(2)};
  return {Scalar(0), args.number(0), args.number(2)};
}

bool is_known(const Arguments& args, size_t i) {
  const Dims* size = args[i].get<Dims>();
  return !size || (*size)[0].known();
}

bool is_integral(const Arguments& args, size_t i) { return !is_known(args, i) || args.number(i).integral(); }

/// Number of integers between bounds, one of which is dynamic.
Dim symbolic_length(const Arguments& args) {
  const size_t end = args.has(1) ? 1 : 0;
  if (!is_integral(args, 0) || !is_integral(args, end) || !args.number(2).integral()) {
    capture_error(BreakKind::kCondition, args.op(),
                  ": a bound that is known only when the graph runs is counted up to in integers; "
                  "start, end and step must be ints");
  }
  const int64_t step = args.integer(2);
  if (step == 0) value_error(args.op(), ": step is 0; it must not be");
  const Dim start = end == 1 ? args.dim(0) : Dim(0);
  const Dim distance = step > 0 ? args.dim(end) - start : start - args.dim(end);
  const int64_t stride = step > 0 ? step : -step;
  return max(Dim(0), floor_div(distance + Dim(stride - 1), Dim(stride)));
}

bool integral(const Span& span) {
  return span.start.integral() && span.end.integral() && span.step.integral();
}

int64_t length_of(std::string_view op, const Span& span) {
  if (span.step.to_double() == 0) value_error(op, ": step is 0; it must not be");
  if (integral(span)) {
    const __int128 distance = static_cast<__int128>(span.end.to_int()) - span.start.to_int();
    const __int128 step = span.step.to_int();
    const __int128 count = (distance + step + (step > 0 ? -1 : 1)) / step;
    return count > 0 ? static_cast<int64_t>(count) : 0;
  }
  const double count = std::ceil((span.end.to_double() - span.start.to_double()) / span.step.to_double());
  if (!std::isfinite(count)) {
    value_error(op, ": from ", span.start, " to ", span.end, " in steps of ", span.step,
                " is no finite number of steps");
  }
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

void infer_arange(const Arguments& args, Results& results) {
  for (size_t i = 0; i < 3; ++i) {
    if (args.has(i) && is_known(args, i) && args.number(i).kind() == Scalar::Kind::kComplex) {
      type_error(args.op(), ": the number ", args.number(i), " is complex; real numbers are needed");
    }
  }
  if (!is_known(args, 0) || (args.has(1) && !is_known(args, 1))) {
    results.add(args.dtype(3, DType::kInt64), Shape{symbolic_length(args)});
    return;
  }
  const Span span = span_of(args);
  results.add(args.dtype(3, integral(span) ? DType::kInt64 : DType::kFloat32),
              Shape{length_of(args.op(), span)});
}

void infer_linspace(const Arguments& args, Results& results) {
  results.add(args.dtype(3, DType::kFloat32), Shape{infer::size(args, 2, "steps")});
}

/// From the first to the last number, of which at least one is a tensor of one element.
Value spaced_between(const Call& call, DType dtype) {
  static const OpName linspace{"linspace"};
  static const OpName cast{"cast"};
  const auto end_of = [&](size_t i) {
    return call.is_value(i) ? Arg(cast(single_element(call, i, i == 0 ? "start" : "end"), dtype)) : call[i];
  };
  const Value shares = linspace(call.builder(), 0, 1, call[2], dtype);
  return shares * end_of(1) + (1 - shares) * end_of(0);
}

}  // namespace

DYAD_OP("arange(start: Bound=0, end: Bound?=None, step: Number=1, dtype: dtype?=None) -> Tensor")
    .doc("Range of numbers in equal steps, without the end. One number alone is the end.")
    .formula("out[i] = start + i · step, 0 ≤ i < ⌈(end − start) / step⌉")
    .arg("start", "first number; without `end` it is the end and 0 the first.")
    .arg("end", "bound that is not reached.")
    .arg("step", "distance of numbers, not 0.")
    .arg("dtype", "the dtype of the result; None: int64 for integers, else float32.")
    .returns("Tensor with one dimension.")
    .see("ops.linspace")
    .function("arange(start=0, end=None, step=1, *, dtype=None)")
    .primitive("RangeV2()(start, limit:end, delta:step)")
    .alias("stop", "end")
    .alias("limit", "end")
    .alias("delta", "step")
    .mint("arange")
    .infer(infer_arange)
    .no_grad("nothing differentiable goes in")
    .cost_per_result(2)
    .numpy("np.arange(start, end, step) if end is not None else np.arange(0, start, step)")
    .samples("call(5)", "call(2, 9, 3)", "call(5, 0, -2)", "call(0.5, 3.0, 0.25)", "call(3, 1)", "call(1.0)")
    .rejects("ops.arange(0, 5, 0)", "ValueError", "arange: step is 0")
    .rejects("ops.arange('a')", "TypeError", "start is 'a'")
    .rejects("ops.arange(0, float('inf'))", "ValueError", "is no finite number of steps");

DYAD_OP("tensor_of_ints(numbers: ints) -> Tensor")
    .doc("The given integers as an int64 tensor of one dimension.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      results.add(DType::kInt64, Shape{static_cast<int64_t>(args.dims(0).size())});
    })
    .no_grad("nothing differentiable goes in")
    .moves(Movement::kOther)
    .numpy("np.array(numbers, np.int64).reshape(-1)")
    .samples("call((3, -1, 2))", "call(())")
    .rejects("dyad._core.named_op('tensor_of_ints')('a')", "TypeError", "numbers is 'a'");

DYAD_OP("linspace(start: Number, end: Number, steps: size, dtype: dtype?=None) -> Tensor")
    .doc("Equally many steps apart from start to end, both included.")
    .hidden()
    .infer(infer_linspace)
    .no_grad("nothing differentiable goes in")
    .cost_per_result(2)
    .numpy("np.linspace(start, end, steps)")
    .samples("call(0, 1, 5)", "call(2.5, -1, 4)", "call(1, 2, 1)", "call(1, 2, 0)")
    .rejects("dyad._core.named_op('linspace')(0, 1, -1)", "ValueError", "linspace: steps is -1");

DYAD_OP("spaced(start: Operand, end: Operand, steps: size, dtype: dtype?=None) -> Tensor")
    .doc("Equally spaced numbers from start to end, both included.")
    .formula("out[i] = start + i · (end − start) / (steps − 1)")
    .arg("start", "first number, or a tensor of one element.")
    .arg("end", "last number, or a tensor of one element.")
    .arg("steps", "how many numbers, ≥ 0.")
    .arg("dtype", "the dtype of the result; None: that of a float tensor among the ends, else float32.")
    .returns("Tensor of shape (steps,).")
    .see("ops.arange, ops.logspace")
    .function("linspace(start, end, steps, *, dtype=None)")
    .primitive("LinSpace()(start, stop:end, num:steps)")
    .alias("stop", "end")
    .alias("num", "steps")
    .compose([](const Call& call) {
      static const OpName linspace{"linspace"};
      if (!call.is_value(0) && !call.is_value(1)) {
        return linspace(call.builder(), call[0], call[1], call[2], call.dtype(3, DType::kFloat32));
      }
      infer::size(call, 2, "steps");
      const DType own = call.in(call.is_value(0) ? 0 : 1).dtype;
      return spaced_between(call, call.dtype(3, is_float(own) ? own : DType::kFloat32));
    })
    .numpy("np.linspace(np.reshape(start, ()), np.reshape(end, ()), steps)")
    .samples("call(0, 1, 5)", "call(T(), 2.5, 4)", "call(-1.5, T(1), 3)", "call(T(), T(), 1)",
             "call(T(), 1, 0)")
    .rejects("ops.linspace(0, 1, -1)", "ValueError", "linspace: steps is -1")
    .rejects("ops.linspace(ones(2), 1, 3)", "TypeError", "start has shape (2,)");

DYAD_OP("logspace(start: Operand, end: Operand, steps: size, base: Number=10, dtype: dtype?=None) -> Tensor")
    .doc("Powers with equally spaced exponents from start to end, both included.")
    .formula("out[i] = base ^ (start + i · (end − start) / (steps − 1))")
    .arg("start", "first exponent, or a tensor of one element.")
    .arg("end", "last exponent, or a tensor of one element.")
    .arg("steps", "how many numbers, ≥ 0.")
    .arg("base", "base of the powers.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape (steps,).")
    .see("ops.linspace")
    .function("logspace(start, end, steps, base=10, *, dtype=float32)")
    .compose([](const Call& call) {
      static const OpName spaced{"spaced"};
      static const OpName pow{"pow"};
      static const OpName cast{"cast"};
      Value exponents = spaced(call.builder(), call[0], call[1], call[2], DType::kFloat64);
      return cast(pow(call[3], exponents), call.dtype(4, DType::kFloat32));
    })
    .numpy("np.logspace(np.reshape(start, ()), np.reshape(end, ()), steps, base=base)")
    .samples("call(0, 2, 5)", "call(T(), 2, 3)", "call(-1, 1, 3, 2)")
    .rejects("ops.logspace(0, 1, -1)", "ValueError", "logspace: steps is -1");

DYAD_OP("eye(n: size, m: size?=None, dtype: dtype?=None) -> Tensor")
    .doc("Identity matrix: ones on the diagonal, zeros elsewhere.")
    .formula("out[i, j] = 1 if i = j, else 0")
    .arg("n", "number of rows.")
    .arg("m", "number of columns; None: n.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape (n, m).")
    .see("ops.diag")
    .primitive("Eye()(n, m, t:dtype)")
    .mint("eye")
    .infer([](const Arguments& args, Results& results) {
      const Dim n = args.dim(0);
      const Dim m = args.dim(1, n);
      if ((n.known() && n.value() < 0) || (m.known() && m.value() < 0))
        value_error(args.op(), ": the sizes are ", n, " and ", m, "; they must be 0 or more");
      results.add(args.dtype(2, DType::kFloat32), Shape{n, m});
    })
    .no_grad("nothing differentiable goes in")
    .moves(Movement::kOther)
    .numpy("np.eye(n, m)")
    .samples("call(3)", "call(2, 4)", "call(3, 0)")
    .rejects("ops.eye(-1)", "ValueError", "eye: the sizes are -1 and -1");

}  // namespace dyad
