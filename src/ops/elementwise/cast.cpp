#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast, copy, transfer);

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

Value in_dtype(const Value& x, DType dtype, bool apart) {
  return apart && dtype == x->dtype ? copy(x) : cast(x, dtype);
}

std::string text_of(Device device) {
  return cat(device_name(device.kind), ":", static_cast<int>(device.index));
}

bool names_cpu(std::string_view device) {
  if (device.size() < 3 || (device.size() > 3 && device.substr(3) != ":0")) return false;
  return std::ranges::equal(device.substr(0, 3), std::string_view("cpu"),
                            [](char a, char b) { return (a | 0x20) == b; });
}

/// The bytes of the elements read as another dtype, whose elements have as many.
void infer_bits(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const DType dtype = args.dtype(1);
  if (itemsize(input.dtype) != itemsize(dtype)) {
    type_error(args.op(), ": input is of ", input.dtype, ", ", itemsize(input.dtype),
               " bytes each, and dtype is ", dtype, ", ", itemsize(dtype), " bytes; need as many");
  }
  if (dtype == DType::kBool && input.dtype != DType::kBool) {
    type_error(args.op(), ": dtype is Bool; a byte of a ", input.dtype, " need not be one");
  }
  results.add(dtype, input.shape);
}

bool view_bits(const Arguments& args, const ResultSpec&, ViewSpec& view) {
  view.strides = args.in(0).strides;
  return true;
}

}  // namespace

DYAD_OP("cast(input: Operand, dtype: dtype) -> Tensor")
    .doc(
        "Conversion to another dtype: floats are truncated to integers, complex numbers lose their imaginary "
        "part. A tensor that has the dtype already is returned without a copy.")
    .formula("out[i] = input[i] converted to dtype")
    .arg("input", "any dtype and shape.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor with the shape of `input` and the given dtype.")
    .see("Tensor.astype")
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
    .linear()
    .grad([](GradCall& g) { set_operand(g, 0, [&] { return g.grad(); }); })
    .batch(batch::leading)
    .moves(Movement::kCast)
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3, lo=0, hi=3), float32, dtypes='bool+int+float16+bfloat16+complex')",
             "call(T(2, 3), float64, dtypes='real')", "call(T(2, 3), int32, dtypes='real')",
             "call(I(0, 3), float16)", "call(T(), bool_)", "call(strided(T(4, 6)), float64)",
             "call(3, float32)")
    .rejects("ops.cast(ones(2), 3)", "TypeError", "dtype is 3");

DYAD_OP("astype(input: Tensor, dtype: dtype, copy: bool=False) -> Tensor")
    .doc(
        "Conversion to another dtype, as `ops.cast`. A tensor that has the dtype already shares its memory "
        "unless `copy` is True.")
    .formula("out[i] = input[i] converted to dtype")
    .arg("input", "any dtype and shape.")
    .arg("dtype", "the dtype of the result.")
    .arg("copy", "whether the result always has memory of its own.")
    .returns("Tensor with the shape of `input` and the given dtype.")
    .see("ops.cast")
    .hidden()
    .method()
    .shares_memory()
    .compose([](const Call& c) { return in_dtype(c.value(0), c.dtype(1), c.flag(2)); })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3), float64, dtypes='real')", "call(T(2, 3), float32, True)")
    .rejects("ones(2).astype(3)", "TypeError", "dtype is 3");

DYAD_OP("to(input: Tensor, dtype: dtype?=None, non_blocking: bool=False, copy: bool=False) -> Tensor")
    .doc("Conversion to another dtype, as `ops.cast`; a copy if `copy` is True.")
    .formula("out[i] = input[i] converted to dtype")
    .arg("input", "any dtype and shape.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .arg("non_blocking", "accepted for PyTorch's signature; has no effect.")
    .arg("copy", "whether the result always has memory of its own.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.cast, Tensor.astype")
    .hidden()
    .method()
    .shares_memory()
    .compose([](const Call& c) { return in_dtype(c.value(0), c.dtype(1, c.in(0).dtype), c.flag(3)); })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3), float64, dtypes='real')")
    .rejects("ones(2).to(3)", "TypeError", "dtype is 3");

DYAD_OP(
    "to_device(input: Tensor, device: str, dtype: dtype?=None, non_blocking: bool=False, copy: bool=False) "
    "-> Tensor")
    .doc("Transfer to a device, with conversion to another dtype if one is given; a copy if `copy` is True.")
    .formula("out[i] = input[i] converted to dtype")
    .arg("input", "any dtype and shape.")
    .arg("device", "name of the device, 'CPU' or 'GPU'.")
    .arg("dtype", "the dtype of the result; None: that of `input`.")
    .arg("non_blocking", "accepted for PyTorch's signature; has no effect.")
    .arg("copy", "whether the result always has memory of its own.")
    .returns("Tensor with the shape of `input` on the device.")
    .see("ops.cast")
    .hidden()
    .further_method("to(device, dtype=None, non_blocking=False, copy=False)")
    .shares_memory()
    .compose([](const Call& c) {
      const bool stays = names_cpu(c.text(1)) && c.in(0).device.kind == DeviceKind::kCpu;
      const Value placed = stays ? c.value(0) : transfer(c.value(0), c.text(1));
      return in_dtype(placed, c.dtype(2, c.in(0).dtype), stays && c.flag(4));
    })
    .numpy("ref.cast(input, dtype)")
    .samples("call(T(2, 3), 'CPU', dtypes='real')", "call(T(2, 3), 'cpu:0', float64)")
    .rejects("ones(2).to('Ascend')", "ValueError", "device is 'Ascend'; the devices here are 'CPU'");

DYAD_OP("to_like(input: Tensor, other: Tensor, non_blocking: bool=False, copy: bool=False) -> Tensor")
    .doc("Conversion to the dtype and transfer to the device of `other`; a copy if `copy` is True.")
    .formula("out[i] = input[i] converted to other.dtype")
    .arg("input", "any dtype and shape.")
    .arg("other", "its dtype and device are those of the result.")
    .arg("non_blocking", "accepted for PyTorch's signature; has no effect.")
    .arg("copy", "whether the result always has memory of its own.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.cast")
    .hidden()
    .further_method("to(other, non_blocking=False, copy=False)")
    .shares_memory()
    .compose([](const Call& c) {
      const bool stays = c.in(0).device == c.in(1).device;
      const Value placed = stays ? c.value(0) : transfer(c.value(0), text_of(c.in(1).device));
      return in_dtype(placed, c.in(1).dtype, stays && c.flag(3));
    })
    .numpy("np.asarray(input).astype(np.asarray(other).dtype)")
    .samples("call(T(2, 3), F(1), dtypes='real')")
    .rejects("ones(2).to(other=3)", "TypeError", "to");

DYAD_OP("transfer(input: Tensor, device: str) -> Tensor")
    .doc("The tensor on another device; the same memory where it lies there already.")
    .hidden()
    .infer(infer::same)
    .transfers()
    .linear()
    .grad([](GradCall& g) { g.set(0, transfer(g.grad(), text_of(g.in(0).device))); })
    .batch(batch::leading)
    .moves(Movement::kCopy)
    .numpy("input.copy()")
    .samples("call(T(2, 3), 'CPU')")
    .rejects("ones(2).move_to('Ascend')", "ValueError", "device is 'Ascend'; the devices here are 'CPU'");

DYAD_OP("type_as(input: Tensor, other: Tensor) -> Tensor")
    .doc("Conversion to the dtype of `other`, as `ops.cast`.")
    .formula("out[i] = input[i] converted to other.dtype")
    .arg("input", "any dtype and shape.")
    .arg("other", "its dtype is that of the result.")
    .returns("Tensor with the shape of `input` and the dtype of `other`.")
    .see("ops.cast")
    .hidden()
    .method()
    .shares_memory()
    .compose([](const Call& c) { return cast(c.value(0), c.in(1).dtype); })
    .numpy("np.asarray(input).astype(np.asarray(other).dtype)")
    .samples("call(T(2, 3), F(1), dtypes='real')")
    .rejects("ones(2).type_as(3)", "TypeError", "other is 3");

DYAD_OP("identity(input: Tensor) -> Tensor")
    .doc("Identity: the tensor itself, sharing its memory.")
    .formula("out[i] = input[i]")
    .arg("input", "any dtype and shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .hidden()
    .function("positive")
    .method("positive")
    .alias("x", "input")
    .alias("input_x", "input")
    .infer(infer::same)
    .view(same_memory)
    .linear()
    .grad([](GradCall& g) { g.set(0, g.grad()); })
    .batch(batch::leading)
    .moves(Movement::kIdentity)
    .numpy("np.asarray(input)")
    .samples("unary()")
    .rejects("ops.positive(3)", "TypeError", "positive: input is 3");

DYAD_OP("move_to(input: Tensor, to: str='CPU', blocking: bool=True) -> Tensor")
    .doc(
        "Transfer to another device; a tensor that is there already shares its memory. Reading the result "
        "waits for the transfer, whatever `blocking` is.")
    .formula("out[i] = input[i]")
    .arg("input", "any dtype and shape.")
    .arg("to", "name of the device, 'CPU' or 'GPU'.")
    .arg("blocking", "accepted for MindSpore; has no effect.")
    .returns("Tensor with the shape and dtype of `input` on the device.")
    .method()
    .primitive("MoveTo")
    .shares_memory()
    .compose([](const Call& c) { return transfer(c.value(0), c.text(1)); })
    .numpy("input.copy()")
    .samples("call(T(2, 3), 'CPU', False)")
    .rejects("ops.move_to(ones(2), 'Ascend')", "ValueError", "the devices here are 'CPU'");

DYAD_OP("stop_gradient(value: Tensor) -> Tensor")
    .doc("The tensor itself, taken as a constant by differentiation.")
    .hidden()
    .infer(infer::same)
    .view(same_memory)
    .no_grad("it is what stops the gradient")
    .batch(batch::leading)
    .moves(Movement::kIdentity)
    .numpy("np.asarray(value)")
    .samples("unary()")
    .rejects("dyad._core.named_op('stop_gradient')('a')", "TypeError", "stop_gradient: value is 'a'");

DYAD_OP("view_bits(input: Tensor, dtype: dtype) -> Tensor")
    .doc("The bytes of the elements as elements of another dtype of the same size; shares the memory.")
    .hidden()
    .infer(infer_bits)
    .view(view_bits)
    .no_grad("bits are no numbers")
    .batch(batch::leading)
    .numpy("np.ascontiguousarray(input).view(np.dtype(str(dtype).lower())).reshape(np.shape(input))")
    .samples("call(T(2, 3), uint32, dtypes='int32')", "call(T(), uint32, dtypes='int32')",
             "call(transposed(T(4, 2)), uint32, dtypes='int32')")
    .rejects("dyad._core.named_op('view_bits')(ones(3), dyad.int64)", "TypeError", "4 bytes each")
    .rejects("dyad._core.named_op('view_bits')(dyad.Tensor([1]).astype('int8'), dyad.bool_)", "TypeError",
             "dtype is Bool");

}  // namespace dyad
