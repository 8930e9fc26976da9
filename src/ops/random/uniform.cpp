#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/random/infer_random.h"

namespace dyad {

namespace {

DYAD_USE(random_uniform, random_integers, cast);

void infer_integers(const Arguments& args, Results& results) {
  infer::require_sizes(args, 0);
  const DType dtype = args.dtype(3, DType::kInt64);
  if (args.integer(2) <= args.integer(1)) {
    value_error(args.op(), ": high is ", args.integer(2), " and low is ", args.integer(1),
                "; high must be above low");
  }
  results.add(dtype, args.dims(0));
}

/// Float results only; the dtype of `like` unless one is given.
DType float_like(const Call& call, size_t at) {
  return call.dtype(at, is_float(call.in(0).dtype) ? call.in(0).dtype : DType::kFloat32);
}

Value uniform_between(const Call& call) {
  const Shape bounds = broadcast(call.op(), call.is_value(1) ? call.in(1).shape : Shape{},
                                 call.is_value(2) ? call.in(2).shape : Shape{});
  const Shape shape = broadcast(call.op(), call.dims(0), bounds);
  const DType dtype = call.dtype(4);
  if (is_int(dtype)) {
    if (!bounds.empty() || call.is_value(1) || call.is_value(2)) {
      // each element has its own range: scale a number in [0, 1) and truncate
      const Value unit = random_uniform(call.builder(), shape, 0.0, 1.0, DType::kFloat64, call[3]);
      const Value span = call.is_value(2) ? call.value(2) - call[1] : Value(unit * 0.0 + call[2]) - call[1];
      return cast(unit * span + call[1], dtype);
    }
    return random_integers(call.builder(), shape, call[1], call[2], dtype, call[3]);
  }
  const Value unit = random_uniform(call.builder(), shape, 0.0, 1.0, dtype, call[3]);
  if (!call.is_value(1) && !call.is_value(2)) {
    return random_uniform(call.builder(), shape, call[1], call[2], dtype, call[3]);
  }
  return cast(unit * (call.is_value(2) ? call.value(2) - call[1] : -(call.value(1) - call[2])) + call[1],
              dtype);
}

}  // namespace

DYAD_OP("random_uniform(shape: ints, low: float, high: float, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .hidden()
    .doc("Numbers drawn evenly from [low, high).")
    .infer([](const Arguments& args, Results& results) { infer::random_floats(args, results, 3); })
    .random()
    .no_grad("the result does not depend on a tensor")
    .batch(batch::drawn)
    .cost_per_result(2)
    .samples("call((3, 4), 0.0, 1.0)")
    .rejects("dyad._core.named_op('random_uniform')((-1,), 0.0, 1.0)", "ValueError", "negative size");

DYAD_OP("random_integers(shape: ints, low: int, high: int, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .hidden()
    .doc("Uniform distribution over the integers from low to high − 1.")
    .formula("P(out = k) = 1 / (high − low), low ≤ k < high")
    .arg("shape", "shape of the result.")
    .arg("low", "smallest number.")
    .arg("high", "bound that is not reached.")
    .arg("dtype", "an integer dtype; None: int64.")
    .returns("Tensor of shape `shape`.")
    .see("ops.rand, ops.randint_like")
    .function("randint(low, high, size:shape, seed=None, *, dtype=None)")
    .infer(infer_integers)
    .random()
    .no_grad("the result does not depend on a tensor")
    .batch(batch::drawn)
    .cost_per_result(1)
    .samples("call((3, 4), -2, 5)")
    .rejects("ops.randint(5, 5, (2,))", "ValueError", "high is 5 and low is 5; high must be above low");

DYAD_OP("rand(size: ints, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .doc("Uniform distribution over [0, 1).")
    .formula("density(x) = 1, 0 ≤ x < 1")
    .arg("size", "shape of the result.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape `size`.")
    .see("ops.randn, ops.uniform")
    .function("rand(*size, dtype=None, seed=None)")
    .mint("rand")
    .compose([](const Call& call) {
      return random_uniform(call.builder(), call[0], 0.0, 1.0, call[1], call[2]);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3))")
    .rejects("ops.rand(2, -3)", "ValueError", "negative size");

DYAD_OP("rand_like(input: Tensor, seed: int?=None, dtype: dtype?=None) -> Tensor")
    .doc("Uniform distribution over [0, 1) in the shape of another tensor.")
    .formula("density(x) = 1, 0 ≤ x < 1")
    .arg("input", "its shape and dtype are read.")
    .arg("dtype", "a float dtype; None: that of `input`, float32 if it is not a float.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.rand")
    .function("rand_like(input, seed=None, *, dtype=None)")
    .mint("rand_like")
    .compose([](const Call& call) {
      return random_uniform(call.builder(), call.in(0).shape, 0.0, 1.0, float_like(call, 2), call[1]);
    })
    .random()
    .no_grad("the result does not depend on the values of the input")
    .samples("call(T(2, 3))")
    .rejects("ops.rand_like(3)", "TypeError", "rand_like: input is 3");

DYAD_OP("randint_like(input: Tensor, low: int, high: int, seed: int?=None, dtype: dtype?=None) -> Tensor")
    .doc("Uniform distribution over the integers from low to high − 1 in the shape of another tensor.")
    .formula("P(out = k) = 1 / (high − low), low ≤ k < high")
    .arg("input", "its shape and dtype are read.")
    .arg("low", "smallest number.")
    .arg("high", "bound that is not reached.")
    .arg("dtype", "an integer dtype; None: that of `input`, int64 if it is not an integer.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.randint")
    .function("randint_like(input, low, high, seed=None, *, dtype=None)")
    .compose([](const Call& call) {
      const DType own = is_int(call.in(0).dtype) ? call.in(0).dtype : DType::kInt64;
      return random_integers(call.builder(), call.in(0).shape, call[1], call[2], call.dtype(4, own), call[3]);
    })
    .random()
    .no_grad("the result does not depend on the values of the input")
    .samples("call(I(2, 3), 0, 9)")
    .rejects("ops.randint_like(ones(2), 3, 1)", "ValueError", "high must be above low");

DYAD_OP(
    "uniform(shape: ints, minval: Operand, maxval: Operand, seed: int?=None, dtype: dtype=float32) -> Tensor")
    .doc("Uniform distribution over [minval, maxval). With an integer dtype, over integers.")
    .formula("density(x) = 1 / (maxval − minval), minval ≤ x < maxval")
    .arg("shape", "shape that broadcasts with the bounds.")
    .arg("minval", "lower bound.")
    .arg("maxval", "upper bound, which is not reached.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor with the broadcast shape.")
    .see("ops.rand")
    .compose([](const Call& call) { return uniform_between(call); })
    .random()
    .samples("call((2, 3), 1.0, 4.0)",
             "call((2, 3), V([0.0, 1.0, 2.0], 'float32'), V([1.0, 2.0, 3.0], 'float32'))",
             "call((4,), 0, 10, dtype=dyad.int32)")
    .rejects("ops.uniform((2, 3), ones(4), 5.0)", "ValueError", "do not broadcast");

DYAD_OP("uniform_real(shape: ints, seed: int=0, seed2: int=0) -> Tensor")
    .hidden()
    .doc("Uniform distribution over [0, 1) in float32.")
    .formula("density(x) = 1, 0 ≤ x < 1")
    .arg("shape", "shape of the result.")
    .returns("Tensor of float32 and shape `shape`.")
    .see("ops.rand")
    .primitive("UniformReal(seed=0, seed2=0)(shape)")
    .compose([](const Call& call) {
      return random_uniform(call.builder(), call[0], 0.0, 1.0, DType::kFloat32, call[1]);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3))")
    .rejects("ops.UniformReal()((2, -3))", "ValueError", "negative size");

DYAD_OP("uniform_int(shape: ints, minval: int, maxval: int, seed: int=0, seed2: int=0) -> Tensor")
    .hidden()
    .doc("Uniform distribution over the integers from minval to maxval − 1, in int32.")
    .formula("P(out = k) = 1 / (maxval − minval), minval ≤ k < maxval")
    .arg("shape", "shape of the result.")
    .arg("minval", "smallest number.")
    .arg("maxval", "bound that is not reached.")
    .returns("Tensor of int32 and shape `shape`.")
    .see("ops.randint")
    .primitive("UniformInt(seed=0, seed2=0)(shape, minval, maxval)")
    .compose([](const Call& call) {
      return random_integers(call.builder(), call[0], call[1], call[2], DType::kInt32, call[3]);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3), 0, 5)")
    .rejects("ops.UniformInt()((2,), 5, 1)", "ValueError", "high must be above low");

}  // namespace dyad
