// Tensor.max and Tensor.min. Called with axes they give the values, called with one dimension the values and
// their positions; both are spelled alike.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(max, max_value, max_with_index, min, min_value, min_with_index);

/// (input, axis, keepdims, initial, where, return_indices)
ValueList extreme(const Call& call, const OpName& value, const OpName& value_and_index) {
  Arg mask = call[4];
  if (const Scalar* everywhere = call[4].get<Scalar>()) {
    if (!everywhere->to_bool()) value_error(call.op(), ": where is False; it must be True or a Tensor");
    mask = Arg();
  }
  if (!call.flag(5)) return {value(call.value(0), call[1], call[2], call[3], mask)};
  if (call.has(1) && call.dims(1).size() != 1) {
    value_error(call.op(), ": return_indices is True with the axes ", call.dims(1),
                "; an index counts along one axis");
  }
  const Arg axis = call.has(1) ? Arg(call.dims(1)[0].value()) : Arg();
  return value_and_index.all(call.value(0), axis, call[2], call[3], mask);
}

}  // namespace

DYAD_OP("max_along(input: Tensor, dim: int, keepdim: bool=False) -> (Tensor, Tensor)")
    .doc("Maximum along a dimension and its index.")
    .formula("values = maxₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("dim", "axis that is reduced.")
    .arg("keepdim", "whether the reduced axis stays, with size 1.")
    .returns("Tuple of the values and the indices.")
    .see("ops.max")
    .hidden()
    .further_method("max(dim, keepdim=False)")
    .compose([](const Call& call) { return max_with_index.all(call.value(0), call[1], call[2]); })
    .numpy("ref.max_with_index(input, dim, keepdim)")
    .samples("call(T(2, 3), 1)", "call(T(2, 3), 0, True)")
    .rejects("ones(2, 3).max(2)", "ValueError", "max: axis 2");

DYAD_OP("min_along(input: Tensor, dim: int, keepdim: bool=False) -> (Tensor, Tensor)")
    .doc("Minimum along a dimension and its index.")
    .formula("values = minₖ input[…, k, …], indices = the smallest k with input[…, k, …] = values")
    .arg("input", "real numbers, any shape.")
    .arg("dim", "axis that is reduced.")
    .arg("keepdim", "whether the reduced axis stays, with size 1.")
    .returns("Tuple of the values and the indices.")
    .see("ops.min")
    .hidden()
    .further_method("min(dim, keepdim=False)")
    .compose([](const Call& call) { return min_with_index.all(call.value(0), call[1], call[2]); })
    .numpy("ref.min_with_index(input, dim, keepdim)")
    .samples("call(T(2, 3), 1)", "call(T(2, 3), 0, True)")
    .rejects("ones(2, 3).min(2)", "ValueError", "min: axis 2");

DYAD_OP(
    "max_by_axis(input: Tensor, axis: ints?=None, keepdims: bool=False, initial: Number?=None, where: "
    "Operand?=None, "
    "return_indices: bool=False) -> Tensor or Tensors")
    .doc("Maximum over the given axes; with `return_indices`, along one axis, also its index.")
    .formula("out[…] = max over the axes of input[…]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("initial", "lower bound of the result.")
    .arg("where", "bools that broadcast with `input`: elements that count; None: all.")
    .arg("return_indices", "whether the indices are returned too.")
    .returns("Tensor, or a tuple of the values and the indices.")
    .see("ops.max, ops.amax")
    .hidden()
    .method("max(*, axis=None, keepdims=False, initial=None, where=None, return_indices=False)")
    .further_method("max(axis, keepdims=False, *, initial=None, where=None, return_indices=False)")
    .compose([](const Call& call) { return extreme(call, max_value, max); })
    .numpy("ref.extreme(np.max, np.argmax, input, axis, keepdims, initial, where, return_indices)")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=(0, 1))", "call(T(2, 3), axis=1, return_indices=True)",
             "call(T(2, 3), axis=0, keepdims=True, initial=0.5, where=B(2, 3))", "call(T(2, 3), where=True)")
    .rejects("ones(2, 3).max(axis=2)", "ValueError", "max: axis 2")
    .rejects("ones(2, 3).max((0, 2))", "ValueError", "max: axis 2")
    .rejects("ones(2, 3).max(axis=(0, 1), return_indices=True)", "ValueError",
             "an index counts along one axis");

DYAD_OP(
    "min_by_axis(input: Tensor, axis: ints?=None, keepdims: bool=False, initial: Number?=None, where: "
    "Operand?=None, "
    "return_indices: bool=False) -> Tensor or Tensors")
    .doc("Minimum over the given axes; with `return_indices`, along one axis, also its index.")
    .formula("out[…] = min over the axes of input[…]")
    .arg("input", "real numbers, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("initial", "upper bound of the result.")
    .arg("where", "bools that broadcast with `input`: elements that count; None: all.")
    .arg("return_indices", "whether the indices are returned too.")
    .returns("Tensor, or a tuple of the values and the indices.")
    .see("ops.min, ops.amin")
    .hidden()
    .method("min(*, axis=None, keepdims=False, initial=None, where=None, return_indices=False)")
    .further_method("min(axis, keepdims=False, *, initial=None, where=None, return_indices=False)")
    .compose([](const Call& call) { return extreme(call, min_value, min); })
    .numpy("ref.extreme(np.min, np.argmin, input, axis, keepdims, initial, where, return_indices)")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=(0, 1))", "call(T(2, 3), axis=1, return_indices=True)",
             "call(T(2, 3), axis=0, keepdims=True, initial=0.5, where=B(2, 3))", "call(T(2, 3), where=True)")
    .rejects("ones(2, 3).min(axis=2)", "ValueError", "min: axis 2")
    .rejects("ones(2, 3).min((0, 2))", "ValueError", "min: axis 2");

}  // namespace dyad
