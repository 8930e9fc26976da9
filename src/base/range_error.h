#pragma once

#include <utility>

#include "base/error.h"

namespace dyad {

/// An index among the elements of a tensor is out of range, which shows when the data are read. In Python it
/// is an IndexError and a RuntimeError as well, which MindSpore's operators raise.
class RangeError : public Error {
 public:
  explicit RangeError(std::string message) : Error(ErrorKind::kIndex, std::move(message)) {}
};

template <class... Parts>
[[noreturn]] void range_error(const Parts&... parts) {
  throw RangeError(cat(parts...));
}

}  // namespace dyad
