// Results that are mostly zeros or one number, with a tensor written into a part of them.

#include "kernels/cpu/convert.h"
#include "kernels/cpu/embed_places.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/window.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

void run_embed_slice(const KernelCall& call) {
  fill(call.out(), 0);
  if (call.in(0).size() == 0) return;  // where nothing begins may be any number
  Window place = slice_place(call);
  copy(call.in(0), place);
}

void run_embed_diagonal(const KernelCall& call) {
  fill(call.out(), 0);
  if (call.in(0).size() == 0) return;
  Window place = diagonal_place(call);
  copy(call.in(0), place);
}

void run_pad_constant(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  fill(call.out(), call.number(3));
  const PaddedPlaces places(call);
  if (numel(places.shape) == 0) return;
  Window target(call.out(), places.shape, call.out().strides, places.to);
  copy(Window(input, places.shape, input.strides, places.from), target);
}

}  // namespace

DYAD_CPU_KERNEL(embed_slice, run_embed_slice);
DYAD_CPU_KERNEL(embed_diagonal, run_embed_diagonal);
DYAD_CPU_KERNEL(pad_constant, run_pad_constant);

}  // namespace dyad::kernels
