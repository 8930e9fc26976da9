#include "compile/program.h"

namespace dyad::compile {

Ref<Program> compile(std::shared_ptr<ir::Module> module, const Options&, Report*) {
  return Ref<Program>(new Program(std::move(module)));
}

}  // namespace dyad::compile
