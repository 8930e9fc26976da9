// Tensors joined along an axis, or written into a part of a larger one.

#include "kernels/cpu/embed_places.h"
#include "kernels/cuda/copy.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

size_t joined_axis(const KernelCall& call) {
  return static_cast<size_t>(normalize_axis(call.op(), call.integer(1), call.out().rank()));
}

void run_concat(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const size_t axis = joined_axis(call);
  int64_t offset = 0;
  for (const Value& operand : call.values(0)) {
    Window place(out, operand->shape, out.strides, offset);
    copy_on_device(*operand, place);
    offset += operand->shape[axis].value() * out.strides[axis];
  }
}

void run_stack(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const size_t axis = joined_axis(call);
  Strides strides = out.strides;
  strides.erase(axis);
  int64_t offset = 0;
  for (const Value& operand : call.values(0)) {
    Window place(out, operand->shape, strides, offset);
    copy_on_device(*operand, place);
    offset += out.strides[axis];
  }
}

void run_embed_slice(const KernelCall& call) {
  fill_on_device(call.out(), 0);
  if (call.in(0).size() == 0) return;  // where nothing begins may be any number
  Window place = slice_place(call);
  copy_on_device(call.in(0), place);
}

void run_embed_diagonal(const KernelCall& call) {
  fill_on_device(call.out(), 0);
  if (call.in(0).size() == 0) return;
  Window place = diagonal_place(call);
  copy_on_device(call.in(0), place);
}

void run_pad_constant(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  fill_on_device(call.out(), call.number(3));
  const PaddedPlaces places(call);
  if (numel(places.shape) == 0) return;
  Window target(call.out(), places.shape, call.out().strides, places.to);
  copy_on_device(Window(input, places.shape, input.strides, places.from), target);
}

}  // namespace

DYAD_CUDA_KERNEL(concat, run_concat);
DYAD_CUDA_KERNEL(stack, run_stack);
DYAD_CUDA_KERNEL(embed_slice, run_embed_slice);
DYAD_CUDA_KERNEL(embed_diagonal, run_embed_diagonal);
DYAD_CUDA_KERNEL(pad_constant, run_pad_constant);

}  // namespace dyad::kernels
