#pragma once

#include "ops/layout.h"
#include "ops/op.h"

namespace dyad::batch {

/// Images of every slice (slices, images, channels, …) with the slices as groups of channels; and back.
Value as_channels(const Value& whole);
Value from_channels(const BatchCall& call, const Value& images);

/// (input, weight, bias, stride, padding, dilation, groups)
void convolution(const BatchCall& call, ValueList& results);
/// (gradient, weight, sizes, stride, padding, dilation, groups)
void convolution_input_gradient(const BatchCall& call, ValueList& results);
/// (gradient, input, kernel, stride, padding, dilation, groups)
void convolution_weight_gradient(const BatchCall& call, ValueList& results);

}  // namespace dyad::batch

namespace dyad::layout {

// Convolutions with channels innermost, their filters packed by an operator of their own, so that the program
// that runs the graph can keep the result. Small ones and those without neighbors of this layout stay as they
// are.
bool convolution(LayoutCall& call);
bool convolution_input_gradient(LayoutCall& call);
bool convolution_weight_gradient(LayoutCall& call);

}  // namespace dyad::layout
