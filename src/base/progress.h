#pragma once

#include <chrono>
#include <string>

namespace dyad {

/// What the host language is told of a compilation, on the thread that compiles. No member is null.
struct ProgressNotice {
  /// A compilation begins. `purpose` says what the graph is for: "its gradient, forward"; empty for a call.
  void (*begin)(const std::string& name, const std::string& purpose);
  /// It goes on with this stage; called a few times a second. May raise an interruption, which ends it.
  void (*look)(const char* stage);
  void (*end)();
};
/// Null switches notices off.
void set_progress_notice(const ProgressNotice* notice);

/// Reports that the thread begins a stage of a compilation, or goes on with it, and raises if the user
/// interrupts. Cheap: it mostly compares times.
void note_progress(const char* stage);

/// A compilation, from its begin to its end.
class CompilationInProgress {
 public:
  CompilationInProgress(const std::string& name, const std::string& purpose);
  ~CompilationInProgress();
  CompilationInProgress(const CompilationInProgress&) = delete;
  CompilationInProgress& operator=(const CompilationInProgress&) = delete;
};

}  // namespace dyad
