#include "ops/linalg/matrices.h"

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {
DYAD_USE(conj, slice_view, swapaxes);
}  // namespace

Value transposed(const Value& a) { return swapaxes(a, -2, -1); }
Value conjugate_transposed(const Value& a) {
  return is_complex(a->dtype) ? conj(transposed(a)) : transposed(a);
}

Value columns_between(const Value& a, Dim from, Dim to) {
  Dims starts(a->shape.size(), Dim(0));
  Dims stops = a->shape;
  starts.back() = from;
  stops.back() = to;
  return slice_view(a, starts, stops, Dims(a->shape.size(), Dim(1)));
}

namespace infer {

namespace {
void require_two_dimensions(const Arguments& args, size_t at, std::string_view name) {
  if (args.in(at).rank() < 2) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; it must have at least 2 dimensions");
  }
}
}  // namespace

void require_matrices(const Arguments& args, size_t at, std::string_view name) {
  require_dtype(args, at, is_float(args.in(at).dtype), "float dtypes");
  require_two_dimensions(args, at, name);
}

void require_factorable(const Arguments& args, size_t at, std::string_view name) {
  const DType dtype = args.in(at).dtype;
  require_dtype(args, at, is_float(dtype) || is_complex(dtype), "float and complex dtypes");
  require_two_dimensions(args, at, name);
}

namespace {

void require_equal_sizes(const Arguments& args, size_t at, std::string_view name) {
  const Dim r = rows(args.in(at));
  const Dim c = columns(args.in(at));
  if (r.known() && c.known() && !(r == c)) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; its last two dimensions must be equal");
  }
}

}  // namespace

void require_square(const Arguments& args, size_t at, std::string_view name) {
  require_matrices(args, at, name);
  require_equal_sizes(args, at, name);
}

void require_square_factorable(const Arguments& args, size_t at, std::string_view name) {
  require_factorable(args, at, name);
  require_equal_sizes(args, at, name);
}

void require_same_stack(const Arguments& args, size_t a, size_t b) {
  if (!(stack_shape(args.in(a)) == stack_shape(args.in(b)))) {
    value_error(args.op(), ": shapes ", args.in(a).shape, " and ", args.in(b).shape,
                " hold different stacks of matrices; the leading dimensions must be equal");
  }
}

namespace {

void add_solution(const Arguments& args, Results& results) {
  require_same_stack(args, 0, 1);
  if (!(columns(args.in(0)) == rows(args.in(1)))) {
    value_error(args.op(), ": matrix has shape ", args.in(0).shape, " and rhs ", args.in(1).shape,
                "; rhs must have as many rows as matrix");
  }
  results.add(promote(args.op(), args.in(0).dtype, args.in(1).dtype), args.in(1).shape);
}

}  // namespace

void solution(const Arguments& args, Results& results) {
  require_square(args, 0, "matrix");
  require_matrices(args, 1, "rhs");
  add_solution(args, results);
}

void factorable_solution(const Arguments& args, Results& results) {
  require_square_factorable(args, 0, "matrix");
  require_factorable(args, 1, "rhs");
  add_solution(args, results);
}

Shape stack_shape(const ValueImpl& value) { return Shape(value.shape.begin(), value.shape.end() - 2); }
Dim rows(const ValueImpl& value) { return value.shape[value.shape.size() - 2]; }
Dim columns(const ValueImpl& value) { return value.shape.back(); }

Shape stack_of(Shape stack, Dim rows, Dim columns) {
  stack.push_back(rows);
  stack.push_back(columns);
  return stack;
}

}  // namespace infer
}  // namespace dyad
