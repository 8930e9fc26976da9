#pragma once

#include <utility>

#include "base/error.h"

namespace dyad {

/// An index among the elements of a tensor is out of range, which shows when the data are read. In Python it
/// is an IndexError and a RuntimeError as well, which MindSpore's operators raise.
class RangeError : public Error {
 public:
  explicit RangeError(std::string_view message) : Error(ErrorKind::kIndex, message) {}
  RangeError(std::string owner, std::string text)
      : Error(ErrorKind::kIndex, std::move(owner), std::move(text)) {}
};

template <class... Parts>
[[noreturn]] void range_error(const Parts&... parts) {
  throw RangeError(cat(parts...));
}

}  // namespace dyad
