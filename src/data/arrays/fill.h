#pragma once

#include <optional>
#include <string>

#include "data/rows/attributes.h"
#include "data/rows/item.h"

namespace dyad::data {

/// What an element of an array or of texts is set to: the front gives a number or a text.
struct Filling {
  std::optional<Tensor> number;
  std::optional<std::string> text;

  /// From the attributes "number" and "text", of which at most one is there; 0 and "" if none is.
  static Filling from(const Attributes& attributes);
  /// Raises, in the name of `owner`, a number for texts or a text for numbers.
  void require_kind_of(const Item& item, std::string_view owner) const;
  const std::string& of_texts() const;
  /// As one element of `dtype`. An integer type that does not hold the number is an error in the name of
  /// `owner`.
  Tensor of_dtype(DType dtype, std::string_view owner) const;
};

/// Sets `count` elements from `to` on to the only element of `value`, a tensor of the same dtype.
void fill_with(const Tensor& value, char* to, int64_t count);

}  // namespace dyad::data
