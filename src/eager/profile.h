#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "eager/placement.h"
#include "ir/graph.h"
#include "ops/op.h"

namespace dyad::eager {

/// A kernel that ran while a profile was made.
struct KernelRun {
  std::string name;       ///< of the operator, or of generated code
  std::string operators;  ///< what generated code computes, in order
  std::string operands;   ///< dtypes and shapes of what goes in and comes out
  std::string file;       ///< the line of the user's program that asked for it
  int line = 0;
  int64_t start = 0;  ///< nanoseconds of a steady clock
  int64_t end = 0;
  uint64_t thread = 0;
  double flop = 0;
  int64_t bytes = 0;  ///< of operands and results, each once
};

/// From here on every kernel of the process is written down, until `stop_profile` gives what ran. A profile
/// that was under way starts anew.
void start_profile();
std::vector<KernelRun> stop_profile();

extern std::atomic<bool> profiling;
inline bool profiled() { return profiling.load(std::memory_order_relaxed); }

/// Where the host's program is; asked where no graph says it, with the host's lock held.
using HostLocation = ir::Location (*)();
void set_host_location(HostLocation place);

/// The line of the program whose graph this thread runs; null where it runs none, or nobody will ask.
const ir::Location* line_of_graph();

/// While it lives, kernels of this thread are put down to this line of the program, in a profile and in
/// errors that a device finds later.
class ProfiledLocation {
 public:
  /// Null: the line stays what it was.
  explicit ProfiledLocation(const ir::Location* location) : on_(profiled() || devices_in_use()) {
    if (on_) [[unlikely]]
      enter(location);
  }
  ProfiledLocation(const ProfiledLocation&) = delete;
  ProfiledLocation& operator=(const ProfiledLocation&) = delete;
  ~ProfiledLocation() {
    if (on_) [[unlikely]]
      leave();
  }

 private:
  void enter(const ir::Location* location);
  void leave();
  bool on_;
  const ir::Location* before_ = nullptr;
};

/// While it lives, this kernel runs.
class ProfiledKernel {
 public:
  ProfiledKernel(const Op& op, std::span<const Arg> args, std::span<ValueImpl* const> results)
      : on_(profiled()) {
    if (on_) [[unlikely]]
      begin(op, args, results);
  }
  ProfiledKernel(const ProfiledKernel&) = delete;
  ProfiledKernel& operator=(const ProfiledKernel&) = delete;
  ~ProfiledKernel() {
    if (on_) [[unlikely]]
      end();
  }

 private:
  void begin(const Op& op, std::span<const Arg> args, std::span<ValueImpl* const> results);
  void end();
  bool on_;
  const Op* op_ = nullptr;
  std::span<const Arg> args_;
  std::span<ValueImpl* const> results_;
  ir::Location place_;
  int64_t start_ = 0;
};

/// Writes down a kernel that was generated: `run` says everything but place and thread.
void add_to_profile(KernelRun run);
int64_t profile_clock();
/// "float32 (64, 784)".
std::string operand_text(const ValueImpl& value);

}  // namespace dyad::eager
