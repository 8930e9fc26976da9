#pragma once

#include "ops/op.h"
#include "types/promote.h"

namespace dyad {

/// Inference rules shared by families of operators. An elementwise rule looks at the leading arguments that
/// are tensors or numbers; these are the operands.
namespace infer {

/// Number of leading arguments that are operands of an elementwise operator: tensors and numbers.
size_t operands(const Arguments& args);

/// Result in the promoted dtype: add, mul, maximum.
void arithmetic(const Arguments& args, Results& results);
/// As `arithmetic`, but integers and bools become float32: exp, div, sigmoid.
void floating(const Arguments& args, Results& results);
/// As `arithmetic`, bool only or bool rejected.
void integral(const Arguments& args, Results& results);
/// Bool result of promoted operands: less, equal.
void comparison(const Arguments& args, Results& results);
/// Bool result; operands are taken as truth values.
void logical(const Arguments& args, Results& results);
/// dtype and shape of the first argument.
void same(const Arguments& args, Results& results);

/// Axes normalized, sorted and without repeats; None or empty means all. A repeat is an error.
Ints axes(const Arguments& args, size_t at, int64_t rank);
/// Shape after reducing over `axes`.
Shape reduced(const Shape& shape, const Ints& axes, bool keepdims);

/// Raises a TypeError `op: input has dtype Bool; accepted are …` unless the condition holds.
void require_dtype(const Arguments& args, size_t at, bool accepted, std::string_view what);
/// An argument that is a size of the result: a ValueError below 0, if that is known.
Dim size(const Arguments& args, size_t at, std::string_view name);
/// Raises a ValueError unless the argument has exactly `rank` dimensions.
void require_rank(const Arguments& args, size_t at, int64_t rank, std::string_view what);
/// Raises a ValueError unless the argument may have the shape of `other`, as the gradient of a value has that
/// value's.
void require_like(const Arguments& args, size_t at, std::string_view name, const ValueImpl& other);

}  // namespace infer
}  // namespace dyad
