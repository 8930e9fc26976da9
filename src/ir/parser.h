#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "ir/graph.h"

namespace dyad::ir {

/// What the parser needs of the rooms above.
struct ParserTools {
  /// The operator of that name, or null.
  std::function<const Operator*(std::string_view name)> find_operator;
  /// A tensor with these elements, in row-major order.
  std::function<Value(DType dtype, const Shape& shape, const std::vector<Scalar>& elements)> make_constant;
};

/// Reads what `print` writes. Anything else is a ValueError that names line and column and shows what was
/// expected there. Types are taken as written; `verify` checks them.
std::unique_ptr<Module> parse(std::string_view text, const ParserTools& tools);

}  // namespace dyad::ir
