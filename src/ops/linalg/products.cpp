#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(concat, conj, diagonal, expand_dims, matmul, mul, narrow, permute, reshape, sub, sum, swapaxes);

void require_rank(const Arguments& args, size_t at, std::string_view what, int64_t rank) {
  if (args.in(at).rank() != rank) {
    value_error(args.op(), ": ", what, " has shape ", args.in(at).shape, "; it must have ", rank,
                rank == 1 ? " dimension" : " dimensions");
  }
}

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

Value outer_product(const Value& a, const Value& b) { return mul(expand_dims(a, 1), expand_dims(b, 0)); }

/// beta * input + alpha * product; factors of one cost nothing.
Value combine(const Call& call, size_t beta, const Value& product) {
  auto is_one = [&](size_t i) { return call.number(i).to_complex() == std::complex<double>(1); };
  if (is_int(product->dtype) && !(call.number(beta).integral() && call.number(beta + 1).integral())) {
    type_error(call.op(), ": beta is ", call.number(beta), " and alpha ", call.number(beta + 1),
               " with tensors of ", product->dtype, "; integers are needed");
  }
  const Value scaled = is_one(beta + 1) ? product : mul(product, call[beta + 1]);
  if (call.number(beta).to_complex() == std::complex<double>(0)) return scaled + mul(call[0], call[beta]);
  return (is_one(beta) ? call.value(0) : mul(call[0], call[beta])) + scaled;
}

}  // namespace

DYAD_OP("mv(input: Tensor, vec: Tensor) -> Tensor")
    .doc("Product of a matrix and a vector.")
    .formula("out[i] = Σₖ input[i, k] · vec[k]")
    .arg("input", "numbers of shape (m, n).")
    .arg("vec", "numbers of shape (n,).")
    .returns("Tensor of shape (m,).")
    .see("ops.matmul, ops.addmv")
    .function("mv(mat:input, vec)")
    .method()
    .mint("mv")
    .compose([](const Call& call) {
      require_rank(call, 0, "the matrix", 2);
      require_rank(call, 1, "the vector", 1);
      return matmul(call[0], call[1]);
    })
    .autocast(Autocast::kLow)
    .numpy("np.matmul(input, vec)")
    .samples("call(T(3, 4), T(4))", "call(strided(T(3, 4)), T(4), dtypes='numeric')")
    .rejects("ops.mv(ones(3), ones(3))", "ValueError", "mv: the matrix has shape (3,)");

DYAD_OP("dot(input: Tensor, other: Tensor) -> Tensor")
    .doc("Dot product of NumPy: a sum over the last axis of `input` and the second to last of `other`.")
    .formula("out[i…, j…, l] = Σₖ input[i…, k] · other[j…, k, l]")
    .arg("input", "numbers of shape (…, n).")
    .arg("other", "numbers of shape (…, n, k) or (n,).")
    .returns("Tensor of shape input.shape[:-1] + other.shape without n.")
    .see("ops.matmul, ops.inner")
    .method()
    .mint("dot")
    .compose([](const Call& call) {
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      if (a->rank() == 0 || b->rank() == 0) return mul(a, b);
      if (b->rank() <= 2) return matmul(a, b);
      // Every stack of b is multiplied with all of a: bring b's contracted axis to the front and flatten the
      // rest.
      Dims order{b->rank() - 2};
      Shape rest;
      for (int64_t i = 0; i < b->rank(); ++i) {
        if (i == b->rank() - 2) continue;
        order.push_back(i);
        rest.push_back(b->shape[static_cast<size_t>(i)]);
      }
      const Dim inner = b->shape[b->shape.size() - 2];
      if (differ(inner, a->shape.back())) {
        value_error(call.op(), ": operands have shapes ", a->shape, " and ", b->shape,
                    "; need the last size of the first "
                    "to equal the second to last of the second");
      }
      const Value flat = matmul(a, reshape(permute(b, order), Dims{inner, size_of(rest)}));
      Shape shape(a->shape.begin(), a->shape.end() - 1);
      for (Dim d : rest) shape.push_back(d);
      return reshape(flat, shape);
    })
    .autocast(Autocast::kWidest)
    .numpy("np.dot(input, other)")
    .samples("call(T(4), T(4), dtypes='numeric')", "call(T(2, 4), T(4, 3))", "call(T(2, 3, 4), T(5, 4, 2))")
    .rejects("ops.dot(ones(2, 3), ones(2, 4, 3))", "ValueError",
             "dot: operands have shapes (2, 3) and (2, 4, 3)");

DYAD_OP("vdot(input: Tensor, other: Tensor) -> Tensor")
    .doc("Inner product of two vectors; the first one is conjugated.")
    .formula("out = Σᵢ conj(input[i]) · other[i]")
    .arg("input", "numbers of shape (n,).")
    .arg("other", "numbers of shape (n,).")
    .returns("Tensor of shape ().")
    .see("ops.vecdot, ops.dot")
    .mint("vdot")
    .compose([](const Call& call) {
      require_rank(call, 0, "input", 1);
      require_rank(call, 1, "other", 1);
      const Value& a = call.value(0);
      return matmul(is_complex(a->dtype) ? conj(a) : a, call[1]);
    })
    .numpy("np.vdot(input, other)")
    .samples("call(T(4), T(4), dtypes='numeric')")
    .rejects("ops.vdot(ones(2, 3), ones(2, 3))", "ValueError", "vdot: input has shape (2, 3)");

DYAD_OP("inner(input: Tensor, other: Tensor) -> Tensor")
    .doc("Inner product: a sum over the last axes of both operands.")
    .formula("out[i…, j…] = Σₖ input[i…, k] · other[j…, k]")
    .arg("input", "numbers of shape (…, n).")
    .arg("other", "numbers of shape (…, n).")
    .returns("Tensor of shape input.shape[:-1] + other.shape[:-1].")
    .see("ops.dot, ops.outer")
    .method()
    .compose([](const Call& call) {
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      if (a->rank() == 0 || b->rank() == 0) return mul(a, b);
      if (differ(a->shape.back(), b->shape.back())) {
        value_error(call.op(), ": operands have shapes ", a->shape, " and ", b->shape,
                    "; their last sizes must agree");
      }
      const Shape rows(b->shape.begin(), b->shape.end() - 1);
      const Value flat = reshape(b, Dims{size_of(rows), b->shape.back()});
      Shape shape(a->shape.begin(), a->shape.end() - 1);
      for (Dim d : rows) shape.push_back(d);
      return reshape(matmul(a, swapaxes(flat, 0, 1)), shape);
    })
    .autocast(Autocast::kLow)
    .numpy("np.inner(input, other)")
    .samples("call(T(4), T(4), dtypes='numeric')", "call(T(2, 4), T(3, 4))", "call(T(2, 3, 4), T(4))")
    .rejects("ops.inner(ones(2, 3), ones(2, 4))", "ValueError",
             "inner: operands have shapes (2, 3) and (2, 4)");

DYAD_OP("outer(input: Tensor, vec2: Tensor) -> Tensor")
    .doc("Outer product of two vectors.")
    .formula("out[i, j] = input[i] · vec2[j]")
    .arg("input", "numbers of shape (m,).")
    .arg("vec2", "numbers of shape (n,).")
    .returns("Tensor of shape (m, n).")
    .see("ops.addr, ops.inner")
    .function("outer")
    .function("ger")
    .method()
    .method("ger")
    .primitive("Ger()(x1:input, x2:vec2)")
    .mint("outer")
    .compose([](const Call& call) {
      require_rank(call, 0, "input", 1);
      require_rank(call, 1, "vec2", 1);
      return outer_product(call.value(0), call.value(1));
    })
    .numpy("np.outer(input, vec2)")
    .samples("call(T(3), T(4), dtypes='numeric')", "call(T(0), T(4))")
    .rejects("ops.outer(ones(2, 3), ones(3))", "ValueError", "outer: input has shape (2, 3)");

DYAD_OP("addmm(input: Tensor, mat1: Tensor, mat2: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("Matrix product plus a matrix.")
    .formula("out = beta · input + alpha · (mat1 @ mat2)")
    .arg("input", "broadcasts with the product.")
    .arg("mat1", "numbers of shape (m, n).")
    .arg("mat2", "numbers of shape (n, k).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the product.")
    .returns("Tensor of shape (m, k).")
    .see("ops.mm, ops.baddbmm")
    .function("addmm(input, mat1, mat2, *, beta=1, alpha=1)")
    .method("addmm(mat1, mat2, *, beta=1, alpha=1)")
    .mint("addmm")
    .compose([](const Call& call) {
      require_rank(call, 1, "mat1", 2);
      require_rank(call, 2, "mat2", 2);
      return combine(call, 3, matmul(call[1], call[2]));
    })
    .autocast(Autocast::kLow)
    .numpy("beta * input + alpha * np.matmul(mat1, mat2)")
    .samples("call(T(3, 2), T(3, 4), T(4, 2), beta=0.5, alpha=2.0)", "call(T(2), T(3, 4), T(4, 2))")
    .rejects("ops.addmm(ones(2), ones(2), ones(2, 2))", "ValueError", "addmm: mat1 has shape (2,)");

DYAD_OP("addmm_into(input: Tensor, mat1: Tensor, mat2: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("In-place matrix product plus a matrix.")
    .formula("input = beta · input + alpha · (mat1 @ mat2)")
    .arg("input", "of shape (m, k); changed.")
    .arg("mat1", "numbers of shape (m, n).")
    .arg("mat2", "numbers of shape (n, k).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the product.")
    .returns("`input`.")
    .see("ops.addmm")
    .hidden()
    .method("addmm_(mat1, mat2, *, beta=1, alpha=1)")
    .writes(0)
    .compose([](const Call& call) {
      static const OpName addmm{"addmm"};
      static const OpName copy_into{"copy_into"};
      return copy_into(call.value(0), addmm(call[0], call[1], call[2], call[3], call[4]));
    })
    .numpy("beta * input + alpha * np.matmul(mat1, mat2)")
    .samples("call(T(3, 2), T(3, 4), T(4, 2), beta=0.5, alpha=2.0)")
    .rejects("ones(3, 2).addmm_(ones(2), ones(2, 2))", "ValueError", "mat1 has shape (2,)");

DYAD_OP("addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("Sum of a batch of matrix products, plus a matrix.")
    .formula("out = beta · input + alpha · Σᵦ batch1[b] @ batch2[b]")
    .arg("input", "broadcasts with the sum.")
    .arg("batch1", "numbers of shape (b, m, n).")
    .arg("batch2", "numbers of shape (b, n, k).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the sum.")
    .returns("Tensor of shape (m, k).")
    .see("ops.baddbmm, ops.addmm")
    .function("addbmm(input, batch1, batch2, *, beta=1, alpha=1)")
    .method("addbmm(batch1, batch2, *, beta=1, alpha=1)")
    .mint("addbmm")
    .compose_wide([](const Call& call) {
      require_rank(call, 1, "batch1", 3);
      require_rank(call, 2, "batch2", 3);
      return combine(call, 3, sum(matmul(call[1], call[2]), Dims{0}));
    })
    .autocast(Autocast::kLow)
    .numpy("beta * input + alpha * np.matmul(batch1, batch2).sum(0)")
    .samples("call(T(3, 2), T(5, 3, 4), T(5, 4, 2), beta=0.5, alpha=2.0)")
    .rejects("ops.addbmm(ones(2), ones(2, 2), ones(2, 2))", "ValueError", "addbmm: batch1 has shape (2, 2)");

DYAD_OP("baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("Batch of matrix products, plus a batch of matrices.")
    .formula("out[b] = beta · input[b] + alpha · (batch1[b] @ batch2[b])")
    .arg("input", "broadcasts with the products.")
    .arg("batch1", "numbers of shape (b, m, n).")
    .arg("batch2", "numbers of shape (b, n, k).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the products.")
    .returns("Tensor of shape (b, m, k).")
    .see("ops.bmm, ops.addbmm")
    .method()
    .mint("baddbmm")
    .compose([](const Call& call) {
      require_rank(call, 1, "batch1", 3);
      require_rank(call, 2, "batch2", 3);
      return combine(call, 3, matmul(call[1], call[2]));
    })
    .autocast(Autocast::kLow)
    .numpy("beta * input + alpha * np.matmul(batch1, batch2)")
    .samples("call(T(5, 3, 2), T(5, 3, 4), T(5, 4, 2), beta=0.5, alpha=2.0)")
    .rejects("ops.baddbmm(ones(2), ones(2, 2), ones(2, 2))", "ValueError",
             "baddbmm: batch1 has shape (2, 2)");

DYAD_OP("addmv(input: Tensor, mat: Tensor, vec: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("Product of a matrix and a vector, plus a vector.")
    .formula("out = beta · input + alpha · (mat @ vec)")
    .arg("input", "broadcasts with the product.")
    .arg("mat", "numbers of shape (m, n).")
    .arg("vec", "numbers of shape (n,).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the product.")
    .returns("Tensor of shape (m,).")
    .see("ops.mv, ops.addmm")
    .function("addmv(input, mat, vec, *, beta=1, alpha=1)")
    .method("addmv(mat, vec, *, beta=1, alpha=1)")
    .alias("x", "input")
    .mint("addmv")
    .compose([](const Call& call) {
      require_rank(call, 1, "mat", 2);
      require_rank(call, 2, "vec", 1);
      return combine(call, 3, matmul(call[1], call[2]));
    })
    .autocast(Autocast::kLow)
    .numpy("beta * input + alpha * np.matmul(mat, vec)")
    .samples("call(T(3), T(3, 4), T(4), beta=0.5, alpha=2.0)")
    .rejects("ops.addmv(ones(2), ones(2), ones(2))", "ValueError", "addmv: mat has shape (2,)");

DYAD_OP("addr(input: Tensor, vec1: Tensor, vec2: Tensor, beta: Number=1, alpha: Number=1) -> Tensor")
    .doc("Outer product of two vectors, plus a matrix.")
    .formula("out[i, j] = beta · input[i, j] + alpha · vec1[i] · vec2[j]")
    .arg("input", "broadcasts with the product.")
    .arg("vec1", "numbers of shape (m,).")
    .arg("vec2", "numbers of shape (n,).")
    .arg("beta", "factor of `input`.")
    .arg("alpha", "factor of the product.")
    .returns("Tensor of shape (m, n).")
    .see("ops.outer")
    .function("addr(x:input, vec1, vec2, *, beta=1, alpha=1)")
    .method()
    .compose([](const Call& call) {
      require_rank(call, 1, "vec1", 1);
      require_rank(call, 2, "vec2", 1);
      return combine(call, 3, outer_product(call.value(1), call.value(2)));
    })
    .numpy("beta * input + alpha * np.outer(vec1, vec2)")
    .samples("call(T(3, 4), T(3), T(4), beta=0.5, alpha=2.0)")
    .rejects("ops.addr(ones(2), ones(2, 2), ones(2))", "ValueError", "addr: vec1 has shape (2, 2)");

DYAD_OP("kron(input: Tensor, other: Tensor) -> Tensor")
    .doc("Kronecker product: a block for each element of `input`, which is the element times `other`.")
    .formula("out[i · m + k, j · n + l] = input[i, j] · other[k, l], other of shape (m, n)")
    .arg("input", "numbers, any shape.")
    .arg("other", "numbers, any shape.")
    .returns("Tensor whose sizes are the products of the sizes.")
    .see("ops.outer")
    .compose([](const Call& call) {
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      const size_t rank = std::max(a->shape.size(), b->shape.size());
      Shape a_shape, b_shape, shape;
      for (size_t i = 0; i < rank; ++i) {
        const Dim m = i + a->shape.size() < rank ? Dim(1) : a->shape[i + a->shape.size() - rank];
        const Dim n = i + b->shape.size() < rank ? Dim(1) : b->shape[i + b->shape.size() - rank];
        a_shape.push_back(m);
        a_shape.push_back(1);
        b_shape.push_back(1);
        b_shape.push_back(n);
        shape.push_back(m * n);
      }
      return reshape(mul(reshape(a, a_shape), reshape(b, b_shape)), shape);
    })
    .numpy("np.kron(input, other)")
    .samples("call(T(2, 3), T(3, 2), dtypes='numeric')", "call(T(2), T(2, 3))")
    .rejects("ops.kron(ones(2), 'a')", "TypeError", "kron: other is 'a'");

DYAD_OP("cross(input: Tensor, other: Tensor, dim: int?=None) -> Tensor")
    .doc("Cross product along an axis of size 3.")
    .formula("out = (a₁b₂ − a₂b₁, a₂b₀ − a₀b₂, a₀b₁ − a₁b₀), a = input, b = other")
    .arg("input", "numbers with an axis of size 3.")
    .arg("other", "broadcasts with `input`, with as many dimensions.")
    .arg("dim", "axis of the product; None: the first of size 3.")
    .returns("Tensor with the broadcast shape.")
    .see("ops.outer")
    .method()
    .alias("axis", "dim")
    .primitive("Cross(dim=None)(x1:input, x2:other)")
    .mint("cross")
    .compose([](const Call& call) {
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      if (a->rank() != b->rank()) {
        value_error(call.op(), ": operands have shapes ", a->shape, " and ", b->shape,
                    "; need the same rank");
      }
      int64_t axis = -1;
      if (call.has(2) && call.integer(2) != -65530) {  // MindSpore's spelling of "not given" in the Primitive
        axis = normalize_axis(call.op(), call.integer(2), a->rank(), "dim");
      } else {
        for (int64_t i = 0; i < a->rank() && axis < 0; ++i) {
          const Dim size = a->shape[static_cast<size_t>(i)];
          // A dynamic last size can only be the 3; a dynamic size before it does not decide the axis.
          const bool last = i == a->rank() - 1 && !size.known();
          if (last || size.value() == 3) axis = i;
        }
      }
      const size_t at = static_cast<size_t>(axis);
      if (axis < 0 || differ(a->shape[at], 3) || differ(b->shape[at], 3)) {
        value_error(call.op(), ": operands have shapes ", a->shape, " and ", b->shape,
                    "; the axis of the product must have size 3");
      }
      // Turning a by one and b by two positions lines up the factors of each component, and the reverse.
      auto turned = [&](const Value& x, int64_t by) {
        return concat(ValueList{narrow(x, axis, by, 3 - by), narrow(x, axis, 0, by)}, axis);
      };
      return sub(mul(turned(a, 1), turned(b, 2)), mul(turned(a, 2), turned(b, 1)));
    })
    .autocast(Autocast::kWidest)
    .numpy("ref.cross(input, other, dim)")
    .samples("call(T(2, 3), T(2, 3), dtypes='numeric')", "call(T(3, 2), T(3, 2), 0)")
    .rejects("ops.cross(ones(2, 4), ones(2, 4))", "ValueError", "the axis of the product must have size 3");

DYAD_OP("trace(input: Tensor, offset: int=0, axis1: int=0, axis2: int=1, dtype: dtype?=None) -> Tensor")
    .doc("Trace: the sum of a diagonal of each matrix.")
    .formula("out[…] = Σᵢ input[…, i, i + offset]")
    .arg("input", "numbers, at least 2 dimensions.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .arg("axis1", "dimension of the rows.")
    .arg("axis2", "dimension of the columns.")
    .arg("dtype", "the dtype of the result; None: as of `ops.sum`.")
    .returns("Tensor without the two dimensions.")
    .see("ops.diagonal")
    .function("trace(input)")
    .method()
    .primitive("Trace()(x:input)")
    .mint("trace")
    .compose([](const Call& call) {
      if (call.in(0).rank() < 2) {
        value_error(call.op(), ": input has shape ", call.in(0).shape,
                    "; it must have at least 2 dimensions");
      }
      return sum(diagonal(call[0], call[1], call[2], call[3]), Dims{-1}, false, call[4]);
    })
    .numpy("np.trace(input, offset, axis1, axis2)")
    .samples("call(T(3, 4), dtypes='float')", "call(T(3, 4, 2), 1, 0, 1)")
    .rejects("ops.trace(ones(3))", "ValueError", "trace: input has shape (3,)");

}  // namespace dyad
