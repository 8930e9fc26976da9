#include "kernels/cuda/library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "base/error.h"
#include "runtime/cuda/driver.h"

namespace dyad::cuda {

namespace {

/// Without the version for CUDA 13 where the driver is older.
std::string_view known_to_driver(std::string_view versions) {
  constexpr int kCuda13 = 13000;
  int version = 0;
  const size_t second = versions.find(' ');
  const bool older = driver().driver_version(&version) == kSuccess && version < kCuda13;
  return older && second != versions.npos ? versions.substr(second + 1) : versions;
}

}  // namespace

void* open_library_for(std::string_view name, std::string_view versions, std::string& missing) {
  void* library = nullptr;
  if (const char* folder = std::getenv("DYAD_CUDA_LIBRARIES")) {
    const std::string path = cat(folder, "/", name, ".so");
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) missing = cat(path, " was not found");
  } else {
    versions = known_to_driver(versions);
    library = open_library(name, versions);
    if (!library) missing = cat(name, ".so was not found (versions ", versions, ")");
  }
  return library;
}

void* find_symbol(void* library, const char* symbol, std::string& missing) {
  if (!library) return nullptr;
  void* found = dlsym(library, symbol);
  if (!found) missing = cat("the library that was found has no ", symbol);
  return found;
}

void refuse_status(std::string_view library, std::string_view action, int status, std::string_view text) {
  runtime_error("GPU: ", library, ": ", action, " failed with status ", status, text.empty() ? "" : ": ",
                text);
}

}  // namespace dyad::cuda
