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
  /// Where operators without tensors as operands put their results.
  Device device() const { return device_.load(std::memory_order_relaxed); }
  /// Whether a device besides the CPU was ever chosen in this process.
  bool uses_devices() const { return uses_devices_.load(std::memory_order_relaxed); }
  bool deterministic() const { return deterministic_.load(std::memory_order_relaxed); }
  void set_deterministic(bool on) { deterministic_.store(on); }
  Generator& generator() { return generator_; }

  /// Names of the targets that can be used on this machine.
  std::vector<std::string_view> available_targets() const;
  /// Chooses the target of all later operators. One that is not there is a RuntimeError listing those that
  /// are, and says what is missing.
  void set_device(std::string_view target, int index = 0);
  /// The device of that name; an error where it is not there.
  Device find_device(std::string_view reader, std::string_view target, int index);
  /// The device that a text such as "GPU" or "cpu:0" names; a ValueError where there is none of that name.
  Device named_device(std::string_view reader, std::string_view text);

 private:
  std::atomic<Mode> mode_{Mode::kPyNative};
  std::atomic<bool> deterministic_{false};
  std::atomic<Device> device_{Device{}};
  std::atomic<bool> uses_devices_{false};
  Generator generator_;
};

}  // namespace dyad
