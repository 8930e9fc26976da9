// Gradients of recurrent layers: from the last step to the first, one pass over the gates and one small
// product with the state's weights each.

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/prepared.h"
#include "kernels/cpu/recurrent_table.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

// Gate elements that are worth another core.
constexpr int64_t kGrain = 1 << 12;

template <class T>
const RecurrentGradientLoops<T>& loops() {
  static const RecurrentTable& best =
      best_table(baseline::recurrent_table, avx2::recurrent_table, avx512::recurrent_table);
  if constexpr (std::is_same_v<T, float>) {
    return best.gradient_float32;
  } else {
    return best.gradient_float64;
  }
}

/// The sizes of a layer, the weight of its state and its lengths; `weight` is the weight's place among the
/// arguments, with lengths, direction and the gradients of output and state behind it.
struct Steps {
  Steps(const KernelCall& call, size_t weight)
      : dtype(compute_dtype(call.out().dtype)),
        output(call.in(weight + 3), dtype),
        reverse(call.flag(weight + 2)),
        count(sizes(call.in(0).shape)[0]),
        batch(sizes(call.in(0).shape)[1]),
        gates(sizes(call.in(0).shape)[2]),
        width(sizes(call.in(weight).shape)[1]),
        panels(static_cast<size_t>((width + kPanelColumns - 1) / kPanelColumns * kPanelColumns * gates *
                                   itemsize(dtype)) +
               1),
        passed(static_cast<size_t>(batch * width * itemsize(dtype)) + 1) {
    if (call.has(weight + 1)) lengths.emplace(call.in(weight + 1), DType::kInt64);
    const Prepared matrix(call.in(weight), dtype, Prepared::kAnyStrides);
    if (batch * count * width * gates == 0) return;
    pack_panels(dtype, {matrix->data, matrix->strides[0], matrix->strides[1]}, gates, width,
                panels.as<void>());
  }

  DType dtype;
  Prepared output;  ///< its gradient
  bool reverse;
  int64_t count;
  int64_t batch;
  int64_t gates;  ///< elements of all gates
  int64_t width;  ///< elements of the state
  Workspace panels;
  Workspace passed;
  std::optional<Prepared> lengths;

  /// The place in the sequence of the step that runs as number `i`.
  int64_t place(int64_t i) const { return reverse ? count - 1 - i : i; }
  bool running(int64_t sequence, int64_t step) const {
    return !lengths || step < (*lengths)->as<const int64_t>()[sequence];
  }

  /// Adds what reaches the state by way of its gates, whose gradient is (batch, gates).
  template <class T>
  void pass(const T* gate_gradient, int64_t step, T* hidden) const {
    MatrixProducts product{};
    product.dtype = dtype;
    product.m = batch;
    product.n = width;
    product.k = gates;
    product.a = {gate_gradient, gates, 1};
    product.b = {panels.as<void>(), width, 1};
    product.in_panels = true;
    product.c = passed.as<void>();
    multiply_matrices(product);
    for (int64_t sequence = 0; sequence < batch; ++sequence) {
      if (!running(sequence, step)) continue;
      const T* from = passed.as<T>() + sequence * width;
      T* to = hidden + sequence * width;
      for (int64_t i = 0; i < width; ++i) to[i] += from[i];
    }
  }
};

/// `advance(row, sequence)` takes the gradient of one sequence a step back, `row` being the number of step
/// and sequence together; `clear(row)` sets that of its gates to 0. The gradient that the state is multiplied
/// with is `gates`, of shape (count, batch, gates).
template <class T, class Advance, class Clear>
void run_back(const Steps& steps, const T* gates, T* hidden, const Advance& advance, const Clear& clear) {
  if (steps.batch * steps.width == 0) return;
  for (int64_t i = steps.count; i-- > 0;) {
    const int64_t step = steps.place(i);
    parallel_for(steps.batch, 1 + kGrain / std::max<int64_t>(steps.gates, 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t sequence = begin; sequence < end; ++sequence) {
                     const int64_t row = step * steps.batch + sequence;
                     if (steps.running(sequence, step)) {
                       advance(row, sequence);
                     } else {
                       clear(row);
                     }
                   }
                 });
    steps.pass(gates + step * steps.batch * steps.gates, step, hidden);
  }
}

/// A result that starts as a copy of an argument and is changed in place.
template <class T>
T* start_from(Computed& result, const ValueImpl& initial, DType dtype) {
  const Prepared prepared(initial, dtype);
  std::copy_n(prepared->as<const T>(), prepared->size(), result.as<T>());
  return result.as<T>();
}

/// (gates, weight_hh, lengths, reverse, output_gradient, hidden_gradient, nonlinearity) -> (gates, hidden)
void run_rnn(const KernelCall& call) {
  const Steps steps(call, 1);
  const Prepared gates(call.in(0), steps.dtype);
  Computed gate_gradient(call.out(0), steps.dtype);
  Computed hidden(call.out(1), steps.dtype);
  const bool rectified = call.text(6) == "relu";
  with_float(steps.dtype, [&]<class T>(T) {
    T* state = start_from<T>(hidden, call.in(5), steps.dtype);
    T* made = gate_gradient.as<T>();
    const auto loop = rectified ? loops<T>().rnn_relu : loops<T>().rnn_tanh;
    run_back(
        steps, made, state,
        [&](int64_t row, int64_t sequence) {
          const int64_t at = row * steps.width;
          loop(gates->as<const T>() + at, steps.width, steps.output->as<const T>() + at,
               state + sequence * steps.width, made + at);
        },
        [&](int64_t row) { std::fill_n(made + row * steps.gates, steps.gates, T(0)); });
  });
  gate_gradient.store();
  hidden.store();
}

/// (input_gates, state_gates, before, weight_hh, lengths, reverse, output_gradient, hidden_gradient)
/// -> (input_gates, state_gates, hidden)
void run_gru(const KernelCall& call) {
  const Steps steps(call, 3);
  const Prepared from_input(call.in(0), steps.dtype);
  const Prepared from_state(call.in(1), steps.dtype);
  const Prepared before(call.in(2), steps.dtype);
  Computed input_gradient(call.out(0), steps.dtype);
  Computed state_gradient(call.out(1), steps.dtype);
  Computed hidden(call.out(2), steps.dtype);
  with_float(steps.dtype, [&]<class T>(T) {
    T* state = start_from<T>(hidden, call.in(7), steps.dtype);
    T* of_input = input_gradient.as<T>();
    T* of_state = state_gradient.as<T>();
    run_back(
        steps, of_state, state,
        [&](int64_t row, int64_t sequence) {
          const int64_t at = row * steps.gates;
          const int64_t shown = row * steps.width;
          loops<T>().gru(from_input->as<const T>() + at, from_state->as<const T>() + at,
                         before->as<const T>() + shown, steps.width, steps.output->as<const T>() + shown,
                         state + sequence * steps.width, of_input + at, of_state + at);
        },
        [&](int64_t row) {
          std::fill_n(of_input + row * steps.gates, steps.gates, T(0));
          std::fill_n(of_state + row * steps.gates, steps.gates, T(0));
        });
  });
  input_gradient.store();
  state_gradient.store();
  hidden.store();
}

/// The cell before each step, of shape (count, batch, width).
template <class T>
void walk_cells(const Steps& steps, const T* gates, const T* first, T* before) {
  const int64_t work = std::max<int64_t>(steps.gates * steps.count, 1);
  parallel_for(steps.batch, 1 + kGrain / work, [&](int64_t begin, int64_t end) {
    for (int64_t sequence = begin; sequence < end; ++sequence) {
      const T* cell = first + sequence * steps.width;
      for (int64_t i = 0; i < steps.count; ++i) {
        const int64_t row = steps.place(i) * steps.batch + sequence;
        T* here = before + row * steps.width;
        if (cell != here) std::copy_n(cell, steps.width, here);
        cell = here;
        if (i + 1 == steps.count || !steps.running(sequence, steps.place(i))) continue;
        T* after = before + (steps.place(i + 1) * steps.batch + sequence) * steps.width;
        loops<T>().lstm_cell(gates + row * steps.gates, here, steps.width, after);
        cell = after;
      }
    }
  });
}

/// (gates, cell, weight_hh, lengths, reverse, output_gradient, hidden_gradient, cell_gradient)
/// -> (gates, hidden, cell)
void run_lstm(const KernelCall& call) {
  const Steps steps(call, 2);
  const Prepared gates(call.in(0), steps.dtype);
  const Prepared first(call.in(1), steps.dtype);
  const Scratch before(steps.dtype, Shape{steps.count, steps.batch, steps.width});
  Computed gate_gradient(call.out(0), steps.dtype);
  Computed hidden(call.out(1), steps.dtype);
  Computed cell(call.out(2), steps.dtype);
  with_float(steps.dtype, [&]<class T>(T) {
    T* state = start_from<T>(hidden, call.in(6), steps.dtype);
    T* memory = start_from<T>(cell, call.in(7), steps.dtype);
    T* made = gate_gradient.as<T>();
    walk_cells(steps, gates->as<const T>(), first->as<const T>(), before.as<T>());
    run_back(
        steps, made, state,
        [&](int64_t row, int64_t sequence) {
          const int64_t shown = row * steps.width;
          loops<T>().lstm(gates->as<const T>() + row * steps.gates, before.as<const T>() + shown, steps.width,
                          steps.output->as<const T>() + shown, state + sequence * steps.width,
                          memory + sequence * steps.width, made + row * steps.gates);
        },
        [&](int64_t row) { std::fill_n(made + row * steps.gates, steps.gates, T(0)); });
  });
  gate_gradient.store();
  hidden.store();
  cell.store();
}

DYAD_CPU_KERNEL(rnn_layer_grad, run_rnn);
DYAD_CPU_KERNEL(gru_layer_grad, run_gru);
DYAD_CPU_KERNEL(lstm_layer_grad, run_lstm);

}  // namespace

}  // namespace dyad::kernels
