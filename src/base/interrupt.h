#pragma once

#include <chrono>

namespace dyad {

/// Looks now and then whether the user wants to stop; lives on the thread that called the operator.
class InterruptWatch {
 public:
  /// May throw.
  void look();

 private:
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

}  // namespace dyad
