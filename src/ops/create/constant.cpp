#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(full, broadcast_to, cast, copy);

void check_sizes(const Arguments& args, const Shape& shape) {
  for (Dim d : shape) {
    if (d.known() && d.value() < 0) {
      value_error(args.op(), ": the shape ", shape, " has a negative size; sizes must be 0 or more");
    }
  }
}

Value constant(const Call& call, Scalar value) {
  check_sizes(call, call.dims(0));
  return full(call.builder(), call.dims(0), value, call.dtype(1, DType::kFloat32));
}

/// A number, or a tensor of one element, everywhere; a tensor's gradient is the sum over all elements.
Value spread(const Call& call, const Dims& shape, size_t value_at, DType dtype) {
  check_sizes(call, shape);
  if (!call.is_value(value_at)) return full(call.builder(), shape, call[value_at], dtype);
  return copy(broadcast_to(cast(single_element(call, value_at, "value"), dtype), shape));
}

Value constant_like(const Call& call, Scalar value, size_t dtype_at) {
  return full(call.builder(), call.in(0).shape, value, call.dtype(dtype_at, call.in(0).dtype));
}

}  // namespace

DYAD_OP("full(shape: ints, value: Number, dtype: dtype?=None) -> Tensor")
    .doc("A tensor with one number everywhere; without a dtype the number decides.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      check_sizes(args, args.dims(0));
      results.add(args.dtype(2, default_dtype(args.number(1))), args.dims(0));
    })
    .no_grad("nothing differentiable goes in")
    .moves(Movement::kFill)
    .numpy("np.full(shape, value, dtype)")
    .samples("call((2, 3), 1.5)", "call((2, 3), 7)", "call((), True)", "call((0, 2), 1)")
    .rejects("ops.full((-1, 2), 1)", "ValueError", "full: the shape (-1, 2) has a negative size")
    .rejects("dyad._core.named_op('full')((2,), 'a')", "TypeError", "value is 'a'");

DYAD_OP("filled(shape: ints, value: Operand, dtype: dtype?=None) -> Tensor")
    .doc("Tensor filled with one number, or with the element of a tensor.")
    .formula("out[i…] = value")
    .arg("shape", "shape of the result.")
    .arg("value", "a number or a tensor of one element.")
    .arg("dtype", "the dtype of the result; None: that of `value`.")
    .returns("Tensor of shape `shape`.")
    .see("ops.zeros, ops.ones, ops.full_like")
    .function("full(size:shape, fill_value:value, *, dtype=None)")
    .function("fill(type:dtype, shape, value)")
    .primitive("Fill()(type:dtype, shape, value)")
    .primitive("FillV2()(shape, value)")
    .alias("size", "shape")
    .alias("fill_value", "value")
    .mint("full")
    .compose([](const Call& call) {
      const DType own = call.is_value(1) ? call.in(1).dtype : default_dtype(call.number(1));
      return spread(call, call.dims(0), 1, call.dtype(2, own));
    })
    .numpy("np.full(shape, value, dtype)")
    .samples("call((2, 3), 1.5)", "call((2, 3), 7)", "call((), True)", "call((2, 3), T())",
             "call((2,), T(1))")
    .rejects("ops.full((-1, 2), 1)", "ValueError", "full: the shape (-1, 2) has a negative size")
    .rejects("ops.full((2,), ones(3))", "TypeError", "value has shape (3,)")
    .rejects("ops.full((2,), 'a')", "TypeError", "value is 'a'");

DYAD_OP("zeros(shape: ints, dtype: dtype?=None) -> Tensor")
    .doc("Tensor of zeros.")
    .formula("out[i…] = 0")
    .arg("shape", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape `shape`.")
    .see("ops.ones, ops.full, ops.zeros_like")
    .function("zeros(size:shape, dtype=None)")
    .primitive("Zeros()(size:shape, type:dtype=None)")
    .alias("size", "shape")
    .alias("input", "shape")
    .alias("dtype", "dtype")
    .mint("zeros")
    .compose([](const Call& call) { return constant(call, 0); })
    .numpy("np.zeros(shape)")
    .samples("call((2, 3))", "call(())", "call(4)")
    .rejects("ops.zeros((-1,))", "ValueError", "zeros: the shape (-1,) has a negative size");

DYAD_OP("ones(shape: ints, dtype: dtype?=None) -> Tensor")
    .doc("Tensor of ones.")
    .formula("out[i…] = 1")
    .arg("shape", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape `shape`.")
    .see("ops.zeros, ops.full, ops.ones_like")
    .primitive("Ones()(shape, type:dtype=None)")
    .alias("size", "shape")
    .mint("ones")
    .compose([](const Call& call) { return constant(call, 1); })
    .numpy("np.ones(shape)")
    .samples("call((2, 3))", "call(())", "call(4)")
    .rejects("ops.ones((-1,))", "ValueError", "ones: the shape (-1,) has a negative size");

DYAD_OP("empty(shape: ints, dtype: dtype?=None) -> Tensor")
    .doc("Uninitialized tensor: its elements may have any value.")
    .formula("out[i…] = any value")
    .arg("shape", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape `shape`.")
    .see("ops.zeros, ops.empty_like")
    .function("empty(*size:shape, dtype=None)")
    .alias("size", "shape")
    .mint("empty")
    .infer([](const Arguments& args, Results& results) {
      check_sizes(args, args.dims(0));
      results.add(args.dtype(1, DType::kFloat32), args.dims(0));
    })
    .no_grad("nothing differentiable goes in")
    .moves(Movement::kOther)
    .numpy("ref.any_values(shape)")
    .samples("call((2, 3))")
    .rejects("ops.empty((-1,))", "ValueError", "empty: the shape (-1,) has a negative size");

DYAD_OP("zeros_like(input: Tensor, dtype: dtype?=None) -> Tensor")
    .describes(0)
    .doc("Tensor of zeros in the shape of another one.")
    .formula("out[i…] = 0")
    .arg("input", "its shape and dtype are read.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.zeros, ops.ones_like")
    .function("zeros_like(input, *, dtype=None)")
    .primitive("ZerosLike()(x:input)")
    .alias("x", "input")
    .mint("zeros_like")
    .compose([](const Call& call) { return constant_like(call, 0, 1); })
    .numpy("np.zeros_like(input)")
    .samples("unary()")
    .rejects("ops.zeros_like(1)", "TypeError", "zeros_like: input is 1");

DYAD_OP("ones_like(input: Tensor, dtype: dtype?=None) -> Tensor")
    .describes(0)
    .doc("Tensor of ones in the shape of another one.")
    .formula("out[i…] = 1")
    .arg("input", "its shape and dtype are read.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.ones, ops.zeros_like")
    .function("ones_like(input, *, dtype=None)")
    .primitive("OnesLike()(x:input)")
    .alias("x", "input")
    .mint("ones_like")
    .compose([](const Call& call) { return constant_like(call, 1, 1); })
    .numpy("np.ones_like(input)")
    .samples("unary()")
    .rejects("ops.ones_like(1)", "TypeError", "ones_like: input is 1");

DYAD_OP("full_like(input: Tensor, value: Operand, dtype: dtype?=None) -> Tensor")
    .describes(0)
    .doc("Tensor filled with one number in the shape of another one.")
    .formula("out[i…] = value")
    .arg("input", "its shape and dtype are read.")
    .arg("value", "a number or a tensor of one element.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.full, ops.zeros_like")
    .function("full_like(input, fill_value:value, *, dtype=None)")
    .function("fills(x:input, value)")
    .method("fills(value)")
    .primitive("Fills()(x:input, value)")
    .alias("fill_value", "value")
    .alias("x", "input")
    .mint("full_like")
    .compose([](const Call& call) {
      return spread(call, call.in(0).shape, 1, call.dtype(2, call.in(0).dtype));
    })
    .numpy("np.full_like(input, value)")
    .samples("call(T(2, 3), 2, dtypes='all')", "call(T(), 1)", "call(T(2, 3), T())")
    .rejects("ops.full_like(ones(2), 'a')", "TypeError", "full_like: value is 'a'");

DYAD_OP("empty_like(input: Tensor, dtype: dtype?=None) -> Tensor")
    .doc("Uninitialized tensor in the shape of another one: its elements may have any value.")
    .formula("out[i…] = any value")
    .arg("input", "its shape and dtype are read.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.empty")
    .function("empty_like(input, *, dtype=None)")
    .mint("empty_like")
    .compose([](const Call& call) {
      static const OpName empty{"empty"};
      return empty(call.builder(), call.in(0).shape, call.dtype(1, call.in(0).dtype));
    })
    .numpy("ref.any_values(input.shape)")
    .samples("call(T(2, 3))")
    .rejects("ops.empty_like(1)", "TypeError", "empty_like: input is 1");

DYAD_OP("new_empty(input: Tensor, size: ints, dtype: dtype?=None, device: str?=None) -> Tensor")
    .doc("Uninitialized tensor in the dtype of another one: its elements may have any value.")
    .formula("out[i…] = any value")
    .arg("input", "its dtype is read.")
    .arg("size", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .arg("device", "name of the device; None: the current one.")
    .returns("Tensor of shape `size`.")
    .see("ops.empty")
    .hidden()
    .method("new_empty(size, *, dtype=None, device=None)")
    .compose([](const Call& call) {
      static const OpName empty{"empty"};
      static const OpName transfer{"transfer"};
      const Value made = empty(call.builder(), call[1], call.dtype(2, call.in(0).dtype));
      return call.has(3) ? transfer(made, call.text(3)) : made;
    })
    .numpy("ref.any_values(size)")
    .samples("call(T(2, 3), (4, 2))")
    .rejects("ones(2).new_empty((-1,))", "ValueError", "negative size");

DYAD_OP("new_zeros(input: Tensor, shape: ints, dtype: dtype?=None) -> Tensor")
    .doc("Tensor of zeros in the dtype of another one.")
    .formula("out[i…] = 0")
    .arg("input", "its dtype is read.")
    .arg("shape", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor of shape `shape`.")
    .see("ops.zeros")
    .function("new_zeros(input, size:shape, dtype=None)")
    .method("new_zeros(size:shape, dtype=None)")
    .compose([](const Call& call) {
      return full(call.builder(), call[1], 0, call.dtype(2, call.in(0).dtype));
    })
    .numpy("np.zeros(shape, input.dtype)")
    .samples("call(T(2, 3), (4, 2))")
    .rejects("ones(2).new_zeros((-1,))", "ValueError", "the shape (-1,) has a negative size");

DYAD_OP("new_ones(input: Tensor, shape: ints, dtype: dtype?=None) -> Tensor")
    .doc("Tensor of ones in the dtype of another one.")
    .formula("out[i…] = 1")
    .arg("input", "its dtype is read.")
    .arg("shape", "shape of the result.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor of shape `shape`.")
    .see("ops.ones")
    .function("new_ones(input, size:shape, dtype=None)")
    .method("new_ones(size:shape, dtype=None)")
    .compose([](const Call& call) {
      return full(call.builder(), call[1], 1, call.dtype(2, call.in(0).dtype));
    })
    .numpy("np.ones(shape, input.dtype)")
    .samples("call(T(2, 3), (4, 2))")
    .rejects("ones(2).new_ones((-1,))", "ValueError", "the shape (-1,) has a negative size");

DYAD_OP("new_full(input: Tensor, shape: ints, value: Operand, dtype: dtype?=None) -> Tensor")
    .doc("Tensor filled with one number in the dtype of another one.")
    .formula("out[i…] = value")
    .arg("input", "its dtype is read.")
    .arg("shape", "shape of the result.")
    .arg("value", "a number or a tensor of one element.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .returns("Tensor of shape `shape`.")
    .see("ops.full")
    .hidden()
    .method("new_full(size:shape, fill_value:value, dtype=None)")
    .compose([](const Call& call) { return spread(call, call.dims(1), 2, call.dtype(3, call.in(0).dtype)); })
    .numpy("np.full(shape, value, input.dtype)")
    .samples("call(T(2, 3), (4, 2), 3)", "call(T(2, 3), (4, 2), T())")
    .rejects("ones(2).new_full((-1,), 2)", "ValueError", "the shape (-1,) has a negative size");

}  // namespace dyad
