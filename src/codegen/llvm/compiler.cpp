#include "codegen/llvm/compiler.h"

#include <memory>
#include <mutex>
#include <vector>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "codegen/llvm/emit_loop.h"

namespace dyad::codegen {

namespace {

constexpr Target kTargets[] = {{16, false}, {32, false}, {64, true}};
constexpr const char* kProcessors[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

/// What one thread at a time compiles with; making one takes longer than a loop.
class Compiler {
 public:
  explicit Compiler(int instruction_set)
      : level_(instruction_set), definitions_(load_definitions(context_, instruction_set > 0)) {
    std::string error;
    const llvm::Triple& triple = definitions_->getTargetTriple();
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // as the eager kernels: products are rounded
    options.NoTrappingFPMath = true;
    options.ExceptionModel = llvm::ExceptionHandling::None;
    machine_.reset(target->createTargetMachine(triple, kProcessors[level_], "", options, llvm::Reloc::PIC_,
                                               llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less, true));
    machine_->addPassesToEmitFile(passes_, stream_, nullptr, llvm::CodeGenFileType::ObjectFile, true);
  }

  std::string compile(const Loop& loop) {
    bytes_.clear();
    passes_.run(*emit(loop));
    return std::string(bytes_);
  }

  void list(const Loop& loop, std::string& text, std::string& assembly) {
    const std::unique_ptr<llvm::Module> module = emit(loop);
    llvm::raw_string_ostream stream(text);
    module->print(stream, nullptr);
    llvm::SmallString<8192> bytes;
    llvm::raw_svector_ostream written(bytes);
    llvm::legacy::PassManager passes;
    machine_->addPassesToEmitFile(passes, written, nullptr, llvm::CodeGenFileType::AssemblyFile, true);
    passes.run(*module);
    assembly = std::string(bytes);
  }

 private:
  std::unique_ptr<llvm::Module> emit(const Loop& loop) {
    bool linked = false;
    std::unique_ptr<llvm::Module> module = emit_loop(loop, kTargets[level_], *definitions_, linked);
    if (linked) link_definitions(*module);
    for (llvm::Function& function : *module) describe(function);
    return module;
  }

  void link_definitions(llvm::Module& module) {
    llvm::Linker::linkModules(module, load_definitions(context_, level_ > 0), llvm::Linker::LinkOnlyNeeded);
    for (llvm::Function& function : module) {
      if (!function.isDeclaration() && function.getName() != kLoopSymbol)
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }

  void describe(llvm::Function& function) {
    if (function.isDeclaration()) return;
    function.removeFnAttr("target-features");
    function.addFnAttr("target-cpu", kProcessors[level_]);
    static const std::string host = llvm::sys::getHostCPUName().str();
    function.addFnAttr("tune-cpu", host);
    function.addFnAttr("prefer-vector-width", std::to_string(kTargets[level_].vector_bytes * 8));
  }

  int level_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> definitions_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::SmallString<8192> bytes_;
  llvm::raw_svector_ostream stream_{bytes_};
  llvm::legacy::PassManager passes_;  ///< putting it together takes as long as a small loop, so it is kept
};

/// Idle compilers, by instruction set.
class Compilers {
 public:
  std::unique_ptr<Compiler> take(int level) {
    {
      std::lock_guard lock(guard_);
      if (!idle_[level].empty()) {
        std::unique_ptr<Compiler> compiler = std::move(idle_[level].back());
        idle_[level].pop_back();
        return compiler;
      }
    }
    return std::make_unique<Compiler>(level);
  }
  void give_back(int level, std::unique_ptr<Compiler> compiler) {
    std::lock_guard lock(guard_);
    idle_[level].push_back(std::move(compiler));
  }

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<Compiler>> idle_[3];
};

Compilers& compilers() {
  static Compilers& all = *new Compilers;  // lives as long as the process: threads may outlast `main`
  return all;
}

bool compile(const Loop& loop, int instruction_set, std::string& object) {
  std::unique_ptr<Compiler> compiler = compilers().take(instruction_set);
  object = compiler->compile(loop);
  compilers().give_back(instruction_set, std::move(compiler));
  return true;
}

void list(const Loop& loop, int instruction_set, std::string& text, std::string& assembly) {
  std::unique_ptr<Compiler> compiler = compilers().take(instruction_set);
  compiler->list(loop, text, assembly);
  compilers().give_back(instruction_set, std::move(compiler));
}

}  // namespace

}  // namespace dyad::codegen

const dyad::codegen::CompilerLibrary* dyad_compiler_library() {
  static const dyad::codegen::CompilerLibrary library = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return dyad::codegen::CompilerLibrary{dyad::codegen::compile, dyad::codegen::list};
  }();
  return &library;
}
