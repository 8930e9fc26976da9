#include "codegen/loops/kernel.h"

namespace dyad::codegen {

bool available() { return false; }

std::vector<Ref<Kernel>> generate(std::span<const Request> requests) {
  return std::vector<Ref<Kernel>>(requests.size());
}

}  // namespace dyad::codegen
