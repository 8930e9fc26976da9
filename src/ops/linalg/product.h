#pragma once

#include <string_view>
#include <vector>

namespace dyad {

/// What follows a product, step by step: the names of elementwise operators in a text, apart by spaces. One
/// of two operands takes the next tensor, or with a `#` after its name the next number, for its second.
///
///   "add relu mul#"    mul(relu(add(product, tensors[0])), numbers[0])
struct ProductStep {
  enum class Second { kNone, kTensor, kNumber };
  std::string_view name;
  Second second = Second::kNone;
};

/// Steps in their order; raises where a name is none of an elementwise operator.
std::vector<ProductStep> product_steps(std::string_view op, std::string_view text);

}  // namespace dyad
