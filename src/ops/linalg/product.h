#pragma once

#include <string_view>
#include <vector>

namespace dyad {

/// The steps after a product: names of elementwise operators, separated by spaces. The second operand of a
/// binary one is the next tensor, or with a `#` after its name the next number.
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
