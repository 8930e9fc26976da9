#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(diagonal, embed_diagonal, diag_embed, reshape, broadcast_to, triangle);

struct Plane {
  size_t rows;
  size_t columns;
};

/// The two dimensions named by arguments `at` and `at + 1`, in a shape of `rank` dimensions.
Plane plane_of(const Arguments& args, size_t at, int64_t rank) {
  if (rank < 2)
    value_error(args.op(), ": a tensor of ", rank, " dimensions has no diagonal; at least 2 are needed");
  const int64_t rows = normalize_axis(args.op(), args.integer(at), rank, "dim1");
  const int64_t columns = normalize_axis(args.op(), args.integer(at + 1), rank, "dim2");
  if (rows == columns)
    value_error(args.op(), ": dim1 and dim2 are both ", rows, "; two different dimensions are needed");
  return {static_cast<size_t>(rows), static_cast<size_t>(columns)};
}

Dim diagonal_length(Dim rows, Dim columns, int64_t offset) {
  return max(offset >= 0 ? min(rows, columns - Dim(offset)) : min(rows + Dim(offset), columns), Dim(0));
}

Shape diagonal_shape(const Shape& shape, Plane plane, int64_t offset) {
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != plane.rows && d != plane.columns) result.push_back(shape[d]);
  }
  result.push_back(diagonal_length(shape[plane.rows], shape[plane.columns], offset));
  return result;
}

bool view_diagonal(const Arguments& args, const ResultSpec& result, ViewSpec& view) {
  const ValueImpl& input = args.in(0);
  const Plane plane = plane_of(args, 2, input.rank());
  const int64_t offset = args.integer(1);
  for (size_t d = 0; d < input.shape.size(); ++d) {
    if (d != plane.rows && d != plane.columns) view.strides.push_back(input.strides[d]);
  }
  view.strides.push_back(input.strides[plane.rows] + input.strides[plane.columns]);
  if (result.shape.back() == Dim(0)) return true;  // the offset may lie anywhere
  view.offset = offset >= 0 ? offset * input.strides[plane.columns] : -offset * input.strides[plane.rows];
  return true;
}

Value diag_embed_body(const Call& call) {
  const Value& input = call.value(0);
  if (input->rank() == 0)
    value_error(call.op(), ": a 0-d tensor is no diagonal; at least one dimension is needed");
  const int64_t offset = call.integer(1);
  const Plane plane = plane_of(call, 2, input->rank() + 1);
  constexpr int64_t kFarthest = int64_t{1} << 40;
  if (offset < -kFarthest || offset > kFarthest) {
    value_error(call.op(), ": offset is ", offset, "; accepted are -", kFarthest, " to ", kFarthest);
  }
  const Dim size = input->shape.back() + Dim(offset < 0 ? -offset : offset);
  Shape shape(input->shape.begin(), input->shape.end() - 1);
  shape.insert(std::min(plane.rows, plane.columns), size);
  shape.insert(std::max(plane.rows, plane.columns), size);
  return embed_diagonal(input, shape, call[1], call[2], call[3]);
}

/// The dimensions of a shape, and the same again.
Shape twice(const Shape& shape) {
  Shape result = shape;
  for (const Dim& size : shape) result.push_back(size);
  return result;
}

Value diag_body(const Call& call) {
  const Value& input = call.value(0);
  if (input->rank() == 1) return diag_embed(input, call.integer(1));
  if (input->rank() == 2) return diagonal(input, call.integer(1));
  value_error(call.op(), ": input has shape ", input->shape, "; it must have 1 or 2 dimensions");
}

void infer_triangle(const Arguments& args, Results& results) {
  if (args.in(0).rank() < 2) {
    value_error(args.op(), ": input has shape ", args.in(0).shape, "; it must have at least 2 dimensions");
  }
  results.add(args.in(0).dtype, args.in(0).shape);
}

/// How many places of a matrix lie on and below a diagonal; row r has r + offset + 1 of them, as far as it
/// reaches.
Dim places_below(Dim rows, Dim columns, Dim offset) {
  const Dim first = offset + Dim(1);
  const Dim low = min(max(Dim(0) - first, Dim(0)), rows);  // rows before it have none
  const Dim high = min(max(columns - first, low), rows);   // rows from it on have all columns
  return floor_div((high - low) * (first + low + first + high - Dim(1)), 2) + (rows - high) * columns;
}

}  // namespace

DYAD_OP("diagonal(input: Tensor, offset: int=0, dim1: int=0, dim2: int=1) -> Tensor")
    .primitive("Diagonal(offset=0, dim1=0, dim2=1)(input)")
    .doc("Diagonal of two dimensions, as a new last dimension. Shares the memory.")
    .formula("out[…, k] = input[…, k, k + offset]", "offset ≥ 0")
    .formula("out[…, k] = input[…, k − offset, k]", "offset < 0")
    .arg("input", "any dtype, at least 2 dimensions.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .arg("dim1", "dimension of the rows.")
    .arg("dim2", "dimension of the columns.")
    .returns("Tensor without the two dimensions and with the diagonal last, a view of `input`.")
    .see("ops.diag_embed, ops.trace")
    .method("diagonal(offset=0, axis1:dim1=0, axis2:dim2=1)")
    .alias("axis1", "dim1")
    .alias("axis2", "dim2")
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(0);
      results.add(input.dtype, diagonal_shape(input.shape, plane_of(args, 2, input.rank()), args.integer(1)));
    })
    .view(view_diagonal)
    .linear()
    .grad([](GradCall& g) { g.set(0, embed_diagonal(g.grad(), g.in(0).shape, g[1], g[2], g[3])); })
    .batch(batch::diagonal)
    .numpy("np.diagonal(input, offset, dim1, dim2)")
    .samples("call(T(3, 4), dtypes='all')", "call(T(3, 4), 1)", "call(T(3, 4), -2)",
             "call(T(2, 3, 4), 0, 0, 2)", "call(T(2, 3, 4), 1, -1, -2)", "call(T(3, 4), 5)")
    .rejects("ops.diagonal(ones(3))", "ValueError", "has no diagonal")
    .rejects("ops.diagonal(ones(3, 3), 0, 0, 0)", "ValueError", "dim1 and dim2 are both 0");

DYAD_OP("embed_diagonal(input: Tensor, shape: ints, offset: int=0, dim1: int=0, dim2: int=1) -> Tensor")
    .doc("Zeros of a shape, with input written where `diagonal` would read.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const Shape& shape = args.dims(1);
      const Plane plane = plane_of(args, 3, static_cast<int64_t>(shape.size()));
      const Shape expected = diagonal_shape(shape, plane, args.integer(2));
      if (all_known(expected) && all_known(args.in(0).shape) && !(expected == args.in(0).shape)) {
        value_error(args.op(), ": input has shape ", args.in(0).shape, "; the diagonal has shape ", expected);
      }
      results.add(args.in(0).dtype, shape);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, diagonal(g.grad(), g[2], g[3], g[4])); })
    .batch(batch::diagonal_embedded)
    .moves(Movement::kOther)
    .numpy("ref.embed_diagonal(input, shape, offset, dim1, dim2)")
    .samples("call(T(3), (3, 4))", "call(T(2, 3), (3, 2, 4), 1, 0, 2)", "call(T(2), (4, 3), -2)")
    .rejects("dyad._core.named_op('embed_diagonal')(ones(2), (3, 3))", "ValueError",
             "the diagonal has shape (3,)");

DYAD_OP("diag_embed(input: Tensor, offset: int=0, dim1: int=-2, dim2: int=-1) -> Tensor")
    .doc("Diagonal embedding: matrices with the last dimension of `input` on a diagonal, zeros elsewhere.")
    .formula("out[…, k, k + offset] = input[…, k], elsewhere 0", "offset ≥ 0")
    .formula("out[…, k − offset, k] = input[…, k], elsewhere 0", "offset < 0")
    .arg("input", "any dtype, at least one dimension.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .arg("dim1", "dimension of the rows in the result.")
    .arg("dim2", "dimension of the columns in the result.")
    .returns("Tensor with one more dimension.")
    .see("ops.diagonal, ops.diag")
    .compose([](const Call& call) { return diag_embed_body(call); })
    .numpy("ref.diag_embed(input, offset, dim1, dim2)")
    .samples("call(T(3), dtypes='all')", "call(T(2, 3), 1)", "call(T(2, 3), -1, 0, 2)")
    .rejects("ops.diag_embed(Tensor(1.0))", "ValueError", "a 0-d tensor is no diagonal");

DYAD_OP("diag(input: Tensor) -> Tensor")
    .doc("Diagonal tensor: `input` on the diagonal of a tensor with its dimensions twice, zeros elsewhere.")
    .formula("out[i…, i…] = input[i…], elsewhere 0")
    .arg("input", "any dtype, at least one dimension.")
    .returns("Tensor of shape input.shape + input.shape.")
    .see("ops.diag_embed, ops.diagonal")
    .method()
    .primitive("Diag()(input)")
    .compose([](const Call& call) {
      const Value& input = call.value(0);
      if (input->rank() == 0)
        value_error(call.op(), ": input is 0-d; a diagonal needs at least one dimension");
      const Value line = input->rank() == 1 ? input : reshape(input, Dims{size_of(input->shape)});
      return input->rank() == 1 ? diag_embed(line) : reshape(diag_embed(line), twice(input->shape));
    })
    .numpy("np.diag(np.ravel(input)).reshape(np.shape(input) * 2)")
    .samples("call(T(3))", "call(T(2, 3))", "call(T(2, 1, 2))", "call(T(0))")
    .rejects("ops.diag(Tensor(1.0))", "ValueError", "diag: input is 0-d");

DYAD_OP("diag_part(input: Tensor) -> Tensor")
    .doc("Diagonal part, the inverse of `diag`, of a tensor whose dimensions come twice.")
    .formula("out[i…] = input[i…, i…]")
    .arg("input", "any dtype, shape s + s.")
    .returns("Tensor of shape s.")
    .see("ops.diag")
    .hidden()
    .primitive("DiagPart()(input)")
    .compose([](const Call& call) {
      const Value& input = call.value(0);
      const size_t half = input->shape.size() / 2;
      const Shape shape(input->shape.begin(), input->shape.begin() + half);
      if (half == 0 || !(twice(shape) == input->shape))
        value_error(call.op(), ": input has shape ", input->shape, "; need the same dimensions twice");
      const Dim size = size_of(shape);
      return reshape(diagonal(reshape(input, Dims{size, size})), shape);
    })
    .numpy(
        "np.diagonal(input.reshape((int(np.prod(input.shape[: input.ndim // 2])),) * 2))"
        ".reshape(input.shape[: input.ndim // 2])")
    .samples("call(T(3, 3))", "call(T(2, 3, 2, 3))")
    .rejects("ops.DiagPart()(ones(2, 3))", "ValueError", "need the same dimensions twice");

DYAD_OP("diag_or_diagonal(input: Tensor, diagonal: int=0) -> Tensor")
    .doc("A matrix with the given diagonal, or the diagonal of a matrix.")
    .hidden()
    .compose([](const Call& call) { return diag_body(call); })
    .numpy("np.diag(input, diagonal)")
    .samples("call(T(3))", "call(T(3, 4), 1)", "call(T(3), -1)")
    .rejects("dyad._core.named_op('diag_or_diagonal')(ones(1, 2, 3))", "ValueError",
             "it must have 1 or 2 dimensions");

DYAD_OP("diagflat(input: Tensor, offset: int=0) -> Tensor")
    .doc("Diagonal matrix of all elements of `input`.")
    .formula("out[k, k + offset] = flat(input)[k], elsewhere 0", "offset ≥ 0")
    .formula("out[k − offset, k] = flat(input)[k], elsewhere 0", "offset < 0")
    .arg("input", "any dtype and shape.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .returns("Tensor of shape (n + |offset|, n + |offset|) for n elements.")
    .see("ops.diag")
    .method()
    .compose([](const Call& call) { return diag_embed(reshape(call.value(0), Dims{-1}), call.integer(1)); })
    .numpy("np.diagflat(input, offset)")
    .samples("call(T(2, 2))", "call(T(3), 1)", "call(T(), -1)")
    .rejects("ops.diagflat(1)", "TypeError", "diagflat: input is 1");

DYAD_OP("triangle(input: Tensor, diagonal: int=0, upper: bool=False) -> Tensor")
    .doc("The part of each matrix on and below (upper: on and above) a diagonal; zeros elsewhere.")
    .hidden()
    .infer(infer_triangle)
    .linear()
    .grad([](GradCall& g) { g.set(0, triangle(g.grad(), g[1], g[2])); })
    .batch(batch::leading)
    .moves(Movement::kOther)
    .numpy("(np.triu if upper else np.tril)(input, diagonal)")
    .samples("call(T(3, 4), dtypes='all')", "call(T(3, 4), 1, True)", "call(T(2, 3, 3), -1)",
             "call(strided(T(4, 6)), 9)", "call(T(0, 3))", "call(T(3, 4), -9, True)")
    .rejects("dyad._core.named_op('triangle')(ones(3))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("triangle_of_rows(input: Tensor, diagonal: int=0, upper: bool=False) -> Tensor")
    .doc(
        "Lower (or upper) triangle of each matrix, zeros elsewhere. A vector is broadcast to a square matrix "
        "first.")
    .formula("out[…, i, j] = input[…, i, j] where j ≤ i + diagonal, else 0", "upper=False")
    .formula("out[…, i, j] = input[…, i, j] where j ≥ i + diagonal, else 0", "upper=True")
    .arg("input", "any dtype, at least one dimension.")
    .arg("diagonal", "0 main diagonal, > 0 above, < 0 below.")
    .arg("upper", "whether the upper triangle is kept.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.tril, ops.triu")
    .hidden()
    .function("tril(input, diagonal=0, upper=False)")
    .function("triu(input, diagonal=0, upper=True)")
    .method("tril(diagonal=0, upper=False)")
    .method("triu(diagonal=0, upper=True)")
    .primitive("Tril(diagonal=0, upper=False)(x:input)")
    .primitive("Triu(diagonal=0, upper=True)(x:input)")
    .alias("k", "diagonal")
    .alias("x", "input")
    .compose([](const Call& call) {
      const Value& input = call.value(0);
      if (input->rank() != 1) return triangle(input, call[1], call[2]);
      return triangle(broadcast_to(input, Shape{input->shape[0], input->shape[0]}), call[1], call[2]);
    })
    .numpy("(np.triu if upper else np.tril)(input, diagonal)")
    .samples("call(T(3, 4))", "call(T(3), dtypes='all')", "call(T(4), 1, True)", "call(T(0))")
    .rejects("ops.tril(ones())", "ValueError",
             "tril: input has shape (); it must have at least 2 dimensions");

DYAD_OP(
    "triangle_indices(rows: int, columns: int, offset: int=0, dtype: dtype?=None, upper: bool=False) -> "
    "Tensor")
    .doc("Indices of the lower (or upper) triangle of a matrix, in row-major order.")
    .formula("out[:, k] = the k-th (i, j) with j ≤ i + offset", "upper=False")
    .formula("out[:, k] = the k-th (i, j) with j ≥ i + offset", "upper=True")
    .arg("rows", "number of rows.")
    .arg("columns", "number of columns.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .arg("dtype", "the dtype of the result; None: int64.")
    .arg("upper", "whether the upper triangle is meant.")
    .returns("Tensor of shape (2, n): row indices and column indices.")
    .see("ops.tril, ops.triu")
    .hidden()
    .function("tril_indices(row:rows, col:columns, offset=0, *, dtype=int64, upper=False)")
    .function("triu_indices(row:rows, col:columns, offset=0, *, dtype=int64, upper=True)")
    .primitive("TrilIndices(row:rows, col:columns, offset=0, dtype=int32, upper=False)()")
    .primitive("TriuIndices(row:rows, col:columns, offset=0, dtype=int32, upper=True)()")
    .infer([](const Arguments& args, Results& results) {
      const int64_t rows = args.integer(0);
      const int64_t columns = args.integer(1);
      if (rows < 0 || columns < 0)
        value_error(args.op(), ": the sizes are ", rows, " and ", columns, "; they must be 0 or more");
      const int64_t offset = std::clamp(args.integer(2), -rows, columns);
      // The part above a diagonal is the part below it of the transposed matrix.
      const Dim count =
          args.flag(4) ? places_below(columns, rows, -offset) : places_below(rows, columns, offset);
      results.add(args.dtype(3, DType::kInt64), Shape{2, count});
    })
    .no_grad("nothing differentiable goes in")
    .moves(Movement::kOther)
    .numpy("np.stack((np.triu_indices if upper else np.tril_indices)(rows, offset, columns))")
    .samples("call(3, 4)", "call(3, 4, 1, upper=True)", "call(4, 2, -1)", "call(2, 2, -5)",
             "call(5, 3, -2, upper=True)", "call(3, 9, 4)")
    .rejects("ops.tril_indices(2**62, 2**62)", "MemoryError", "out of memory")
    .rejects("ops.tril_indices(-1, 2)", "ValueError", "the sizes are -1 and 2");

}  // namespace dyad
