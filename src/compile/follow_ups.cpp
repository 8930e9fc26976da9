#include "compile/follow_ups.h"

#include <algorithm>

#include "ir/clone.h"
#include "program/differentiable.h"
#include "program/shape_specializations.h"

namespace dyad::compile {

namespace {

bool has_inputs_to_differentiate(const ir::Module& module) {
  const auto& params = module.main().params;
  return std::any_of(params.begin(), params.end(), [](const ir::GraphValueRef& param) {
    const bool is_tensor = param->kind == ir::GraphValue::Kind::kTensor;
    return is_tensor && (is_float(param->dtype) || is_complex(param->dtype));
  });
}

/// Compiles what follows from a program as that was compiled, without dumps.
class SameOptions final : public program::Compiler {
 public:
  explicit SameOptions(Options options) : options_(std::move(options)) { options_.dump = nullptr; }

  Ref<Program> compile(std::shared_ptr<ir::Module> graph, bool differentiable) const override {
    Options options = options_;
    options.differentiable = differentiable;
    return compile::compile(std::move(graph), options);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<program::Differentiable> differentiable_of(const ir::Module& module, const Options& options) {
  if (!options.differentiable || !has_inputs_to_differentiate(module)) return nullptr;
  Options own = options;
  own.verify = false;
  return std::make_unique<program::Differentiable>(ir::clone(module),
                                                   std::make_shared<SameOptions>(std::move(own)));
}

std::unique_ptr<program::ShapeSpecializations> shape_specializations_of(
    const ir::Module& module, const Options& options, std::shared_ptr<program::Preparations> preparations) {
  if (!options.plan || !program::ShapeSpecializations::has_symbolic_dims(module)) return nullptr;
  Options own = options;
  own.preparations = std::move(preparations);
  return std::make_unique<program::ShapeSpecializations>(ir::clone(module),
                                                         std::make_shared<SameOptions>(std::move(own)));
}

}  // namespace dyad::compile
