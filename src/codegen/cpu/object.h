#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/loops/loop.h"

namespace dyad::codegen {

/// Machine code of one loop, ready to run. Loading it needs no LLVM, so that a program whose loops are in the
/// store never loads the compiler.
class LoadedCode {
 public:
  LoadedCode(void* memory, size_t bytes, LoopFunction entry)
      : memory_(memory), bytes_(bytes), entry_(entry) {}
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();
  LoopFunction entry() const { return entry_; }

 private:
  void* memory_;
  size_t bytes_;
  LoopFunction entry_;
};

/// Brings a relocatable ELF object for x86-64 into memory and binds it to the process: its own sections, and
/// functions of the C library that it calls. Null if it needs what the loader does not know or the process
/// does not have.
std::unique_ptr<LoadedCode> load_object(std::string_view object, std::string_view entry);

}  // namespace dyad::codegen
