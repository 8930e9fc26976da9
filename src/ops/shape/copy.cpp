#include <algorithm>

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(assign, cast, reshape, sum_to, zeros_like);

Shape shape_of(const Arguments& args, size_t i) { return args.is_value(i) ? args.in(i).shape : Shape{}; }

void infer_assign(const Arguments& args, Results& results) {
  const ValueImpl& variable = args.in(0);
  require_fit(args, 1, 0);
  const Shape shape = shape_of(args, 1);
  const bool number =
      !args.is_value(1) || (shape.empty() && (!all_known(variable.shape) || variable.size() == 1));
  if (!number && !may_agree(shape, variable.shape)) {
    value_error(args.op(), ": value has shape ", shape, " and variable has shape ", variable.shape,
                "; they must be equal");
  }
  results.add(variable.dtype, variable.shape);
}

bool one_element(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Dim& dim) { return dim == Dim(1); });
}

/// A single element has the variable's shape, however many dimensions either is written with.
Value as_one(const Shape& variable, const Value& value) {
  if (value->shape.size() == variable.size() || !one_element(variable) || !one_element(value->shape))
    return value;
  return reshape(value, Dims(variable.begin(), variable.end()));
}

void infer_copy_into(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const Shape shape = shape_of(args, 1);
  if (!broadcasts_to(shape, input.shape)) {
    value_error(args.op(), ": a value of shape ", shape, " does not broadcast to the shape ", input.shape,
                " that it is written into");
  }
  results.add(input.dtype, input.shape);
}

void grad_written(GradCall& g) {
  g.set(0, zeros_like(g.value(0)));
  if (!g.is_value(1)) return;
  Value gradient = sum_to(g.grad(), g.value(1));
  g.set(1, gradient->dtype == g.in(1).dtype ? gradient : cast(gradient, g.in(1).dtype));
}

}  // namespace

DYAD_OP("copy(input: Tensor) -> Tensor")
    .doc("Copy in memory of its own, in row-major order.")
    .formula("out[i…] = input[i…]")
    .arg("input", "any dtype and shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.assign")
    .function("deepcopy(input_x:input)")
    .function("clone")
    .method()
    .method("clone")
    .primitive("Identity")
    .alias("x", "input")
    .mint("clone")
    .numpy_function("positive")
    .infer(infer::same)
    .linear()
    .grad([](GradCall& g) { g.set(0, g.grad()); })
    .batch(batch::leading)
    .moves(Movement::kCopy)
    .numpy("input.copy()")
    .samples("unary()")
    .rejects("ops.copy('a')", "TypeError", "copy: input is 'a'");

DYAD_OP("contiguous(input: Tensor) -> Tensor")
    .doc(
        "Contiguous tensor: the same elements in row-major order. Shares the memory if they are in that "
        "order already.")
    .formula("out[i…] = input[i…]")
    .arg("input", "any dtype and shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("Tensor.is_contiguous")
    .method()
    .infer(infer::same)
    .view([](const Arguments& args, const ResultSpec&, ViewSpec& view) {
      view.strides = args.in(0).strides;
      return args.in(0).contiguous();
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, g.grad()); })
    .batch(batch::leading)
    .numpy("input")
    .samples("unary()")
    .rejects("ops.contiguous(2)", "TypeError", "contiguous: input is 2");

DYAD_OP("assign(variable: Tensor, value: Operand) -> Tensor")
    .doc("Assignment: writes `value` into `variable`, in the dtype of `variable`.")
    .formula("variable[i…] = value[i…]")
    .arg("variable", "Parameter or Tensor of any dtype; changed.")
    .arg("value", "of the shape of `variable`.")
    .returns("`variable`.")
    .see("ops.assign_add")
    .primitive("Assign")
    .alias("input", "variable")
    .writes(0)
    .state()
    .infer(infer_assign)
    .grad(grad_written)
    .moves(Movement::kWrite)
    .numpy("np.array(value).astype(variable.dtype)")
    .samples("call(T(2, 3), T(2, 3), dtypes='all')", "call(strided(T(4, 6)), T(4, 6))",
             "call(T(0, 3), T(0, 3))", "call(T(2, 3), F(2, 3), dtypes='float')")
    .rejects("ops.assign(ones(2, 3), ones(3))", "ValueError",
             "value has shape (3,) and variable has shape (2, 3)")
    .rejects("ops.assign(ints(2), ones(2))", "TypeError", "a Float32 value does not fit in an Int64 variable")
    .rejects("ops.assign(ints(2).astype(dyad.int8), ints(2))", "TypeError",
             "an Int64 value does not fit in an Int8 variable");

DYAD_OP("copy_into(input: Tensor, value: Operand) -> Tensor")
    .doc("In-place copy: writes `value`, converted to the dtype of `input` and broadcast to its shape.")
    .formula("input[i…] = value[i…]")
    .arg("input", "any dtype and shape; changed.")
    .arg("value", "broadcasts to the shape of `input`.")
    .returns("`input`.")
    .see("ops.assign")
    .hidden()
    .method("copy_(src:value)")
    .method("fill_(value)")
    .writes(0)
    .infer(infer_copy_into)
    .grad(grad_written)
    .moves(Movement::kWrite)
    .numpy("np.broadcast_to(value, input.shape).astype(input.dtype)")
    .samples("call(T(2, 3), T(3), dtypes='all')", "call(strided(T(4, 6)), 2)", "call(T(0, 3), T(1, 3))")
    .rejects("ones(2, 3).copy_(ones(4))", "ValueError", "a value of shape (4,) does not broadcast");

DYAD_OP("copy_into_at_once(input: Tensor, src: Operand, non_blocking: bool) -> Tensor")
    .doc(
        "In-place copy: writes `src`, converted to the dtype of `input` and broadcast to its shape. A later "
        "read always sees the copy, whatever `non_blocking` is.")
    .formula("input[i…] = src[i…]")
    .arg("input", "any dtype and shape; changed.")
    .arg("src", "broadcasts to the shape of `input`.")
    .arg("non_blocking", "accepted for PyTorch's signature; has no effect.")
    .returns("`input`.")
    .see("ops.assign")
    .hidden()
    .further_method("copy_(src, non_blocking)")
    .writes(0)
    .compose([](const Call& call) {
      static const OpName copy_into{"copy_into"};
      return copy_into(call.value(0), call[1]);
    })
    .numpy("np.broadcast_to(src, input.shape).astype(input.dtype)")
    .samples("call(T(2, 3), T(3), True)")
    .rejects("ones(2, 3).copy_(ones(4), False)", "ValueError", "a value of shape (4,) does not broadcast");

DYAD_OP("zero_into(input: Tensor) -> Tensor")
    .doc("In-place fill with zeros.")
    .formula("input[i…] = 0")
    .arg("input", "any dtype and shape; changed.")
    .returns("`input`.")
    .see("ops.zeros_like")
    .hidden()
    .method("zero_")
    .writes(0)
    .compose([](const Call& call) {
      static const OpName copy_into{"copy_into"};
      return copy_into(call.value(0), 0);
    })
    .numpy("np.zeros_like(input)")
    .samples("call(T(2, 3), dtypes='all')")
    .rejects("Tensor.zero_(1)", "TypeError", "zero_: input is 1");

DYAD_OP("assign_add(variable: Tensor, value: Operand) -> Tensor")
    .doc("In-place addition, in the dtype of `variable`.")
    .formula("variable[i…] += value[i…]")
    .arg("variable", "Parameter or Tensor of numbers; changed.")
    .arg("value", "broadcasts to the shape of `variable`.")
    .returns("`variable`.")
    .see("ops.assign, ops.assign_sub")
    .primitive("AssignAdd")
    .writes(0)
    .compose([](const Call& call) {
      return assign(call.value(0), as_one(call.in(0).shape, call.value(0) + call[1]));
    })
    .numpy("(variable + value).reshape(variable.shape)")
    .samples("call(T(2, 3), T(2, 3), dtypes='numeric')", "call(T(2, 3), 2)", "call(T(1), T(1, 1))")
    .rejects("ops.assign_add(ones(2, 3), ones(4, 2, 3))", "ValueError", "they must be equal");

DYAD_OP("assign_sub(variable: Tensor, value: Operand) -> Tensor")
    .doc("In-place subtraction, in the dtype of `variable`.")
    .formula("variable[i…] −= value[i…]")
    .arg("variable", "Parameter or Tensor of numbers; changed.")
    .arg("value", "broadcasts to the shape of `variable`.")
    .returns("`variable`.")
    .see("ops.assign, ops.assign_add")
    .primitive("AssignSub")
    .writes(0)
    .compose([](const Call& call) {
      return assign(call.value(0), as_one(call.in(0).shape, call.value(0) - call[1]));
    })
    .numpy("(variable - value).reshape(variable.shape)")
    .samples("call(T(2, 3), T(2, 3), dtypes='numeric')", "call(T(2, 3), 2)", "call(T(1), T(1, 1))")
    .rejects("ops.assign_sub(ones(2, 3), ones(4, 2, 3))", "ValueError", "they must be equal");

}  // namespace dyad
