#include "codegen/llvm/emit_loop.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBuffer.h>

// The files that clang wrote, as they are.
asm(R"(
  .section .rodata
  .balign 16
dyad_definitions_plain:
  .incbin "definitions_plain.bc"
dyad_definitions_plain_end:
  .balign 16
dyad_definitions_fused:
  .incbin "definitions_fused.bc"
dyad_definitions_fused_end:
  .text
)");

extern "C" {
extern const char dyad_definitions_plain[] __attribute__((visibility("hidden")));
extern const char dyad_definitions_plain_end[] __attribute__((visibility("hidden")));
extern const char dyad_definitions_fused[] __attribute__((visibility("hidden")));
extern const char dyad_definitions_fused_end[] __attribute__((visibility("hidden")));
}

namespace dyad::codegen {

std::unique_ptr<llvm::Module> load_definitions(llvm::LLVMContext& context, bool fused_multiply_add) {
  const char* begin = fused_multiply_add ? dyad_definitions_fused : dyad_definitions_plain;
  const char* end = fused_multiply_add ? dyad_definitions_fused_end : dyad_definitions_plain_end;
  const llvm::MemoryBufferRef bytes({begin, static_cast<size_t>(end - begin)}, "definitions");
  return llvm::cantFail(llvm::getLazyBitcodeModule(bytes, context, /*ShouldLazyLoadMetadata=*/true));
}

}  // namespace dyad::codegen
