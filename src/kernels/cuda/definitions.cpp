// The kernels of elementwise operators, one for each scalar definition: their entries say what there is.

#include "kernels/cuda/elementwise.h"
#include "kernels/scalar/dtype_mask.h"

#define DYAD_ISA launched
#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost) \
  static const bool name##_added =                         \
      add({#name, operands, LoopKind::kind, cost, dtype_mask(static_cast<types*>(nullptr)), false});

namespace dyad::kernels {

namespace {

/// Lives as long as the library, which finds it by name.
bool add(const Definition& definition) {
  const auto* kept = new DeviceDefinition(definition);
  KernelRegistry::instance().add(definition.name, DeviceKind::kCuda, run_elementwise_on_device, kept);
  return true;
}

}  // namespace

}  // namespace dyad::kernels

#include "kernels/scalar/all.h"
#include "kernels/scalar/complex.h"
