// Vectorised loops of the optimisers' steps, compiled per instruction set.

#include <utility>

#include "kernels/cpu/optimizer_table.h"
#include "kernels/scalar/optimizer.h"

namespace dyad::kernels::DYAD_ISA {

template <class Step, class T, size_t... state>
static void run(int64_t count, void* const* streams, const void* settings, std::index_sequence<state...>) {
  const typename Step::Settings own = *static_cast<const typename Step::Settings*>(settings);
  auto* parameter = static_cast<T*>(streams[0]);
  auto* gradient = static_cast<const T*>(streams[1]);
  [[maybe_unused]] T* const states[] = {static_cast<T*>(streams[2 + state])..., nullptr};
  // No element depends on another, which ivdep promises.
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    T moved = parameter[i];
    [&](auto... held) {
      Step::apply(own, moved, gradient[i], held...);
      ((states[state][i] = held), ...);
    }(states[state][i]...);
    parameter[i] = moved;
  }
}

template <class Step, size_t states, class T>
static void loop(int64_t count, void* const* streams, const void* settings) {
  run<Step, T>(count, streams, settings, std::make_index_sequence<states>{});
}

template <class Step, size_t states>
static constexpr StepLoops loops() {
  return {loop<Step, states, float>, loop<Step, states, double>};
}

extern constinit const StepTable step_table = {
    .momentum = loops<momentum_step, 1>(),
    .descent = loops<descent_step, 0>(),
    .sgd = loops<sgd_step, 2>(),
    .adam = loops<adam_step, 2>(),
    .adam_amsgrad = loops<adam_amsgrad_step, 3>(),
};

}  // namespace dyad::kernels::DYAD_ISA
