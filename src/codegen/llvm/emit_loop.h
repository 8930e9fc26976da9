#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "codegen/loops/loop.h"

namespace dyad::codegen {

/// How code for a kind of machine is written.
struct Target {
  unsigned vector_bytes;
  bool masks;  ///< loads and stores can leave out elements, so that the end of a row needs no loop of its own
};

/// Writes a loop as a module with one function, `kLoopSymbol`. The definitions are inlined as vectors where
/// their form allows it, else called; `linked` then says that they must be linked in.
std::unique_ptr<llvm::Module> emit_loop(const Loop& loop, const Target& target, llvm::Module& definitions,
                                        bool& linked);

/// The scalar definitions (bitcode/definitions.cpp) as a module whose functions are read when they are asked
/// for. Machines with fused multiply-add have definitions that use it, as their eager kernels do.
std::unique_ptr<llvm::Module> load_definitions(llvm::LLVMContext& context, bool fused_multiply_add);

}  // namespace dyad::codegen
