// Recurrent layers: the input's share of all gates is one matrix product, then each step is a small product
// with the state and one pass over the gates.

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/prepared.h"
#include "kernels/cpu/recurrent_table.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

// Gate elements that are worth another core.
constexpr int64_t kGrain = 1 << 12;
// From this many sequences on, rows of the transposed weights are read faster than columns of the given ones.
constexpr int64_t kManySequences = 5;

template <class T>
const RecurrentLoops<T>& loops() {
  static const RecurrentTable& best = best_instruction_set() == 2   ? avx512::recurrent_table
                                      : best_instruction_set() == 1 ? avx2::recurrent_table
                                                                    : baseline::recurrent_table;
  if constexpr (std::is_same_v<T, float>) {
    return best.float32;
  } else {
    return best.float64;
  }
}

/// The arguments of a layer in the dtype it is computed in; `first` is the place of weight_ih.
struct Layer {
  Layer(const KernelCall& call, size_t first)
      : dtype(compute_dtype(call.out().dtype)),
        input(call.in(0), dtype),
        weight_ih(call.in(first), dtype, Prepared::kAnyStrides),
        weight_hh(call.in(first + 1), dtype, Prepared::kAnyStrides),
        reverse(call.flag(first + 5)) {
    if (call.has(first + 2)) bias_ih.emplace(call.in(first + 2), dtype);
    if (call.has(first + 3)) bias_hh.emplace(call.in(first + 3), dtype);
    if (call.has(first + 4)) lengths.emplace(call.in(first + 4), DType::kInt64);
    steps = sizes(input->shape)[0];
    batch = sizes(input->shape)[1];
    gates = sizes(weight_hh->shape)[0];
    width = sizes(weight_hh->shape)[1];
    if (batch >= kManySequences && steps > 1) {
      const Borrowed turned(weight_hh->data, dtype, {width, gates},
                            {weight_hh->strides[1], weight_hh->strides[0]});
      rows_hh.emplace(turned);
    }
  }

  DType dtype;
  Prepared input;
  Prepared weight_ih;
  Prepared weight_hh;
  std::optional<Contiguous> rows_hh;  ///< weight_hh transposed
  std::optional<Prepared> bias_ih;
  std::optional<Prepared> bias_hh;
  std::optional<Prepared> lengths;
  bool reverse;
  int64_t steps;
  int64_t batch;
  int64_t gates;  ///< elements of all gates
  int64_t width;  ///< elements of the state

  bool running(int64_t sequence, int64_t step) const {
    return !lengths || step < (*lengths)->as<const int64_t>()[sequence];
  }
  void project_input(void* to) const {
    MatrixProducts product{};
    product.dtype = dtype;
    product.m = steps * batch;
    product.n = gates;
    product.k = sizes(input->shape)[2];
    product.a = {input->data, product.k, 1};
    product.b = {weight_ih->data, weight_ih->strides[1], weight_ih->strides[0]};
    product.c = to;
    product.bias = bias_ih ? (*bias_ih)->data : nullptr;
    multiply_matrices(product);
  }
  void project_state(const void* hidden, void* to) const {
    MatrixProducts product{};
    product.dtype = dtype;
    product.m = batch;
    product.n = gates;
    product.k = width;
    product.a = {hidden, width, 1};
    product.b = rows_hh ? MatrixView{rows_hh->as<void>(), gates, 1}
                        : MatrixView{weight_hh->data, weight_hh->strides[1], weight_hh->strides[0]};
    product.c = to;
    product.bias = bias_hh ? (*bias_hh)->data : nullptr;
    multiply_matrices(product);
  }
};

/// Runs all steps: `advance(from_input, from_state, sequence)` takes one sequence one step further in
/// `hidden`, which is (batch, width) and starts as the initial state.
template <class T, class Advance>
void run_steps(const Layer& layer, T* hidden, T* output, const Advance& advance) {
  Workspace projected(static_cast<size_t>(layer.steps * layer.batch * layer.gates) * sizeof(T) + 1);
  Workspace shares(static_cast<size_t>(layer.batch * layer.gates) * sizeof(T) + 1);
  const T* from_input = projected.as<T>();
  const T* from_state = shares.as<T>();
  layer.project_input(projected.as<T>());
  for (int64_t i = 0; i < layer.steps; ++i) {
    const int64_t step = layer.reverse ? layer.steps - 1 - i : i;
    layer.project_state(hidden, shares.as<T>());
    parallel_for(layer.batch, 1 + kGrain / std::max<int64_t>(layer.gates, 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t sequence = begin; sequence < end; ++sequence) {
                     const int64_t row = step * layer.batch + sequence;
                     T* shown = output + row * layer.width;
                     if (!layer.running(sequence, step)) {
                       std::fill_n(shown, layer.width, T(0));
                       continue;
                     }
                     advance(from_input + row * layer.gates, from_state + sequence * layer.gates, sequence);
                     std::copy_n(hidden + sequence * layer.width, layer.width, shown);
                   }
                 });
  }
}

/// A result that starts as a copy of an argument and is changed in place.
template <class T>
T* start_from(Computed& result, const ValueImpl& initial, DType dtype) {
  const Prepared prepared(initial, dtype);
  std::copy_n(prepared->as<const T>(), prepared->size(), result.as<T>());
  return result.as<T>();
}

/// (input, hidden, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse, …) -> (output, hidden)
template <class Choose>
void run_single_state(const KernelCall& call, const Choose& choose) {
  const Layer layer(call, 2);
  Computed output(call.out(0), layer.dtype);
  Computed hidden(call.out(1), layer.dtype);
  with_float(layer.dtype, [&]<class T>(T) {
    T* state = start_from<T>(hidden, call.in(1), layer.dtype);
    const auto loop = choose(loops<T>());
    run_steps(layer, state, output.as<T>(), [&](const T* from_input, const T* from_state, int64_t sequence) {
      loop(from_input, from_state, layer.width, state + sequence * layer.width);
    });
  });
  output.store();
  hidden.store();
}

void run_rnn(const KernelCall& call) {
  const bool rectified = call.text(8) == "relu";
  run_single_state(call, [&](const auto& table) { return rectified ? table.rnn_relu : table.rnn_tanh; });
}

void run_gru(const KernelCall& call) {
  run_single_state(call, [](const auto& table) { return table.gru; });
}

/// (input, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse) -> (output, hidden, cell)
void run_lstm(const KernelCall& call) {
  const Layer layer(call, 3);
  Computed output(call.out(0), layer.dtype);
  Computed hidden(call.out(1), layer.dtype);
  Computed cell(call.out(2), layer.dtype);
  with_float(layer.dtype, [&]<class T>(T) {
    T* state = start_from<T>(hidden, call.in(1), layer.dtype);
    T* memory = start_from<T>(cell, call.in(2), layer.dtype);
    run_steps(layer, state, output.as<T>(), [&](const T* from_input, const T* from_state, int64_t sequence) {
      const int64_t place = sequence * layer.width;
      loops<T>().lstm(from_input, from_state, layer.width, state + place, memory + place);
    });
  });
  output.store();
  hidden.store();
  cell.store();
}

DYAD_CPU_KERNEL(rnn_layer, run_rnn);
DYAD_CPU_KERNEL(gru_layer, run_gru);
DYAD_CPU_KERNEL(lstm_layer, run_lstm);

}  // namespace

}  // namespace dyad::kernels
