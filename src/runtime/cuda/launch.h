#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "runtime/cuda/driver.h"
#include "types/device.h"

namespace dyad::cuda {

/// How many blocks and threads a kernel is run with.
struct Grid {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  unsigned threads = 256;
  unsigned shared_bytes = 0;  ///< of dynamic shared memory
};

/// A kernel of `kernels/cuda/device`, by its name; it is loaded into the device's context at its first use.
/// An internal error where the build has none.
FunctionHandle find_function(int device, std::string_view name);

/// Runs a kernel on the current stream of the device. `parameters` is the only parameter of the kernel, a
/// structure that is passed by value.
void launch_raw(int device, std::string_view name, const Grid& grid, const void* parameters);

template <class Parameters>
void launch(int device, std::string_view name, const Grid& grid, const Parameters& parameters) {
  static_assert(std::is_trivially_copyable_v<Parameters> && sizeof(Parameters) <= 4096);
  launch_raw(device, name, grid, &parameters);
}

/// Blocks of so many threads that cover `count` elements, `each` per thread, at most so many as keep the
/// device busy: kernels stride over the rest.
Grid cover(int64_t count, int64_t each = 1, unsigned threads = 256);

}  // namespace dyad::cuda
