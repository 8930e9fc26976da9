#pragma once

#include "ops/layout.h"

namespace dyad::layout {

// Convolutions with channels innermost, their filters packed by an operator of their own, so that the program
// that runs the graph can keep the result. Small ones and those that nothing of this layout surrounds stay as
// they are.
bool convolution(LayoutCall& call);
bool convolution_input_gradient(LayoutCall& call);
bool convolution_weight_gradient(LayoutCall& call);

}  // namespace dyad::layout
