#include "runtime/cuda/launch.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "runtime/cuda/embedded.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

/// Blocks that keep the largest devices busy several times over.
constexpr int64_t kMostBlocks = 132 * 16;
constexpr int kDynamicSharedMemory = 8;  ///< the attribute of a function
constexpr unsigned kOrdinarySharedBytes = 48 << 10;

struct Text {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// Kernels that were loaded, on one device.
class LoadedFunctions {
 public:
  FunctionHandle find(std::string_view name) {
    {
      const std::shared_lock reading(lock_);
      if (auto at = functions_.find(name); at != functions_.end()) return at->second;
    }
    const std::unique_lock writing(lock_);
    if (auto at = functions_.find(name); at != functions_.end()) return at->second;
    return functions_.emplace(std::string(name), load(std::string(name))).first->second;
  }

 private:
  static FunctionHandle load(const std::string& name) {
    const std::optional<std::string> code = device_code(name);
    if (!code) raise(ErrorKind::kInternal, cat("internal error: there is no device code for ", name));
    ModuleHandle module = nullptr;
    check(driver().load_module(&module, code->c_str()), cat("loading the kernel ", name));
    FunctionHandle function = nullptr;
    check(driver().get_function(&function, module, name.c_str()), cat("finding the kernel ", name));
    return function;
  }

  std::shared_mutex lock_;
  std::unordered_map<std::string, FunctionHandle, Text, std::equal_to<>> functions_;
};

LoadedFunctions& loaded(int device) {
  static std::array<LoadedFunctions, 64> tables;
  return tables[static_cast<size_t>(device)];
}

}  // namespace

FunctionHandle find_function(int device, std::string_view name) {
  use_device(device);
  return loaded(device).find(name);
}

void launch_raw(int device, std::string_view name, const Grid& grid, const void* parameters) {
  FunctionHandle function = find_function(device, name);
  if (grid.shared_bytes > kOrdinarySharedBytes) {
    check(
        driver().set_function_attribute(function, kDynamicSharedMemory, static_cast<int>(grid.shared_bytes)),
        cat("asking for the shared memory of ", name));
  }
  void* list[] = {const_cast<void*>(parameters)};
  check(driver().launch(function, grid.x, grid.y, grid.z, grid.threads, 1, 1, grid.shared_bytes,
                        current_stream(device), list, nullptr),
        name);
}

Grid cover(int64_t count, int64_t each, unsigned threads) {
  const int64_t per_block = each * threads;
  Grid grid;
  grid.x = static_cast<unsigned>(std::clamp<int64_t>((count + per_block - 1) / per_block, 1, kMostBlocks));
  grid.threads = threads;
  return grid;
}

}  // namespace dyad::cuda
