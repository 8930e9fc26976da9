#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "runtime/generator.h"
#include "types/device.h"

namespace dyad {

/// The values of GRAPH_MODE and PYNATIVE_MODE.
enum class Mode : int { kGraph = 0, kPyNative = 1 };

/// The settings of the process: execution mode, device target, determinism and the random stream. Reads are
/// thread-safe. What else is process-wide is listed in docs/design/0003.
class Context {
 public:
  static Context& process();

  Mode mode() const { return mode_.load(std::memory_order_relaxed); }
  void set_mode(Mode mode) { mode_.store(mode); }
  Device device() const { return device_; }
  bool deterministic() const { return deterministic_.load(std::memory_order_relaxed); }
  void set_deterministic(bool on) { deterministic_.store(on); }
  Generator& generator() { return generator_; }

  /// Names of the targets that can be used on this machine.
  std::vector<std::string_view> available_targets() const;
  /// Chooses the target of all later operators. One that is not there is a RuntimeError listing those that
  /// are.
  void set_device(std::string_view target);

 private:
  std::atomic<Mode> mode_{Mode::kPyNative};
  std::atomic<bool> deterministic_{false};
  Device device_;
  Generator generator_;
};

}  // namespace dyad
