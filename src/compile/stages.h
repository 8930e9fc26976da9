#pragma once

#include "compile/compile.h"
#include "ir/verifier.h"

namespace dyad::compile {

/// Carries out the stages of a compilation one after the other. After each it notes the time and the size of
/// the graph in the report, checks the graph where that is asked for, and hands its text to `Options::dump`.
class Stages {
 public:
  Stages(ir::Module& module, const Options& options, Report& report);

  void operator()(const char* name, const std::function<void()>& action);

  /// Whether operators may still use versions of state that were overwritten: until copies are made of them.
  ir::OldVersions old_versions = ir::OldVersions::kUsed;

 private:
  void show(const char* name);

  ir::Module& module_;
  const Options& options_;
  Report& report_;
  int number_ = 0;
};

}  // namespace dyad::compile
