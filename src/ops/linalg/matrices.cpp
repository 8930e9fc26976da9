#include "ops/linalg/matrices.h"

#include "base/error.h"
#include "ops/infer.h"

namespace dyad::infer {

void require_matrices(const Arguments& args, size_t at, std::string_view name) {
  require_dtype(args, at, is_float(args.in(at).dtype), "float dtypes");
  if (args.in(at).rank() < 2) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; it must have at least 2 dimensions");
  }
}

void require_square(const Arguments& args, size_t at, std::string_view name) {
  require_matrices(args, at, name);
  const Dim r = rows(args.in(at));
  const Dim c = columns(args.in(at));
  if (r.known() && c.known() && !(r == c)) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; its last two dimensions must be equal");
  }
}

void require_same_stack(const Arguments& args, size_t a, size_t b) {
  if (!(stack_shape(args.in(a)) == stack_shape(args.in(b)))) {
    value_error(args.op(), ": shapes ", args.in(a).shape, " and ", args.in(b).shape,
                " hold different stacks of matrices; the leading dimensions must be equal");
  }
}

Shape stack_shape(const ValueImpl& value) { return Shape(value.shape.begin(), value.shape.end() - 2); }
Dim rows(const ValueImpl& value) { return value.shape[value.shape.size() - 2]; }
Dim columns(const ValueImpl& value) { return value.shape.back(); }

}  // namespace dyad::infer
