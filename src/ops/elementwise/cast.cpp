#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast)
DYAD_USE(copy)

void infer_cast(const Arguments& args, Results& results) {
  results.add(args.dtype(1), args.is_value(0) ? args.in(0).shape : Shape{});
}

bool same_memory(const Arguments& args, const ResultSpec&, ViewSpec& view) {
  view.strides = args.in(0).strides;
  return true;
}

/// A tensor that already has the dtype is not copied.
bool view_of_same_dtype(const Arguments& args, const ResultSpec& result, ViewSpec& view) {
  return args.is_value(0) && args.in(0).dtype == result.dtype && same_memory(args, result, view);
}

}  // namespace

DYAD_OP("cast(input: Operand, dtype: dtype) -> Tensor")
    .doc(
        "The same numbers in another dtype: floats become integers by truncation, complex numbers lose their "
        "imaginary part. A tensor that has the dtype already is returned without a copy.")
    .method("bool(*, dtype=bool_)")
    .method("char(*, dtype=int8)")
    .method("byte(*, dtype=uint8)")
    .method("short(*, dtype=int16)")
    .method("int(*, dtype=int32)")
    .method("long(*, dtype=int64)")
    .method("half(*, dtype=float16)")
    .method("bfloat16(*, dtype=bfloat16)")
    .method("float(*, dtype=float32)")
    .method("double(*, dtype=float64)")
    .primitive("Cast")
    .alias("x", "input")
    .alias("input_x", "input")
    .alias("type", "dtype")
    .infer(infer_cast)
    .view(view_of_same_dtype)
    .grad([](GradCall& g) { set_operand(g, 0, [&] { return g.grad(); }); })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3, lo=0, hi=3), float32, dtypes='bool+int+float16+bfloat16+complex')",
             "call(T(2, 3), float64, dtypes='real')", "call(T(2, 3), int32, dtypes='real')",
             "call(I(0, 3), float16)", "call(T(), bool_)", "call(strided(T(4, 6)), float64)",
             "call(3, float32)")
    .rejects("ops.cast(ones(2), 3)", "TypeError", "dtype is 3");

DYAD_OP("astype(input: Tensor, dtype: dtype, copy: bool=True) -> Tensor")
    .doc("The tensor in another dtype. A tensor that has it already is returned without a copy.")
    .hidden()
    .method()
    .compose([](const Call& c) { return cast(c.value(0), c.dtype(1)); })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3), float64, dtypes='real')")
    .rejects("ones(2).astype(3)", "TypeError", "dtype is 3");

DYAD_OP("to(input: Tensor, dtype: dtype?=None, non_blocking: bool=False, copy: bool=False) -> Tensor")
    .doc("The tensor in another dtype; a new tensor if `copy` asks for one.")
    .hidden()
    .method()
    .compose([](const Call& c) {
      const Value& x = c.value(0);
      const DType dtype = c.dtype(1, x->dtype);
      return c.flag(3) && dtype == x->dtype ? copy(x) : cast(x, dtype);
    })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3), float64, dtypes='real')")
    .rejects("ones(2).to(3)", "TypeError", "dtype is 3");

DYAD_OP("type_as(input: Tensor, other: Tensor) -> Tensor")
    .doc("The tensor in the dtype of another.")
    .hidden()
    .method()
    .compose([](const Call& c) { return cast(c.value(0), c.in(1).dtype); })
    .numpy("np.asarray(input).astype(np.asarray(other).dtype)")
    .samples("call(T(2, 3), F(1), dtypes='real')")
    .rejects("ones(2).type_as(3)", "TypeError", "other is 3");

DYAD_OP("identity(input: Tensor) -> Tensor")
    .doc("The tensor itself, over the same memory.")
    .function("identity(x:input)")
    .function("positive")
    .method("positive")
    .primitive("Identity")
    .alias("x", "input")
    .alias("input_x", "input")
    .infer(infer::same)
    .view(same_memory)
    .grad([](GradCall& g) { g.set(0, g.grad()); })
    .numpy("np.asarray(input)")
    .samples("unary()")
    .rejects("ops.identity(3)", "TypeError", "identity: input is 3");

DYAD_OP("stop_gradient(value: Tensor) -> Tensor")
    .doc("The tensor itself, taken as a constant by differentiation.")
    .infer(infer::same)
    .view(same_memory)
    .no_grad("it is what stops the gradient")
    .numpy("np.asarray(value)")
    .samples("unary()")
    .rejects("ops.stop_gradient('a')", "TypeError", "stop_gradient: value is 'a'");

}  // namespace dyad
