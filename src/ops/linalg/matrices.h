#pragma once

#include "ops/op.h"

namespace dyad {

/// The transpose of each matrix of a stack.
Value transposed(const Value& a);
/// The same with each element conjugated.
Value conjugate_transposed(const Value& a);
/// Columns `from` to `to`, which is left out, of each matrix of a stack.
Value columns_between(const Value& a, Dim from, Dim to);

namespace infer {

/// Raises unless the argument is a float tensor of at least two dimensions.
void require_matrices(const Arguments& args, size_t at, std::string_view name);
/// Raises unless the argument is a float or complex tensor of at least two dimensions.
void require_factorable(const Arguments& args, size_t at, std::string_view name);
/// Raises unless its last two dimensions are also equal.
void require_square(const Arguments& args, size_t at, std::string_view name);
void require_square_factorable(const Arguments& args, size_t at, std::string_view name);
/// Raises unless two stacks have the same leading dimensions.
void require_same_stack(const Arguments& args, size_t a, size_t b);
/// The x with matrix @ x = rhs, of arguments 0 and 1.
void solution(const Arguments& args, Results& results);
void factorable_solution(const Arguments& args, Results& results);
/// The leading dimensions of a stack of matrices.
Shape stack_shape(const ValueImpl& value);
Dim rows(const ValueImpl& value);
Dim columns(const ValueImpl& value);
/// The shape of a stack of matrices of that many rows and columns.
Shape stack_of(Shape stack, Dim rows, Dim columns);

}  // namespace infer
}  // namespace dyad
