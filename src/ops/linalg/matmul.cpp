#include "base/error.h"

#include <algorithm>

#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad::batch {

namespace {

DYAD_USE(expand_dims, matmul, squeeze, swapaxes);

}  // namespace

void matrix_product(const BatchCall& call, ValueList& results) {
  const int64_t left = slice_rank(call, 0);
  const int64_t right = slice_rank(call, 1);
  // One matrix for all slices: their rows are stacked.
  if (!call.mapped(1) && right <= 2) return results.push_back(matmul(call.value(0), call.value(1)));
  Value a = left == 1 ? expand_dims(call.value(0), Dims{-2}) : call.value(0);
  Value b = right == 1 ? expand_dims(call.value(1), Dims{-1}) : call.value(1);
  const int64_t rank = std::max({left, right, int64_t{2}});
  if (call.mapped(0)) a = padded(a, rank);
  if (call.mapped(1)) b = padded(b, rank);
  Value product = matmul(a, b);
  if (left == 1) product = squeeze(product, Dims{-2});
  results.push_back(right == 1 ? squeeze(product, Dims{-1}) : product);
}

void dense_layer(const BatchCall& call, ValueList& results) {
  if (!call.mapped(1) && !call.mapped(2)) {
    const Arg args[] = {call[0], call[1], call[2]};
    return apply(call, args, results);
  }
  compose(
      call,
      [](const Call& slice, ValueList& given) {
        const Value& weight = slice.value(1);
        Value product = matmul(slice.value(0), weight->rank() == 2 ? swapaxes(weight, 0, 1) : weight);
        if (slice.has(2)) product = product + slice.value(2);
        given.push_back(std::move(product));
      },
      results);
}

}  // namespace dyad::batch

namespace dyad {

namespace {

DYAD_USE(conj, expand_dims, matmul, reshape, squeeze, sum, sum_to, swapaxes);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

void infer_matmul(const Arguments& args, Results& results) {
  const ValueImpl& a = args.in(0);
  const ValueImpl& b = args.in(1);
  if (a.rank() == 0 || b.rank() == 0) {
    value_error(args.op(), ": the operands have shapes ", a.shape, " and ", b.shape,
                "; each needs at least one dimension");
  }
  const Dim inner = b.rank() == 1 ? b.shape[0] : b.shape[b.shape.size() - 2];
  if (differ(a.shape.back(), inner)) {
    value_error(args.op(), ": inner sizes differ: the operands have shapes ", a.shape, " and ", b.shape,
                "; need the last size of the first to equal the ", b.rank() == 1 ? "only" : "second to last",
                " size of the second");
  }
  Shape shape;
  if (a.rank() > 2 || b.rank() > 2) {
    const Shape a_batch(a.shape.begin(), a.rank() > 2 ? a.shape.end() - 2 : a.shape.begin());
    const Shape b_batch(b.shape.begin(), b.rank() > 2 ? b.shape.end() - 2 : b.shape.begin());
    shape = broadcast(args.op(), a_batch, b_batch);
  }
  if (a.rank() > 1) shape.push_back(a.shape[a.shape.size() - 2]);
  if (b.rank() > 1) shape.push_back(b.shape.back());
  results.add(promote(args.op(), a.dtype, b.dtype), shape);
}

/// The conjugate transpose of the last two dimensions: the factor of a product's gradient.
Value adjoint(const Value& x) {
  const Value flipped = swapaxes(x, -1, -2);
  return is_complex(x->dtype) ? conj(flipped) : flipped;
}

/// The matrices of a stack below one another.
Value as_rows(const Value& stack) {
  const Dim count = size_of(Shape(stack->shape.begin(), stack->shape.end() - 1));
  return reshape(stack, Dims{count, stack->shape.back()});
}

void matmul_gradient(GradCall& g) {
  const Value& a = g.value(0);
  const Value& b = g.value(1);
  // Vectors become matrices with one row or column, so that one pair of formulas serves all ranks.
  const Value left = a->rank() == 1 ? expand_dims(a, 0) : a;
  const Value right = b->rank() == 1 ? expand_dims(b, -1) : b;
  Value gradient = g.grad();
  if (b->rank() == 1) gradient = expand_dims(gradient, -1);
  if (a->rank() == 1) gradient = expand_dims(gradient, -2);
  if (g.needs(0)) {
    const Value by_left = sum_to(matmul(gradient, adjoint(right)), left);
    g.set(0, a->rank() == 1 ? squeeze(by_left, Dims{0}) : by_left);
  }
  if (g.needs(1)) {
    // One matrix after a stack: a single tall product sums over the matrices of the stack.
    const bool shared = left->rank() > 2 && right->rank() == 2;
    const Value by_right = shared ? matmul(adjoint(as_rows(left)), as_rows(gradient))
                                  : sum_to(matmul(adjoint(left), gradient), right);
    g.set(1, b->rank() == 1 ? squeeze(by_right, Dims{-1}) : by_right);
  }
}

void infer_dense(const Arguments& args, Results& results) {
  const ValueImpl& x = args.in(0);
  const ValueImpl& weight = args.in(1);
  if (x.rank() == 0) value_error(args.op(), ": input has shape (); it needs at least one dimension");
  if (weight.rank() != 1 && weight.rank() != 2) {
    value_error(args.op(), ": weight has shape ", weight.shape, "; it must be (out, in) or (in,)");
  }
  if (differ(x.shape.back(), weight.shape.back())) {
    value_error(args.op(), ": input has shape ", x.shape, " and weight ", weight.shape,
                "; their last sizes must agree");
  }
  DType dtype = promote(args.op(), x.dtype, weight.dtype);
  Shape shape(x.shape.begin(), x.shape.end() - 1);
  if (weight.rank() == 2) shape.push_back(weight.shape[0]);
  if (args.has(2)) {
    const ValueImpl& bias = args.in(2);
    const bool fits =
        weight.rank() == 1 ? bias.rank() == 0 : bias.rank() == 1 && !differ(bias.shape[0], weight.shape[0]);
    if (!fits) {
      value_error(args.op(), ": bias has shape ", bias.shape, " and weight ", weight.shape,
                  "; the bias must have one element per row of the weight");
    }
    dtype = promote(args.op(), dtype, bias.dtype);
  }
  results.add(dtype, shape);
}

void dense_gradient(GradCall& g) {
  const Value& x = g.value(0);
  const Value& weight = g.value(1);
  const bool vector = weight->rank() == 1;
  const Value matrix = vector ? expand_dims(weight, 0) : weight;
  const Value gradient = vector ? expand_dims(g.grad(), -1) : g.grad();
  const Value rows = as_rows(gradient);
  if (g.needs(0)) {
    g.set(0, reshape(matmul(rows, is_complex(weight->dtype) ? conj(matrix) : matrix), x->shape));
  }
  if (g.needs(1)) {
    const Value inputs = as_rows(x);
    const Value by_row = matmul(swapaxes(rows, 0, 1), is_complex(x->dtype) ? conj(inputs) : inputs);
    g.set(1, vector ? squeeze(by_row, Dims{0}) : by_row);
  }
  if (g.has(2) && g.needs(2)) g.set(2, vector ? sum(rows) : sum(rows, Dims{0}));
}

void require_matrices(const Arguments& args, int64_t least, int64_t most) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t rank = args.in(i).rank();
    if (rank < least || rank > most) {
      value_error(args.op(), ": the operands have shapes ", args.in(0).shape, " and ", args.in(1).shape,
                  "; both must have ", least == most ? "exactly " : "at least ", least, " dimensions");
    }
  }
}

Value multiply_flipped(const Call& call) {
  const Value a = call.flag(2) ? swapaxes(call.value(0), -1, -2) : call.value(0);
  const Value b = call.flag(3) ? swapaxes(call.value(1), -1, -2) : call.value(1);
  return matmul(a, b);
}

}  // namespace

DYAD_OP("matmul(input: Tensor, mat2: Tensor) -> Tensor")
    .doc(
        "Matrix product. Leading dimensions broadcast; a vector is a row on the left and a column on the "
        "right.")
    .formula("out[…, i, j] = Σₖ input[…, i, k] · mat2[…, k, j]")
    .arg("input", "numbers of shape (*batch, m, n) or (n,).")
    .arg("mat2", "numbers of shape (*batch, n, k) or (n,).")
    .returns("Tensor of shape (*batch, m, k), without m or k where a vector is given.")
    .see("ops.bmm, ops.dense, ops.einsum")
    .function("matmul(input, other:mat2)")
    .method("matmul(other:mat2)")
    .alias("tensor2", "mat2")
    .alias("x", "input")
    .mint("matmul")
    .infer(infer_matmul)
    .multilinear({0, 1})
    .grad(matmul_gradient)
    .batch(batch::matrix_product)
    .cost(cost::product)
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input, mat2)")
    .samples("call(T(3, 4), T(4, 5), dtypes='numeric')", "call(T(4), T(4), dtypes='numeric')",
             "call(T(2, 3, 4), T(4))", "call(T(4), T(2, 4, 3))", "call(T(2, 1, 3, 4), T(5, 4, 2))",
             "call(strided(T(33, 70)), strided(T(70, 45)))", "call(T(0, 4), T(4, 3))",
             "call(T(3, 0), T(0, 2))", "call(T(1, 300), T(300, 40))", "call(T(2, 3, 4), T(4, 5))",
             "call(B(3, 4), B(4, 2))")
    .rejects("ops.matmul(ones(4, 3), ones(5, 3))", "ValueError", "matmul: inner sizes differ")
    .rejects("ops.matmul(Tensor(1.0), ones(3))", "ValueError", "each needs at least one dimension");

DYAD_OP("dense(input: Tensor, weight: Tensor, bias: Tensor?=None) -> Tensor")
    .doc("Dense (fully connected) layer, input @ weightᵀ + bias.")
    .formula("out[…, o] = Σᵢ input[…, i] · weight[o, i] + bias[o]")
    .arg("input", "numbers of shape (…, in).")
    .arg("weight", "numbers of shape (out, in) or (in,).")
    .arg("bias", "of shape (out,) or (); None: 0.")
    .returns("Tensor of shape (…, out).")
    .see("nn.Dense, ops.matmul")
    .function("dense")
    .function("linear")
    .primitive("Dense()(input, weight, bias)")
    .alias("x", "input")
    .infer(infer_dense)
    .grad(dense_gradient)
    .batch(batch::dense_layer)
    .cost(cost::product)
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input, weight.T) + (0 if bias is None else bias)")
    .samples("call(T(3, 4), T(5, 4), T(5), dtypes='float')", "call(T(2, 3, 4), T(5, 4))",
             "call(T(4), T(5, 4), T(5))", "call(T(2, 4), T(4))", "call(T(1, 70), T(33, 70), T(33))",
             "call(strided(T(40, 70)), T(33, 70), T(33))", "call(T(0, 4), T(5, 4), T(5))")
    .rejects("ops.dense(ones(2, 3), ones(4, 5))", "ValueError",
             "dense: input has shape (2, 3) and weight (4, 5)")
    .rejects("ops.dense(ones(2, 3), ones(4, 3), ones(3))", "ValueError", "dense: bias has shape (3,)");

DYAD_OP("mm(input: Tensor, mat2: Tensor) -> Tensor")
    .doc("Product of two matrices, without broadcasting.")
    .formula("out[i, j] = Σₖ input[i, k] · mat2[k, j]")
    .arg("input", "numbers of shape (m, n).")
    .arg("mat2", "numbers of shape (n, k).")
    .returns("Tensor of shape (m, k).")
    .see("ops.matmul, ops.bmm")
    .method()
    .mint("mm")
    .compose([](const Call& call) {
      require_matrices(call, 2, 2);
      return matmul(call.value(0), call.value(1));
    })
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input, mat2)")
    .samples("call(T(3, 4), T(4, 2))", "call(strided(T(3, 4)), T(4, 2))")
    .rejects("ops.mm(ones(2, 3), ones(3))", "ValueError", "mm: the operands have shapes (2, 3) and (3,)");

DYAD_OP("bmm(input: Tensor, mat2: Tensor) -> Tensor")
    .doc("Batched matrix product.")
    .formula("out[b, i, j] = Σₖ input[b, i, k] · mat2[b, k, j]")
    .arg("input", "numbers of shape (*batch, m, n), at least 3 dimensions.")
    .arg("mat2", "numbers of shape (*batch, n, k), at least 3 dimensions.")
    .returns("Tensor of shape (*batch, m, k).")
    .see("ops.matmul, ops.baddbmm")
    .function("bmm(input_x:input, mat2)")
    .method()
    .mint("bmm")
    .compose([](const Call& call) {
      require_matrices(call, 3, 64);
      return matmul(call.value(0), call.value(1));
    })
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input, mat2)")
    .samples("call(T(2, 3, 4), T(2, 4, 2))", "call(T(2, 3, 4), strided(T(2, 4, 2)))")
    .rejects("ops.bmm(ones(2, 3), ones(3, 2))", "ValueError",
             "bmm: the operands have shapes (2, 3) and (3, 2)");

DYAD_OP(
    "matmul_flipped(input: Tensor, mat2: Tensor, transpose_a: bool=False, transpose_b: bool=False) -> Tensor")
    .doc("Product of two matrices, each of which may be transposed first.")
    .formula("out[i, j] = Σₖ input[i, k] · mat2[k, j]")
    .arg("input", "numbers of shape (m, n).")
    .arg("mat2", "numbers of shape (n, k).")
    .arg("transpose_a", "whether `input` is transposed first.")
    .arg("transpose_b", "whether `mat2` is transposed first.")
    .returns("Tensor of shape (m, k).")
    .see("ops.matmul")
    .hidden()
    .primitive("MatMul(transpose_a=False, transpose_b=False)(input, mat2)")
    .alias("x", "input")
    .alias("y", "mat2")
    .compose([](const Call& call) {
      require_matrices(call, 2, 2);
      return multiply_flipped(call);
    })
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input.T if transpose_a else input, mat2.T if transpose_b else mat2)")
    .samples("call(T(3, 4), T(4, 2))", "call(T(4, 3), T(2, 4), transpose_a=True, transpose_b=True)")
    .rejects("ops.MatMul()(ones(2, 3), ones(3))", "ValueError", "the operands have shapes (2, 3) and (3,)");

DYAD_OP(
    "batch_matmul(input: Tensor, mat2: Tensor, transpose_a: bool=False, transpose_b: bool=False) -> Tensor")
    .doc("Batched matrix product, where each operand may be transposed first. Leading dimensions broadcast.")
    .formula("out[…, i, j] = Σₖ input[…, i, k] · mat2[…, k, j]")
    .arg("input", "numbers of shape (*batch, m, n).")
    .arg("mat2", "numbers of shape (*batch, n, k).")
    .arg("transpose_a", "whether the matrices of `input` are transposed first.")
    .arg("transpose_b", "whether the matrices of `mat2` are transposed first.")
    .returns("Tensor of shape (*batch, m, k).")
    .see("ops.matmul, ops.bmm")
    .hidden()
    .primitive("BatchMatMul(transpose_a=False, transpose_b=False)(x:input, y:mat2)")
    .compose([](const Call& call) {
      require_matrices(call, 2, 64);
      return multiply_flipped(call);
    })
    .autocast(Autocast::kLow)
    .numpy(
        "np.matmul(np.swapaxes(input, -1, -2) if transpose_a else input, "
        "np.swapaxes(mat2, -1, -2) if transpose_b else mat2)")
    .samples("call(T(2, 3, 4), T(2, 4, 2))",
             "call(T(2, 4, 3), T(2, 2, 4), transpose_a=True, transpose_b=True)")
    .rejects("ops.BatchMatMul()(ones(3), ones(3))", "ValueError", "both must have at least 2 dimensions");

}  // namespace dyad
