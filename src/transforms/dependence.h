#pragma once

#include <vector>

#include "ir/graph.h"

namespace dyad::transforms {

/// Whether a call of the function may lead to another one.
bool calls_itself(const ir::Function& function);
/// Whether a write in place inside the function may reach this parameter.
bool writes_to(const ir::Function& function, size_t param);
/// The results that a gradient leads from to the parameters of `by`: those of floating point, or all of them.
enum class Varying : uint8_t { kFloats, kAll };
std::vector<bool> varying_results(const ir::Function& function, const std::vector<bool>& by,
                                  Varying which = Varying::kFloats);

}  // namespace dyad::transforms
