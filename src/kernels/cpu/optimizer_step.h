#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/optimizer_table.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// The tensors that one optimiser's step reads and writes, taken as a single range of elements: many small
/// parameters cost no more than one large one.
class StepTensors {
 public:
  using Sums = std::array<double, 2>;
  /// `lists`: the arguments that hold parameters, gradients and states, in the order of the loop's streams.
  /// Of these only the gradients are not written.
  /// With `widened` half precision is computed in float32 copies throughout, for steps that pass over the
  /// elements more than once.
  StepTensors(const KernelCall& call, std::initializer_list<size_t> lists, bool widened = false);

  size_t count() const { return offsets_.size() - 1; }
  /// Runs the step with one struct of settings per parameter.
  template <class Settings>
  void run(const StepLoops& loops, const std::vector<Settings>& settings) {
    run(loops, reinterpret_cast<const char*>(settings.data()), sizeof(Settings));
  }
  /// Runs a loop with sums and gives those of each parameter.
  template <class Settings>
  std::vector<Sums> sum(const SumLoops& loops, const std::vector<Settings>& settings) {
    return sum(loops, reinterpret_cast<const char*>(settings.data()), sizeof(Settings));
  }

 private:
  static constexpr size_t kMaxStreams = 5;
  struct Stream {
    char* data;
    DType dtype;
  };
  /// A tensor that is not in row-major order, or in another dtype than wanted, is handled in a copy; where it
  /// is written, `run` copies the elements back.
  struct Detour {
    Contiguous copied;
    DType dtype;
    ValueImpl* written;
  };

  void run(const StepLoops& loops, const char* settings, size_t settings_size);
  std::vector<Sums> sum(const SumLoops& loops, const char* settings, size_t settings_size);
  std::span<const Stream> streams_of(size_t tensor) const {
    return {all_.data() + tensor * streams_, streams_};
  }
  DType computed_dtype(size_t tensor) const {
    return all_[tensor * streams_].dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  }
  template <class Body>
  void each_block(size_t tensor, int64_t begin, int64_t end, const Body& body) const;
  Stream stream_of(ValueImpl& value, DType dtype, bool written);
  void write_back();

  size_t streams_;                ///< per tensor
  std::vector<Stream> all_;       ///< tensor by tensor
  std::vector<int64_t> offsets_;  ///< where each tensor begins in the whole range, then its end
  std::vector<Detour> detours_;
};

/// The number in a tensor of one element.
double number_in(const ValueImpl& value);
/// Entry `i` of a list that has one entry per parameter or one for all; `otherwise` where it has none.
double setting_of(const KernelCall& call, size_t argument, size_t i, double otherwise = 0);

}  // namespace dyad::kernels
