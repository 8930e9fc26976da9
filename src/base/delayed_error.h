#pragma once

#include "base/error.h"

namespace dyad {

/// An error of work that was asked for earlier and is found only now. Its message says where that was; what
/// the program calls now is not to blame.
class DelayedError : public Error {
 public:
  DelayedError(ErrorKind kind, std::string_view message) : Error(kind, message) {}
};

}  // namespace dyad
