#pragma once

#include <string>

#include "codegen/llvm/compiler.h"

namespace dyad::codegen {

/// libdyad_llvm, which lies beside libdyad and is loaded when something must be compiled.
namespace compiler_library {

/// Null if it is missing or this is not the machine it makes code for; `reason` says so.
const CompilerLibrary* load();
/// Why there is no code generator; empty if there is one.
const std::string& reason();
/// What tells builds of the library apart, read from its file without loading it: the scalar definitions,
/// the way they are put into loops and LLVM are all in there. Empty if there is no library.
const std::string& identity();

}  // namespace compiler_library
}  // namespace dyad::codegen
