#pragma once

#include <string>
#include <string_view>

namespace dyad::cuda {

/// A library of NVIDIA's that is opened at its first use, with our own declarations of the functions that are
/// called. What holds its functions derives from this.
struct Library {
  /// Why it cannot be used; empty where it can.
  std::string missing;
  bool available() const { return missing.empty(); }
};

/// Opens `name`.so of the first of these versions that is found: that for CUDA 13, where the driver knows it,
/// then that for CUDA 12; a single version is for both. Says in `missing` what was looked for where there is
/// none. `DYAD_CUDA_LIBRARIES` names a folder in which it is looked for instead: the libraries of
/// the emulated device lie in one.
void* open_library_for(std::string_view name, std::string_view versions, std::string& missing);
/// The function of that name; where the library has none, `missing` says so.
void* find_symbol(void* library, const char* symbol, std::string& missing);

/// Raises a RuntimeError that names the library and what it was asked to do.
[[noreturn]] void refuse_status(std::string_view library, std::string_view action, int status,
                                std::string_view text = {});

}  // namespace dyad::cuda

/// For lists of functions `list(entry)` with `entry(symbol, name, parameters)`: members of a structure, and
/// the code that fills them.
#define DYAD_LIBRARY_POINTER(symbol, name, parameters) int(*name) parameters = nullptr;
#define DYAD_LIBRARY_LINK(symbol, name, parameters) \
  api.name = reinterpret_cast<decltype(api.name)>(::dyad::cuda::find_symbol(library, #symbol, api.missing));
