#include <cmath>

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(nonzero, select_view, where, cast, index, broadcast_to, reshape, slice_view);

void require_mask(const Call& call, size_t at) {
  if (!is_bool(call.in(at).dtype)) {
    type_error(call.op(), ": mask has dtype ", call.in(at).dtype, "; it must be a bool tensor");
  }
}

/// Returns whether argument 2, a fill value, would change in the dtype of argument 0.
bool cut_by_fill(const Call& call) {
  if (!is_int(call.in(0).dtype)) return false;
  if (call.is_value(2)) return is_float(call.in(2).dtype) || is_complex(call.in(2).dtype);
  const Scalar value = call.number(2);
  return !value.integral() && (value.to_complex().imag() != 0 || !std::isfinite(value.to_double()) ||
                               std::trunc(value.to_double()) != value.to_double());
}

/// The elements of input under a mask, both broadcast to each other.
Value select(const Call& call) {
  require_mask(call, 1);
  const Shape shape = broadcast(call.op(), call.in(0).shape, call.in(1).shape);
  Value input = broadcast_to(call.value(0), shape);
  Value mask = broadcast_to(call.value(1), shape);
  if (!shape.empty()) return index(input, ValueList{mask});
  return index(reshape(input, Dims{1}), ValueList{reshape(mask, Dims{1})});
}

Value masked_scatter_body(const Call& call) {
  static const OpName index_put_copy{"index_put_copy"};
  require_mask(call, 1);
  require_fit(call, 2, 0);
  const Value& input = call.value(0);
  const Value& source = call.value(2);
  Value mask = broadcast_to(call.value(1), input->shape);
  if (input->shape.empty()) value_error(call.op(), ": input is 0-d; at least one dimension is needed");
  Value places = nonzero(mask);
  const Dim count = places->shape[0];
  const Dim available = size_of(source->shape);
  if (count.known() && available.known() && count.value() > available.value()) {
    value_error(call.op(), ": the mask chooses ", count, " elements and source has only ", available);
  }
  Value values = slice_view(reshape(source, Dims{-1}), Dims{0}, Dims{count}, Dims{1});
  ValueList indices;
  for (int64_t d = 0; d < input->rank(); ++d) indices.push_back(select_view(places, 1, d));
  return index_put_copy(input, indices, values);
}

}  // namespace

DYAD_OP("nonzero(input: Tensor) -> Tensor")
    .doc("Coordinates of the elements that are not 0, one per row, in row-major order.")
    .formula("input[out[k, 0], out[k, 1], …] ≠ 0 for each row k")
    .arg("input", "any dtype and shape.")
    .returns("Tensor of int64 and shape (number of elements ≠ 0, dimensions of `input`).")
    .see("ops.masked_select, ops.count_nonzero")
    .hidden()
    .function("argwhere")
    .method("argwhere")
    .primitive("NonZero()(x:input)")
    .alias("x", "input")
    .data_shape()
    .infer([](const Arguments& args, Results& results) {
      results.add(DType::kInt64, Shape{Dim::fresh("nonzero"), args.in(0).rank()});
    })
    .no_grad("the result is integers")
    .moves(Movement::kOther)
    .numpy("np.argwhere(input)")
    .samples("call(T(3, 4, lo=-1, hi=2), dtypes='all')", "call(B(7))", "call(T(0, 2))",
             "call(strided(B(4, 6)))", "call(B())")
    .rejects("ops.nonzero('a')", "TypeError", "nonzero: input is 'a'");

DYAD_OP("nonzero_tuple(input: Tensor) -> Tensors")
    .doc("Coordinates of the elements that are not zero, one tensor per dimension.")
    .hidden()
    .compose([](const Call& call) {
      Value input = call.in(0).rank() ? call.value(0) : reshape(call.value(0), Dims{1});
      Value places = nonzero(input);
      ValueList columns;
      for (int64_t d = 0; d < input->rank(); ++d) columns.push_back(select_view(places, 1, d));
      return columns;
    })
    .numpy("np.nonzero(np.atleast_1d(input))")
    .samples("call(B(3, 4))", "call(B(5))")
    .rejects("dyad._core.named_op('nonzero_tuple')('a')", "TypeError", "nonzero_tuple: input is 'a'");

DYAD_OP("masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor")
    .doc("Copy of `input` with a value where the mask is True.")
    .formula("out[i] = value", "mask[i]")
    .formula("out[i] = input[i]", "otherwise")
    .arg("input", "any dtype and shape.")
    .arg("mask", "bools that broadcast with `input`.")
    .arg("value", "a number or a tensor of shape (), converted to the dtype of `input`.")
    .returns("Tensor with the broadcast shape and the dtype of `input`.")
    .see("ops.where, ops.masked_select")
    .function("masked_fill(input_x:input, mask, value)")
    .method()
    .inplace("masked_fill_")
    .primitive("MaskedFill()(input_x:input, mask, value)")
    .alias("input_x", "input")
    .compose([](const Call& call) {
      require_mask(call, 1);
      if (call.is_value(2) && call.in(2).rank() != 0) {
        value_error(call.op(), ": value has shape ", call.in(2).shape,
                    "; it must be a number or a 0-d tensor");
      }
      if (cut_by_fill(call)) {
        const std::string value =
            call.is_value(2) ? with_article(call.in(2).dtype) + " tensor" : to_text(call.number(2));
        type_error(call.op(), ": value is ", value, " and input has dtype ", call.in(0).dtype,
                   "; it must be a whole number");
      }
      // A number takes the tensor's dtype here, so that filling never widens the result.
      Value chosen = where(call.value(1), call[2], call.value(0));
      return chosen->dtype == call.in(0).dtype ? chosen : cast(chosen, call.in(0).dtype);
    })
    .numpy("np.where(mask, np.asarray(value).astype(input.dtype), input)")
    .samples("call(T(2, 3), B(2, 3), 2, dtypes='numeric')", "call(T(2, 3), B(3), 1.5)",
             "call(T(3), B(2, 3), 0.0)", "call(T(), B(), 1)")
    .rejects("ops.masked_fill(ones(2), ones(2), 1)", "TypeError",
             "mask has dtype Float32; it must be a bool tensor")
    .rejects("ops.masked_fill(ints(2), Tensor(np.array([True, False])), 1.5)", "TypeError",
             "value is 1.5 and input has dtype Int64; it must be a whole number");

DYAD_OP("masked_select(input: Tensor, mask: Tensor) -> Tensor")
    .doc("Elements of `input` where the mask is True, in row-major order.")
    .formula("out = [input[i] for all i with mask[i]]")
    .arg("input", "any dtype and shape.")
    .arg("mask", "bools that broadcast with `input`.")
    .returns("Tensor with one dimension.")
    .see("ops.masked_fill, ops.nonzero")
    .method()
    .primitive("MaskedSelect()(x:input, mask)")
    .mint("masked_select")
    .compose([](const Call& call) { return select(call); })
    .numpy("ref.masked_select(input, mask)")
    .samples("call(T(2, 3), B(2, 3), dtypes='all')", "call(T(2, 3), B(3))", "call(T(3), B(2, 1))",
             "call(T(), B())")
    .rejects("ops.masked_select(ones(2), ones(2))", "TypeError", "mask has dtype Float32");

DYAD_OP("masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor")
    .doc("Copy of `input` with the elements of `source`, in order, where the mask is True.")
    .formula("out[i] = source[number of True before i]", "mask[i]")
    .formula("out[i] = input[i]", "otherwise")
    .arg("input", "any dtype and shape.")
    .arg("mask", "bools that broadcast to the shape of `input`.")
    .arg("source", "at least as many elements as the mask has True.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.masked_fill")
    .method("masked_scatter(mask, tensor:source)")
    .inplace("masked_scatter_")
    .primitive("MaskedScatter()(x:input, mask, updates:source)")
    .alias("tensor", "source")
    .compose([](const Call& call) { return masked_scatter_body(call); })
    .numpy("ref.masked_scatter(input, mask, source)")
    .samples("call(T(2, 3), B(2, 3), T(6))", "call(T(2, 3), B(3), T(3, 3))")
    .rejects("ops.masked_scatter(ones(3), Tensor(np.array([True, True, True])), ones(2))", "ValueError",
             "the mask chooses 3 elements and source has only 2")
    .rejects("ops.masked_scatter(ints(2), Tensor(np.array([True, True])), ones(2))", "TypeError",
             "a Float32 value does not fit in an Int64 variable");

}  // namespace dyad
