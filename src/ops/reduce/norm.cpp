#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/root.h"

namespace dyad {

namespace {

DYAD_USE(abs, amax, amin, cast, clamp, greater, matrix_norm, not_equal, permute, reshape, sum,
         singular_values, where);

Value in_floating(const Value& input, const Arg& dtype) {
  if (auto* wanted = dtype.get<DType>()) return input->dtype == *wanted ? input : cast(input, *wanted);
  return is_float(input->dtype) || is_complex(input->dtype) ? input : cast(input, DType::kFloat32);
}

Value vector_norm_of(const Value& input, double order, const Arg& axis, const Arg& keepdims) {
  if (std::isinf(order))
    return order > 0 ? amax(abs(input), axis, keepdims) : amin(abs(input), axis, keepdims);
  if (order == 0) return cast(sum(not_equal(input, 0), axis, keepdims), real_dtype(input->dtype));
  return safe_root(sum(magnitude_power(input, order), axis, keepdims), order);
}

/// The two axes of the matrices, as given.
std::pair<int64_t, int64_t> matrix_axes(const Call& call, size_t at, int64_t rank) {
  const Dims& given = call.dims(at);
  if (given.size() != 2) value_error(call.op(), ": axis is ", given, "; a matrix norm needs two axes");
  const int64_t rows = normalize_axis(call.op(), given[0].value(), rank);
  const int64_t columns = normalize_axis(call.op(), given[1].value(), rank);
  if (rows == columns) value_error(call.op(), ": axis ", rows, " is given twice in ", given);
  return {rows, columns};
}

/// Singular values of the matrices along the last axis.
Value values_of_matrices(const Value& input, int64_t rows, int64_t columns) {
  Dims order;
  for (int64_t i = 0; i < input->rank(); ++i) {
    if (i != rows && i != columns) order.push_back(i);
  }
  order.push_back(rows);
  order.push_back(columns);
  return singular_values(permute(input, order));
}

Value matrix_norm_of(const Call& call, const Value& input, const Arg& kind, size_t axis, bool keepdims) {
  const std::string* text = kind.get<std::string>();
  const std::string name = text ? *text : "";
  const double order = text ? 0 : kind.get<Scalar>()->to_double();
  const auto [rows, columns] = matrix_axes(call, axis, input->rank());
  if (name == "fro") return vector_norm_of(input, 2, Dims{rows, columns}, keepdims);
  const Ints both = rows < columns ? Ints{rows, columns} : Ints{columns, rows};
  const Shape shape = infer::reduced(input->shape, both, keepdims);
  if (name == "nuc") return reshape(sum(values_of_matrices(input, rows, columns), Dims{-1}), shape);
  if (!name.empty()) value_error(call.op(), ": ord is '", name, "'; accepted are 'fro', 'nuc' and numbers");
  if (std::abs(order) == 2) {
    const Value singular = values_of_matrices(input, rows, columns);
    return reshape(order > 0 ? amax(singular, Dims{-1}) : amin(singular, Dims{-1}), shape);
  }
  if (std::abs(order) != 1 && !std::isinf(order)) {
    value_error(call.op(), ": ord is ", order, "; matrix norms are 'fro', 'nuc', 1, -1, 2, -2, inf and -inf");
  }
  // Order 1: the largest sum of a column; infinite order: of a row.
  const int64_t summed = std::isinf(order) ? columns : rows;
  const int64_t searched = std::isinf(order) ? rows : columns;
  const Value sums = sum(abs(input), Dims{summed}, true);
  const Value found = order > 0 ? amax(sums, Dims{searched}, true) : amin(sums, Dims{searched}, true);
  return reshape(found, shape);
}

}  // namespace

DYAD_OP(
    "vector_norm(x: Tensor, ord: float=2, axis: ints?=None, keepdims: bool=False, dtype: dtype?=None) -> "
    "Tensor")
    .doc("Vector norm over the given axes, taken as one vector.")
    .formula("out = (Σ |x|^ord)^(1/ord)")
    .formula("out = max |x|", "ord=inf")
    .formula("out = min |x|", "ord=-inf")
    .formula("out = number of elements ≠ 0", "ord=0")
    .arg("x", "floats or complex numbers, any shape.")
    .arg("ord", "order of the norm.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("dtype", "`x` is converted to it first; None: its own.")
    .returns("Tensor of real numbers without the reduced axes.")
    .see("ops.norm, ops.matrix_norm")
    .function("vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None)")
    .alias("dim", "axis")
    .alias("input", "x")
    .compose_wide([](const Call& call) {
      return vector_norm_of(in_floating(call.value(0), call[4]), call.real(1), call[2], call[3]);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.vector_norm(x, ord, axis, keepdims)")
    .samples("call(T(2, 3), dtypes='float+complex')", "call(T(2, 3), ord=1, axis=1)",
             "call(T(2, 3), ord=3.5, axis=1)", "call(T(2, 3), ord=inf, axis=0, keepdims=True)",
             "call(T(2, 3), ord=-inf)", "call(T(2, 3), ord=0)", "call(T(2, 3, 4), axis=(0, 2))")
    .rejects("ops.vector_norm(ones(2, 3), 2, 2)", "ValueError", "axis 2");

DYAD_OP(
    "matrix_norm(A: Tensor, ord: Order='fro', axis: ints=(-2, -1), keepdims: bool=False, dtype: dtype?=None) "
    "-> Tensor")
    .doc("Matrix norm over two axes. σ are the singular values.")
    .formula("out = √(Σ |A[i, j]|²)", "ord='fro'")
    .formula("out = Σ σ", "ord='nuc'")
    .formula("out = maxⱼ Σᵢ |A[i, j]| (−1: minⱼ)", "ord=1 or -1")
    .formula("out = max σ (−2: min σ)", "ord=2 or -2")
    .formula("out = maxᵢ Σⱼ |A[i, j]| (−inf: minᵢ)", "ord=inf or -inf")
    .arg("A", "floats or complex numbers, at least 2 dimensions.")
    .arg("ord", "'fro', 'nuc', 1, -1, 2, -2, inf or -inf.")
    .arg("axis", "the axes of rows and columns.")
    .arg("dtype", "`A` is converted to it first; None: its own.")
    .returns("Tensor of real numbers without the two axes.")
    .see("ops.norm, ops.vector_norm")
    .function("matrix_norm(A, ord='fro', axis=(-2, -1), keepdims=False, *, dtype=None)")
    .compose_wide([](const Call& call) {
      return matrix_norm_of(call, in_floating(call.value(0), call[4]), call[1], 2, call.flag(3));
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.linalg.norm(A, ord, tuple(axis), keepdims)")
    .samples("call(T(2, 3))", "call(T(4, 2, 3), ord=1)",
             "call(T(4, 2, 3), ord=-inf, axis=(0, 2), keepdims=True)", "call(T(4, 2, 3), ord=-1)",
             "call(T(4, 2, 3), ord=inf)", "call(T(4, 2, 3), ord=2)", "call(T(4, 2, 3), ord=-2)",
             "call(T(4, 2, 3), ord='nuc')")
    .rejects("ops.matrix_norm(ones(2, 3), 'max')", "ValueError", "matrix_norm: ord is 'max'")
    .rejects("ops.matrix_norm(ones(2, 3), 3)", "ValueError", "matrix_norm: ord is 3");

DYAD_OP(
    "norm(A: Tensor, ord: Order?=None, dim: ints?=None, keepdim: bool=False, dtype: dtype?=None) -> Tensor")
    .doc(
        "Norm of vectors or matrices: a matrix norm if `ord` is a name or two axes are given, else a vector "
        "norm. Without `ord` it is the root of the sum of squares.")
    .formula("out = √(Σ |A|²)", "ord=None")
    .formula("out = (Σ |A|^ord)^(1/ord)", "vectors")
    .formula("out = matrix_norm(A, ord)", "matrices")
    .arg("A", "floats or complex numbers, any shape.")
    .arg("ord", "order of the norm: a number, 'fro' or 'nuc'.")
    .arg("dim", "axes that are reduced; None: all.")
    .arg("keepdim", "whether reduced axes stay, with size 1.")
    .arg("dtype", "`A` is converted to it first; None: its own.")
    .returns("Tensor of real numbers without the reduced axes.")
    .see("ops.vector_norm, ops.matrix_norm")
    .function("norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)")
    .method("norm(ord=None, dim=None, keepdim=False, *, dtype=None)")
    .alias("axis", "dim")
    .alias("keepdims", "keepdim")
    .alias("p", "ord")
    .alias("input", "A")
    .compose_wide([](const Call& call) -> Value {
      const Value input = in_floating(call.value(0), call[4]);
      if (!call.has(1)) return vector_norm_of(input, 2, call[2], call[3]);
      const Scalar* order = call[1].get<Scalar>();
      if (call.has(2)) {
        if (order && call.dims(2).size() == 1)
          return vector_norm_of(input, order->to_double(), call[2], call[3]);
        return matrix_norm_of(call, input, call[1], 2, call.flag(3));
      }
      if (order && input->rank() == 1) return vector_norm_of(input, order->to_double(), call[2], call[3]);
      if (input->rank() != 2) {
        value_error(call.op(), ": A has shape ", input->shape, "; with ord ", call[1],
                    " and no dim it must have 1 or 2 dimensions");
      }
      return matrix_norm(input, call[1], Dims{0, 1}, call[3]);
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.linalg.norm(A if ord is not None or dim is not None else np.ravel(A), ord, dim, keepdim)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), ord=1, dim=1)",
             "call(T(2, 3, 4), dim=(0, 2), ord='fro')", "call(T(2, 3), ord='fro')", "call(T(5), ord=3)",
             "call(T(2, 3, 4), dim=1, keepdim=True)", "call(T(2, 3), ord=inf)")
    .rejects("ops.norm(ones(2, 3), 2, 2)", "ValueError", "axis 2")
    .rejects("ops.norm(ones(2, 3, 4), 'fro')", "ValueError", "norm: A has shape (2, 3, 4)");

DYAD_OP("lp_norm(input: Tensor, axis: ints, p: int=2, keep_dims: bool=False, epsilon: float=1e-12) -> Tensor")
    .doc("Lp norm over the given axes, at least `epsilon`.")
    .formula("out = max((Σ |x|ᵖ)^(1/p), epsilon)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced.")
    .arg("p", "order of the norm.")
    .arg("keep_dims", "whether reduced axes stay, with size 1.")
    .arg("epsilon", "smallest result.")
    .returns("Tensor without the reduced axes.")
    .see("ops.norm")
    .hidden()
    .primitive("LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(input)")
    .compose_wide([](const Call& call) {
      return clamp(vector_norm_of(in_floating(call.value(0), {}), call.real(2), call[1], call[3]), call[4]);
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.maximum(np.linalg.norm(input, p, axis, keep_dims), epsilon)")
    .samples("call(T(2, 3), axis=1)", "call(T(2, 3), axis=0, p=1, keep_dims=True)")
    .rejects("ops.LpNorm(2)(ones(2, 3))", "ValueError", "axis 2");

DYAD_OP("renorm(input: Tensor, p: float, axis: int, maxnorm: float) -> Tensor")
    .doc("Renormalization: scales each slice along an axis whose p-norm exceeds `maxnorm` down to that norm.")
    .formula("out[…, i, …] = input[…, i, …] · maxnorm / (‖input[…, i, …]‖ₚ + 1e-7)",
             "‖input[…, i, …]‖ₚ > maxnorm")
    .formula("out[…, i, …] = input[…, i, …]", "otherwise")
    .arg("input", "floats, any shape.")
    .arg("p", "order of the norm.")
    .arg("axis", "axis whose slices are scaled.")
    .arg("maxnorm", "the largest norm that a slice keeps.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.clip_by_norm")
    .method()
    .primitive("Renorm(p, dim:axis, maxnorm)(x:input)")
    .alias("dim", "axis")
    .compose_wide([](const Call& call) -> Value {
      const Value& input = call.value(0);
      const int64_t axis = normalize_axis(call.op(), call.integer(2), input->rank());
      Dims others;
      for (int64_t i = 0; i < input->rank(); ++i) {
        if (i != axis) others.push_back(i);
      }
      const Value length = others.empty() ? abs(input) : vector_norm_of(input, call.real(1), others, true);
      const double limit = call.real(3);
      return input * where(greater(length, limit), limit / (length + 1e-7), 1);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.renorm(input, p, axis, maxnorm)")
    .samples("call(T(2, 3), p=2, axis=0, maxnorm=1.0)", "call(T(2, 3, 4), p=1, axis=1, maxnorm=5.0)")
    .rejects("ops.renorm(ones(2, 3), 2, 2, 1.0)", "ValueError", "renorm: axis 2");

}  // namespace dyad
