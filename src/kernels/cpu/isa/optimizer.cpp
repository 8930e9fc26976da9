// Vectorised loops of the optimisers' steps, compiled per instruction set.

#include <utility>

#include "kernels/cpu/optimizer_table.h"
#include "kernels/scalar/optimizer.h"
#include "kernels/scalar/optimizer_adaptive.h"

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

template <class T>
static void observe_lamb(int64_t count, void* const* streams, const void* settings, double* sums) {
  constexpr int64_t kLanes = 16;
  const LambSettings own = *static_cast<const LambSettings*>(settings);
  auto* parameter = static_cast<const T*>(streams[0]);
  auto* gradient = static_cast<const T*>(streams[1]);
  auto* moment1 = static_cast<T*>(streams[2]);
  auto* moment2 = static_cast<T*>(streams[3]);
  double squares[2][kLanes] = {};
  for (int64_t first = 0; first < count; first += kLanes) {
    const int64_t lanes = count - first < kLanes ? count - first : kLanes;
#pragma GCC ivdep
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t i = first + lane;
      T held1 = moment1[i];
      T held2 = moment2[i];
      LambStep::observe(own, gradient[i], held1, held2);
      moment1[i] = held1;
      moment2[i] = held2;
      const double p = parameter[i];
      const double direction = LambStep::direction(own, parameter[i], held1, held2);
      squares[0][lane] += p * p;
      squares[1][lane] += direction * direction;
    }
  }
  for (int k = 0; k < 2; ++k) {
    for (int64_t lane = 0; lane < kLanes; ++lane) sums[k] += squares[k][lane];
  }
}

extern constinit const StepTable step_table = {
    .momentum = loops<MomentumStep, 1>(),
    .descent = loops<DescentStep, 0>(),
    .sgd = loops<SgdStep, 2>(),
    .adam = loops<AdamStep, 2>(),
    .adam_amsgrad = loops<AdamAmsgradStep, 3>(),
    .adamax = loops<AdamaxStep, 2>(),
    .adagrad = loops<AdagradStep, 1>(),
    .rmsprop = loops<RmspropStep, 2>(),
    .rmsprop_centered = loops<RmspropCenteredStep, 3>(),
    .adadelta = loops<AdadeltaStep, 2>(),
    .ftrl = loops<FtrlStep<false>, 2>(),
    .ftrl_root = loops<FtrlStep<true>, 2>(),
    .proximal_adagrad = loops<ProximalAdagradStep, 1>(),
    .rprop = loops<RpropStep, 2>(),
    .asgd = loops<AsgdStep, 1>(),
    .lamb = loops<LambStep, 2>(),
    .lamb_observe = {observe_lamb<float>, observe_lamb<double>},
};

}  // namespace dyad::kernels::DYAD_ISA
