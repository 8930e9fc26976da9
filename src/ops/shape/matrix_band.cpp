// Bands of diagonals of (stacks of) matrices. A band is stored one diagonal per row, from the highest to the
// lowest; the shorter ones are aligned to the left or to the right of their row.

#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, diagonal, embed_diagonal, expand_dims, full, greater, less, less_equal, logical_or,
         narrow, ones_like, pad_constant, reshape, select_view, stack, triangle, where, zeros_like);

struct Band {
  int64_t low;
  int64_t high;
  bool single;  ///< one diagonal, stored without a dimension for the rows

  int64_t count() const { return high - low + 1; }
};

struct Matrix {
  int64_t rows;
  int64_t columns;

  int64_t length(int64_t offset) const {
    return std::max<int64_t>(
        offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
  }
  /// Length of the longest diagonal of a band.
  int64_t length(const Band& band) const { return length(std::clamp<int64_t>(0, band.low, band.high)); }
};

Band band_of(const Call& call, size_t at) {
  const Dims& k = call.dims(at);
  if (k.empty() || k.size() > 2 || k.front().value() > k.back().value()) {
    value_error(call.op(), ": k is ", k, "; it must be one offset or a lower and an upper one");
  }
  return {k.front().value(), k.back().value(), k.size() == 1};
}

Matrix matrix_of(const Call& call) {
  const ValueImpl& x = call.in(0);
  if (x.rank() < 2) value_error(call.op(), ": x has shape ", x.shape, "; it must have at least 2 dimensions");
  return {x.shape[x.shape.size() - 2].value(), x.shape.back().value()};
}

void require_inside(const Call& call, const Band& band, const Matrix& matrix) {
  const auto outside = [&](int64_t k) { return k != 0 && (k <= -matrix.rows || k >= matrix.columns); };
  if (outside(band.low) || outside(band.high)) {
    value_error(call.op(), ": k reaches from ", band.low, " to ", band.high, "; a matrix of ", matrix.rows,
                " by ", matrix.columns, " has the diagonals ", std::min<int64_t>(1 - matrix.rows, 0), " to ",
                std::max<int64_t>(matrix.columns - 1, 0));
  }
}

/// Whether the diagonal at `offset` ends, rather than begins, where its row does.
bool at_right(const Call& call, size_t at, int64_t offset) {
  const std::string& align = call.text(at);
  if (align != "RIGHT_LEFT" && align != "LEFT_RIGHT" && align != "LEFT_LEFT" && align != "RIGHT_RIGHT") {
    value_error(call.op(), ": align is '", align,
                "'; accepted are 'RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT' and 'RIGHT_RIGHT'");
  }
  const bool above = align.starts_with("RIGHT");
  const bool below = align.ends_with("RIGHT");
  return offset >= 0 ? above : below;
}

/// A matrix of the given shape that is zero outside the band.
Value spread(const Call& call, const Value& rows, const Band& band, const Shape& shape, size_t align) {
  const Matrix matrix{shape[shape.size() - 2].value(), shape.back().value()};
  const int64_t longest = rows->shape.back().value();
  Value whole;
  for (int64_t offset = band.high; offset >= band.low; --offset) {
    const Value row = band.single ? rows : select_view(rows, -2, band.high - offset);
    const int64_t length = matrix.length(offset);
    const Value part = narrow(row, -1, at_right(call, align, offset) ? longest - length : 0, length);
    const Value placed = embed_diagonal(part, shape, offset, -2, -1);
    whole = whole ? whole + placed : placed;
  }
  return whole;
}

/// Where `spread` puts elements.
Value covered(const Call& call, const Value& rows, const Band& band, const Shape& shape, size_t align) {
  return greater(spread(call, ones_like(rows, DType::kInt32), band, shape, align), 0);
}

void require_rows(const Call& call, const ValueImpl& rows, const Band& band, int64_t length) {
  const size_t rank = rows.shape.size();
  bool fits = rank >= (band.single ? 1u : 2u) && rows.shape[rank - 1] == Dim(length);
  if (fits && !band.single) fits = rows.shape[rank - 2] == Dim(band.count());
  if (!fits) {
    value_error(call.op(), ": the diagonals have shape ", rows.shape, "; its end must be ",
                band.single ? Shape{length} : Shape{band.count(), length});
  }
}

bool is_zero(const Call& call, size_t padding) {
  return !call.is_value(padding) && call.number(padding).to_complex() == std::complex<double>(0);
}

/// The padding value, a number or one element, in the dtype of x.
Value padding_of(const Call& call, size_t at) {
  const DType dtype = call.in(0).dtype;
  if (!call.is_value(at)) return full(call.builder(), Dims{}, call.number(at), dtype);
  if (call.in(at).size() != 1) {
    value_error(call.op(), ": padding_value has shape ", call.in(at).shape, "; need one element");
  }
  return cast(reshape(call.value(at), Dims{}), dtype);
}

/// (x, k, num_rows, num_cols, padding_value, align)
Value diag_body(const Call& call) {
  const ValueImpl& x = call.in(0);
  const Band band = band_of(call, 1);
  if (x.rank() < (band.single ? 1 : 2)) {
    value_error(call.op(), ": x has shape ", x.shape, "; it must have at least ", band.single ? 1 : 2,
                " dimensions");
  }
  const int64_t length = x.shape.back().value();
  const int64_t least_rows = length - std::min<int64_t>(band.high, 0);
  const int64_t least_columns = length + std::max<int64_t>(band.low, 0);
  int64_t rows = call.integer(2);
  int64_t columns = call.integer(3);
  if (rows < 0 && columns < 0) rows = columns = std::max(least_rows, least_columns);
  if (rows < 0) rows = least_rows;
  if (columns < 0) columns = least_columns;
  const Matrix matrix{rows, columns};
  require_inside(call, band, matrix);
  if (matrix.length(band) != length) {
    value_error(call.op(), ": x has diagonals of length ", length, "; in a matrix of ", rows, " by ", columns,
                " they have ", matrix.length(band));
  }
  require_rows(call, x, band, length);
  Shape shape(x.shape.begin(), x.shape.end() - (band.single ? 1 : 2));
  shape.push_back(rows);
  shape.push_back(columns);
  const Value whole = spread(call, call.value(0), band, shape, 5);
  if (is_zero(call, 4)) return whole;
  return where(covered(call, call.value(0), band, shape, 5), whole, padding_of(call, 4));
}

/// (x, k, padding_value, align)
Value diag_part_body(const Call& call) {
  const Matrix matrix = matrix_of(call);
  const Band band = band_of(call, 1);
  require_inside(call, band, matrix);
  const int64_t longest = matrix.length(band);
  const bool zero = is_zero(call, 2);
  ValueList rows;
  for (int64_t offset = band.high; offset >= band.low; --offset) {
    Value row = diagonal(call.value(0), offset, -2, -1);
    const int64_t missing = longest - matrix.length(offset);
    Dims before(row->shape.size(), Dim(0));
    Dims after = before;
    (at_right(call, 3, offset) ? before : after).back() = missing;
    if (missing != 0) {
      const Value inside = ones_like(row, DType::kBool);
      row = pad_constant(row, before, after, 0);
      if (!zero) row = where(pad_constant(inside, before, after, false), row, padding_of(call, 2));
    }
    rows.push_back(row);
  }
  return band.single ? rows.front() : stack(rows, -2);
}

/// (x, diagonal, k, align)
Value set_diag_body(const Call& call) {
  const Matrix matrix = matrix_of(call);
  const Band band = band_of(call, 2);
  require_inside(call, band, matrix);
  require_rows(call, call.in(1), band, matrix.length(band));
  const Value& rows = call.value(1);
  const Shape& shape = call.in(0).shape;
  return where(covered(call, rows, band, shape, 3), spread(call, rows, band, shape, 3), call[0]);
}

/// A matrix with zeros beyond so many diagonals below (argument 1) or above (argument 2) the main one, all of
/// which stay where the number is negative. A Tensor holds one number for each matrix, or for all.
Value within(const Call& call, size_t side, const Value& x) {
  const bool below = side == 1;
  if (!call.is_value(side)) {
    if (call.number(side).kind() != Scalar::Kind::kInt)
      type_error(call.op(), ": ", below ? "lower" : "upper", " is ", call.number(side),
                 "; it must be an int");
    const int64_t reach = call.integer(side);
    return reach < 0 ? x : triangle(x, below ? -reach : reach, below);
  }
  if (!is_int(call.in(side).dtype))
    type_error(call.op(), ": ", below ? "lower" : "upper", " has dtype ", call.in(side).dtype,
               "; need integers");
  const Value reach = expand_dims(expand_dims(cast(call.value(side), DType::kInt64), -1), -1);
  auto counted = [&](Dim size) { return arange(call.builder(), 0, size.value(), 1, DType::kInt64); };
  const Value rows = expand_dims(counted(x->shape[x->shape.size() - 2]), -1);
  const Value columns = counted(x->shape.back());
  const Value away = below ? rows - columns : columns - rows;
  return where(logical_or(less(reach, 0), less_equal(away, reach)), x, zeros_like(x));
}

}  // namespace

DYAD_OP("matrix_band_part(x: Tensor, lower: Operand, upper: Operand) -> Tensor")
    .doc(
        "Band of each matrix: `lower` diagonals below and `upper` above the main one, zeros elsewhere. A "
        "negative number keeps all on its side.")
    .formula("out[…, i, j] = x[…, i, j] where i − j ≤ lower and j − i ≤ upper, else 0")
    .arg("x", "numbers, at least 2 dimensions.")
    .arg("lower", "integer or integers of the batch shape.")
    .arg("upper", "integer or integers of the batch shape.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.tril, ops.triu")
    .primitive("MatrixBandPart()(x, lower, upper)")
    .compose([](const Call& call) {
      matrix_of(call);
      return within(call, 2, within(call, 1, call.value(0)));
    })
    .numpy("ref.matrix_band_part(x, lower, upper)")
    .samples("call(T(3, 4), 0, 0)", "call(T(2, 4, 4), 1, -1)", "call(T(3, 4), -1, 1)",
             "call(T(3, 4), -1, -1)", "call(T(2, 3, 4), V([0, -1], 'int32'), V(1, 'int64'))")
    .rejects("ops.matrix_band_part(ones(3, 3), 0.5, 0)", "TypeError", "lower is 0.5; it must be an int")
    .rejects("ops.matrix_band_part(ones(3), 0, 0)", "ValueError", "it must have at least 2 dimensions");

DYAD_OP(
    "matrix_diag(x: Tensor, k: ints=0, num_rows: int=-1, num_cols: int=-1, padding_value: Operand=0, "
    "align: str='RIGHT_LEFT') -> Tensor")
    .doc("Matrices with the given diagonals, and a padding value elsewhere.")
    .formula("out[…, i, j] = x[…, i] where i = j, else padding_value", "k=0")
    .formula("out[…, i, j] = x[…, k₁ − (j − i), position] where k₀ ≤ j − i ≤ k₁, else padding_value",
             "k=(k₀, k₁)")
    .arg("x", "any dtype, shape (…, n), or (…, k₁ − k₀ + 1, n) for several diagonals.")
    .arg("k", "a diagonal or the first and the last: 0 main, > 0 above, < 0 below.")
    .arg("num_rows", "number of rows; −1: as small as possible.")
    .arg("num_cols", "number of columns; −1: as small as possible.")
    .arg("padding_value", "value off the diagonals.")
    .arg("align",
         "how diagonals above and below are aligned in `x`: 'RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT' or "
         "'RIGHT_RIGHT'.")
    .returns("Tensor of shape (…, rows, columns).")
    .see("ops.matrix_diag_part, ops.diag_embed")
    .primitive("MatrixDiagV3(align='RIGHT_LEFT')(x, k, num_rows, num_cols, padding_value)")
    .compose([](const Call& call) { return diag_body(call); })
    .numpy("ref.matrix_diag(x, k, num_rows, num_cols, padding_value, align)")
    .samples("call(T(2, 3))", "call(T(3), 1)", "call(T(3), -2, padding_value=9)",
             "call(V([1, 5], 'uint16'), padding_value=7)", "call(T(3, 3), (-1, 1))", "call(T(2, 3), 0, 3, 5)",
             "call(T(2, 3), (0, 1), align='LEFT_RIGHT')", "call(T(3), padding_value=V([2.0], 'float32'))")
    .rejects("ops.matrix_diag(ones(3), (1, 0))", "ValueError",
             "k is (1, 0); it must be one offset or a lower and an upper one")
    .rejects("ops.matrix_diag(ones(2, 2), (0, 1), align='LEFT')", "ValueError", "align is 'LEFT'");

DYAD_OP("matrix_diag_part(x: Tensor, k: ints=0, padding_value: Operand=0, align: str='RIGHT_LEFT') -> Tensor")
    .doc("Diagonals of each matrix, one per row. Shorter ones are filled up with a padding value.")
    .formula("out[…, i] = x[…, i, i + k]", "one diagonal k ≥ 0")
    .formula("out[…, k₁ − d, position] = x[…, i, i + d]", "k₀ ≤ d ≤ k₁, k=(k₀, k₁)")
    .arg("x", "any dtype, at least 2 dimensions.")
    .arg("k", "a diagonal or the first and the last: 0 main, > 0 above, < 0 below.")
    .arg("padding_value", "value after or before shorter diagonals.")
    .arg("align",
         "how diagonals above and below are aligned: 'RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT' or "
         "'RIGHT_RIGHT'.")
    .returns("Tensor of shape (…, n), or (…, k₁ − k₀ + 1, n) for several diagonals.")
    .see("ops.matrix_diag, ops.diagonal")
    .primitive("MatrixDiagPartV3(align='RIGHT_LEFT')(x, k, padding_value)")
    .compose([](const Call& call) { return diag_part_body(call); })
    .numpy("ref.matrix_diag_part(x, k, padding_value, align)")
    .samples("call(T(3, 4), 0, 0)", "call(T(2, 3, 4), (-1, 1), 7)", "call(T(3, 4), (-2, 3), 0, 'LEFT_RIGHT')",
             "call(T(4, 3), -3)", "call(T(2, 3, 4), (-1, 1), V(7.0, 'float32'))")
    .rejects("ops.matrix_diag_part(ones(3, 3), (-1, 0), ones(2))", "ValueError",
             "padding_value has shape (2,); need one element")
    .rejects("ops.matrix_diag_part(ones(3, 3), 3, 0)", "ValueError",
             "a matrix of 3 by 3 has the diagonals -2 to 2");

DYAD_OP("matrix_set_diag(x: Tensor, diagonal: Tensor, k: ints=0, align: str='RIGHT_LEFT') -> Tensor")
    .doc("Copy of each matrix with other diagonals.")
    .formula("out[…, i, i + k] = diagonal[…, i], elsewhere x", "one diagonal k ≥ 0")
    .formula("out[…, i, i + d] = diagonal[…, k₁ − d, position], elsewhere x", "k₀ ≤ d ≤ k₁, k=(k₀, k₁)")
    .arg("x", "any dtype, at least 2 dimensions.")
    .arg("diagonal", "of shape (…, n), or (…, k₁ − k₀ + 1, n) for several diagonals.")
    .arg("k", "a diagonal or the first and the last: 0 main, > 0 above, < 0 below.")
    .arg("align",
         "how diagonals above and below are aligned in `diagonal`: 'RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT' "
         "or 'RIGHT_RIGHT'.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.matrix_diag, ops.matrix_diag_part")
    .primitive("MatrixSetDiagV3(align='RIGHT_LEFT')(x, diagonal, k)")
    .compose([](const Call& call) { return set_diag_body(call); })
    .numpy("ref.matrix_set_diag(x, diagonal, k, align)")
    .samples("call(T(3, 4), T(3))", "call(T(2, 3, 4), T(2, 3, 3), (-1, 1))",
             "call(T(3, 3), T(2, 3), (0, 1), 'LEFT_LEFT')")
    .rejects("ops.matrix_set_diag(ones(3, 3), ones(2))", "ValueError",
             "the diagonals have shape (2,); its end must be (3,)");

}  // namespace dyad
