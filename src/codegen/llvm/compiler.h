#pragma once

#include <string>

#include "codegen/loops/loop.h"

namespace dyad::codegen {

/// What libdyad_llvm gives to libdyad, which loads it when there is something to compile.
struct CompilerLibrary {
  /// Compiles a loop to an object file with one function, `kLoopSymbol`. `instruction_set` is that of the
  /// eager kernels: 0 baseline, 1 AVX2, 2 AVX-512. False if it cannot be done; `object` then says why. May be
  /// called by several threads at once.
  bool (*compile)(const Loop& loop, int instruction_set, std::string& object);
  /// The same as text: LLVM's IR, as it is handed to the code generator, and assembly.
  void (*list)(const Loop& loop, int instruction_set, std::string& llvm, std::string& assembly);
};

inline constexpr char kLoopSymbol[] = "dyad_loop";
inline constexpr char kCompilerEntry[] = "dyad_compiler_library";

}  // namespace dyad::codegen

extern "C" __attribute__((visibility("default"))) const dyad::codegen::CompilerLibrary*
dyad_compiler_library();
