#pragma once

#include <span>
#include <string>

#include "eager/profile.h"
#include "ir/graph.h"

namespace dyad::execute {

/// Generated code that runs: `done` writes it down while a profile is made.
class FusedProfile {
 public:
  FusedProfile() : start_(eager::profiled() ? eager::profile_clock() : 0) {}
  bool on() const { return start_ != 0; }
  /// `name` is that of the code, `function` what it computes.
  void done(const std::string& name, const ir::Function& function, std::span<const ValueImpl* const> operands,
            std::span<const ValueImpl* const> results) const;

 private:
  int64_t start_;
};

}  // namespace dyad::execute
