#pragma once

#include <memory>
#include <string_view>

#include <llvm/IR/Module.h>

namespace dyad::codegen {

/// The scalar definitions (bitcode/definitions.cpp) as a module whose functions are read when they are asked
/// for. Machines with fused multiply-add have definitions that use it, as their eager kernels do.
std::unique_ptr<llvm::Module> load_definitions(llvm::LLVMContext& context, bool fused_multiply_add);

}  // namespace dyad::codegen
