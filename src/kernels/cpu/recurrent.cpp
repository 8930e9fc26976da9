// Recurrent layers: the input's share of all gates is one matrix product, then each step is a small product
// with the state and one pass over the gates.

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/best_table.h"
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
// From this many sequences on, the weights are packed before the first step: columns of them side by side, so
// that each step reads memory in order.
constexpr int64_t kManySequences = 5;
constexpr int64_t kPanel = 128;

template <class T>
const RecurrentLoops<T>& loops() {
  static const RecurrentTable& best =
      best_table(baseline::recurrent_table, avx2::recurrent_table, avx512::recurrent_table);
  return loops_in<T>(best);
}

/// The arguments of a layer in the dtype it is computed in; `first` is the place of weight_ih.
struct Layer {
  Layer(const KernelCall& call, size_t first)
      : dtype(compute_dtype(call.out().dtype)),
        input(call.in(0), dtype),
        weight_ih(call.in(first), dtype, Prepared::kAnyStrides),
        weight_hh(call.in(first + 1), dtype, Prepared::kAnyStrides),
        reverse(call.flag(first + 5)),
        steps(sizes(input->shape)[0]),
        batch(sizes(input->shape)[1]),
        gates(sizes(weight_hh->shape)[0]),
        width(sizes(weight_hh->shape)[1]) {
    if (call.has(first + 2)) bias_ih.emplace(call.in(first + 2), dtype);
    if (call.has(first + 3)) bias_hh.emplace(call.in(first + 3), dtype);
    if (call.has(first + 4)) lengths.emplace(call.in(first + 4), DType::kInt64);
    if (batch >= kManySequences && steps > 1 && width > 0) pack_weights();
  }

  DType dtype;
  Prepared input;
  Prepared weight_ih;
  Prepared weight_hh;
  bool reverse;
  int64_t steps;
  int64_t batch;
  int64_t gates;  ///< elements of all gates
  int64_t width;  ///< elements of the state
  std::optional<Prepared> bias_ih;
  std::optional<Prepared> bias_hh;
  std::optional<Prepared> lengths;
  int64_t panel = 0;                 ///< columns of each packed panel; 0 where nothing is packed
  std::optional<Contiguous> panels;  ///< weight_hh transposed, of shape (gates / panel, width, panel)

  bool running(int64_t sequence, int64_t step) const {
    return !lengths || step < (*lengths)->as<const int64_t>()[sequence];
  }

  void pack_weights() {
    panel = width % kPanel == 0 ? kPanel : width;
    const int64_t across = weight_hh->strides[0];
    const Borrowed turned(weight_hh->data, dtype, {gates / panel, width, panel},
                          {panel * across, weight_hh->strides[1], across});
    panels.emplace(turned);
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

  /// The state's share of the gates without the bias: (batch, gates), or (gates / panel, batch, panel).
  void project_state(const void* hidden, void* to) const {
    MatrixProducts product{};
    product.dtype = dtype;
    product.m = batch;
    product.n = panel ? panel : gates;
    product.k = width;
    product.a = {hidden, width, 1};
    product.c = to;
    if (panel) {
      product.b = {panels->as<void>(), panel, 1};
      product.batch = {gates / panel};
      product.a_batch = {0};
      product.b_batch = {width * panel};
    } else {
      product.b = {weight_hh->data, weight_hh->strides[1], weight_hh->strides[0]};
    }
    multiply_matrices(product);
  }

  /// Elements per gate that lie together in the state's share, and where they start for element `first` of a
  /// sequence.
  int64_t together() const { return panel ? panel : width; }
  int64_t state_place(int64_t sequence, int64_t first) const {
    return panel ? first * batch + sequence * panel : sequence * gates + first;
  }
  int64_t state_step() const { return panel ? width * batch : width; }
};

/// Memory of the kernel for one step after the other.
template <class T>
class Shares {
 public:
  explicit Shares(const Layer& layer)
      : layer_(layer),
        input_(static_cast<size_t>(layer.steps * layer.batch * layer.gates) * sizeof(T) + 1),
        state_(static_cast<size_t>(layer.batch * layer.gates) * sizeof(T) + 1),
        bias_(static_cast<size_t>(layer.gates) * sizeof(T) + 1) {
    layer.project_input(input_.as<T>());
    if (layer.bias_hh) {
      std::copy_n((*layer.bias_hh)->as<const T>(), layer.gates, bias_.as<T>());
    } else {
      std::fill_n(bias_.as<T>(), layer.gates, T(0));
    }
  }
  void project(const T* hidden) { layer_.project_state(hidden, state_.as<T>()); }
  GateShares<T> at(int64_t step, int64_t sequence, int64_t first) const {
    return {input_.as<T>() + (step * layer_.batch + sequence) * layer_.gates + first,
            state_.as<T>() + layer_.state_place(sequence, first), bias_.as<T>() + first, layer_.width,
            layer_.state_step()};
  }

 private:
  const Layer& layer_;
  Workspace input_;
  Workspace state_;
  Workspace bias_;
};

/// Runs all steps: `advance(gates, count, place)` takes `count` elements of the state from `place` on one
/// step further. `hidden` is (batch, width) and starts as the initial state.
template <class T, class Advance>
void run_steps(const Layer& layer, T* hidden, T* output, const Advance& advance) {
  Shares<T> shares(layer);
  const int64_t count = layer.together();
  for (int64_t i = 0; i < layer.steps; ++i) {
    const int64_t step = layer.reverse ? layer.steps - 1 - i : i;
    shares.project(hidden);
    parallel_for(layer.batch, 1 + kGrain / std::max<int64_t>(layer.gates, 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t sequence = begin; sequence < end; ++sequence) {
                     T* shown = output + (step * layer.batch + sequence) * layer.width;
                     if (!layer.running(sequence, step)) {
                       std::fill_n(shown, layer.width, T(0));
                       continue;
                     }
                     const int64_t place = sequence * layer.width;
                     for (int64_t first = 0; first < layer.width; first += count) {
                       advance(shares.at(step, sequence, first), count, place + first);
                     }
                     std::copy_n(hidden + place, layer.width, shown);
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
    run_steps(layer, state, output.as<T>(), [&](const GateShares<T>& gates, int64_t count, int64_t place) {
      loop(gates, count, state + place);
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
    run_steps(layer, state, output.as<T>(), [&](const GateShares<T>& gates, int64_t count, int64_t place) {
      loops<T>().lstm(gates, count, state + place, memory + place);
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
