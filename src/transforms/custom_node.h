#pragma once

#include "transforms/items.h"

namespace dyad::transforms {

/// A call of a function with a gradient of its own: `functions[1]` takes the arguments, the results and a
/// gradient for each of these, and gives a gradient for each argument. Both also take what they capture.
struct CustomSignature {
  size_t own;      ///< arguments that are differentiated; captured variables follow
  size_t outputs;  ///< results that gradients arrive for; captured variables that are written follow
};
CustomSignature custom_signature(const ir::Node& node);

/// Makes such a call a step on the tape, if one of its own arguments has a source.
void record_custom(GraphTracer& tracer, const ir::Node& node, const std::vector<Item>& args,
                   const std::vector<Item>& results);

}  // namespace dyad::transforms
