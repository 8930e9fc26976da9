// Recurrent layers: the input's share of all gates is one matrix product, then each step is a small product
// with the state and one pass over the gates. The library's own layers are not used: they want weights in an
// order of their own, and their gradients memory that the forward pass leaves behind.

#include <optional>

#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/recurrent.h"
#include "kernels/cuda/products.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

/// The arguments of a layer in the dtype it is computed in; `first` is the place of weight_ih.
struct Layer {
  Layer(const KernelCall& call, size_t first)
      : device(call.out().device),
        dtype(compute_dtype(call.out().dtype)),
        input(call.value(0), dtype),
        weight_ih(call.value(first), dtype, Operand::kAnyStrides),
        weight_hh(call.value(first + 1), dtype, Operand::kAnyStrides),
        reverse(call.flag(first + 5)),
        steps(sizes(input->shape)[0]),
        batch(sizes(input->shape)[1]),
        gates(sizes(weight_hh->shape)[0]),
        width(sizes(weight_hh->shape)[1]) {
    if (call.has(first + 2)) bias_ih.emplace(call.value(first + 2), dtype);
    if (call.has(first + 3)) bias_hh.emplace(call.value(first + 3), dtype);
    if (call.has(first + 4)) lengths.emplace(call.value(first + 4), DType::kInt64);
  }

  Device device;
  DType dtype;
  Operand input;
  Operand weight_ih;
  Operand weight_hh;
  bool reverse;
  int64_t steps;
  int64_t batch;
  int64_t gates;  ///< elements of all gates
  int64_t width;  ///< elements of the state
  std::optional<Operand> bias_ih;
  std::optional<Operand> bias_hh;
  std::optional<Operand> lengths;

  void project(const void* from, int64_t rows, int64_t depth, const Operand& weight, const void* bias,
               void* to) const {
    MatrixProducts product{};
    product.device = device;
    product.dtype = dtype;
    product.m = rows;
    product.n = gates;
    product.k = depth;
    product.a = {from, depth, 1};
    product.b = {weight->data, weight->strides[1], weight->strides[0]};
    product.c = to;
    product.c_stride = gates;
    product.bias = bias;
    multiply_matrices(product);
  }
};

const char* sized(DType dtype, const char* single, const char* wide) {
  return dtype == DType::kFloat64 ? wide : single;
}

/// Runs all steps. `hidden`, and `cell` where there is one, start as the initial state.
void run_steps(const Layer& layer, const char* kernel, char* hidden, char* cell, char* output) {
  if (layer.batch * layer.width == 0) return;
  const int device = layer.device.index;
  const int64_t bytes = itemsize(layer.dtype);
  const int64_t rows = layer.steps * layer.batch;
  const DeviceWorkspace input(device, static_cast<size_t>(rows * layer.gates * bytes));
  const DeviceWorkspace state(device, static_cast<size_t>(layer.batch * layer.gates * bytes));
  layer.project(layer.input->data, rows, sizes(layer.input->shape)[2], layer.weight_ih,
                layer.bias_ih ? (*layer.bias_ih)->data : nullptr, input.as<void>());
  for (int64_t i = 0; i < layer.steps; ++i) {
    const int64_t step = layer.reverse ? layer.steps - 1 - i : i;
    layer.project(hidden, layer.batch, layer.width, layer.weight_hh, nullptr, state.as<void>());
    const RecurrentParams params{input.as<char>() + step * layer.batch * layer.gates * bytes,
                                 state.as<void>(),
                                 layer.bias_hh ? (*layer.bias_hh)->data : nullptr,
                                 hidden,
                                 cell,
                                 output + step * layer.batch * layer.width * bytes,
                                 layer.lengths ? (*layer.lengths)->as<int64_t>() : nullptr,
                                 step,
                                 layer.batch,
                                 layer.width};
    launch(device, kernel, cover(layer.batch * layer.width), params);
  }
}

/// (input, hidden, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse, …) -> (output, hidden)
void run_single_state(const KernelCall& call, const char* single, const char* wide) {
  const Layer layer(call, 2);
  const ComputedResult output(call.out(0), layer.dtype);
  const ComputedResult hidden(call.out(1), layer.dtype);
  convert_elements(call.value(1), hidden.value());
  run_steps(layer, sized(layer.dtype, single, wide), hidden.data(), nullptr, output.data());
  output.store();
  hidden.store();
}

void run_rnn(const KernelCall& call) {
  if (call.text(8) == "relu") return run_single_state(call, "rnn_relu_float32", "rnn_relu_float64");
  run_single_state(call, "rnn_tanh_float32", "rnn_tanh_float64");
}

void run_gru(const KernelCall& call) { run_single_state(call, "gru_float32", "gru_float64"); }

/// (input, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse) -> (output, hidden, cell)
void run_lstm(const KernelCall& call) {
  const Layer layer(call, 3);
  const ComputedResult output(call.out(0), layer.dtype);
  const ComputedResult hidden(call.out(1), layer.dtype);
  const ComputedResult cell(call.out(2), layer.dtype);
  convert_elements(call.value(1), hidden.value());
  convert_elements(call.value(2), cell.value());
  run_steps(layer, sized(layer.dtype, "lstm_float32", "lstm_float64"), hidden.data(), cell.data(),
            output.data());
  output.store();
  hidden.store();
  cell.store();
}

/// The sizes of a layer and what its gradient needs; `weight` is the place of weight_hh among the arguments,
/// with lengths, direction and the gradients of output and state behind it.
struct Steps {
  Steps(const KernelCall& call, size_t weight)
      : device(call.out().device),
        dtype(compute_dtype(call.out().dtype)),
        matrix(call.value(weight), dtype, Operand::kAnyStrides),
        output(call.value(weight + 3), dtype),
        reverse(call.flag(weight + 2)),
        count(sizes(call.in(0).shape)[0]),
        batch(sizes(call.in(0).shape)[1]),
        gates(sizes(call.in(0).shape)[2]),
        width(sizes(call.in(weight).shape)[1]) {
    if (call.has(weight + 1)) lengths.emplace(call.value(weight + 1), DType::kInt64);
  }

  Device device;
  DType dtype;
  Operand matrix;
  Operand output;  ///< its gradient
  bool reverse;
  int64_t count;
  int64_t batch;
  int64_t gates;
  int64_t width;
  std::optional<Operand> lengths;

  const int64_t* length_data() const { return lengths ? (*lengths)->as<int64_t>() : nullptr; }

  /// From the last step to the first. `all` has the places of the whole sequence; what reaches the state by
  /// way of its gates is added to `hidden` after each.
  void run_back(const char* kernel, const RecurrentGradientParams& all) const {
    if (batch * width == 0) return;
    const int64_t bytes = itemsize(dtype);
    const auto at = [&](auto* data, int64_t step, int64_t row) {
      return data ? static_cast<char*>(const_cast<void*>(static_cast<const void*>(data))) +
                        step * batch * row * bytes
                  : nullptr;
    };
    for (int64_t i = count; i-- > 0;) {
      const int64_t step = reverse ? count - 1 - i : i;
      RecurrentGradientParams params = all;
      params.gates = at(all.gates, step, gates);
      params.state_gates = at(all.state_gates, step, gates);
      params.before = at(all.before, step, width);
      params.output = at(all.output, step, width);
      params.gate_gradient = at(all.gate_gradient, step, gates);
      params.state_gradient = at(all.state_gradient, step, gates);
      params.step = step;
      launch(device.index, kernel, cover(batch * width), params);
      pass(params.state_gradient ? params.state_gradient : params.gate_gradient, all.hidden);
    }
  }

 private:
  void pass(const void* gate_gradient, void* hidden) const {
    MatrixProducts product{};
    product.device = device;
    product.dtype = dtype;
    product.m = batch;
    product.n = width;
    product.k = gates;
    product.a = {gate_gradient, gates, 1};
    product.b = {matrix->data, matrix->strides[0], matrix->strides[1]};
    product.c = hidden;
    product.c_stride = width;
    product.accumulate = true;
    multiply_matrices(product);
  }
};

/// (gates, weight_hh, lengths, reverse, output_gradient, hidden_gradient, nonlinearity) -> (gates, hidden)
void run_rnn_gradient(const KernelCall& call) {
  const Steps steps(call, 1);
  const Operand gates(call.value(0), steps.dtype);
  const ComputedResult gate_gradient(call.out(0), steps.dtype);
  const ComputedResult hidden(call.out(1), steps.dtype);
  convert_elements(call.value(5), hidden.value());
  const char* kernel = call.text(6) == "relu"
                           ? sized(steps.dtype, "rnn_relu_gradient_float32", "rnn_relu_gradient_float64")
                           : sized(steps.dtype, "rnn_tanh_gradient_float32", "rnn_tanh_gradient_float64");
  steps.run_back(kernel, {gates->data, nullptr, nullptr, steps.output->data, hidden.data(), nullptr,
                          gate_gradient.data(), nullptr, steps.length_data(), 0, steps.batch, steps.width});
  gate_gradient.store();
  hidden.store();
}

/// (input_gates, state_gates, before, weight_hh, lengths, reverse, output_gradient, hidden_gradient)
/// -> (input_gates, state_gates, hidden)
void run_gru_gradient(const KernelCall& call) {
  const Steps steps(call, 3);
  const Operand from_input(call.value(0), steps.dtype);
  const Operand from_state(call.value(1), steps.dtype);
  const Operand before(call.value(2), steps.dtype);
  const ComputedResult input_gradient(call.out(0), steps.dtype);
  const ComputedResult state_gradient(call.out(1), steps.dtype);
  const ComputedResult hidden(call.out(2), steps.dtype);
  convert_elements(call.value(7), hidden.value());
  steps.run_back(
      sized(steps.dtype, "gru_gradient_float32", "gru_gradient_float64"),
      {from_input->data, from_state->data, before->data, steps.output->data, hidden.data(), nullptr,
       input_gradient.data(), state_gradient.data(), steps.length_data(), 0, steps.batch, steps.width});
  input_gradient.store();
  state_gradient.store();
  hidden.store();
}

/// (gates, cell, weight_hh, lengths, reverse, output_gradient, hidden_gradient, cell_gradient)
/// -> (gates, hidden, cell)
void run_lstm_gradient(const KernelCall& call) {
  const Steps steps(call, 2);
  const Operand gates(call.value(0), steps.dtype);
  const Operand first(call.value(1), steps.dtype);
  const DeviceScratch before(steps.device, steps.dtype, {steps.count, steps.batch, steps.width});
  const ComputedResult gate_gradient(call.out(0), steps.dtype);
  const ComputedResult hidden(call.out(1), steps.dtype);
  const ComputedResult cell(call.out(2), steps.dtype);
  convert_elements(call.value(6), hidden.value());
  convert_elements(call.value(7), cell.value());
  if (before.size() > 0) {
    const LstmCellsParams cells{gates->data, first->data, before.data, steps.length_data(),
                                steps.count, steps.batch, steps.width, steps.reverse};
    launch(steps.device.index, sized(steps.dtype, "lstm_cells_float32", "lstm_cells_float64"),
           cover(steps.batch * steps.width), cells);
  }
  steps.run_back(sized(steps.dtype, "lstm_gradient_float32", "lstm_gradient_float64"),
                 {gates->data, nullptr, before.data, steps.output->data, hidden.data(), cell.data(),
                  gate_gradient.data(), nullptr, steps.length_data(), 0, steps.batch, steps.width});
  gate_gradient.store();
  hidden.store();
  cell.store();
}

DYAD_CUDA_KERNEL(rnn_layer, run_rnn);
DYAD_CUDA_KERNEL(gru_layer, run_gru);
DYAD_CUDA_KERNEL(lstm_layer, run_lstm);
DYAD_CUDA_KERNEL(rnn_layer_grad, run_rnn_gradient);
DYAD_CUDA_KERNEL(gru_layer_grad, run_gru_gradient);
DYAD_CUDA_KERNEL(lstm_layer_grad, run_lstm_gradient);

}  // namespace

}  // namespace dyad::cuda
