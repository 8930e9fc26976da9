#include "transforms/derivative.h"

#include "ir/clone.h"
#include "passes/eliminate.h"
#include "transforms/joint.h"

namespace dyad::transforms {

namespace {

/// The tracer is that of this thread as long as this lives.
class Active {
 public:
  explicit Active(Ref<GraphTracer> tracer) : tracer_(std::move(tracer)) { tracing::push(tracer_); }
  ~Active() {
    tracing::pop(*tracer_);
    tracer_->discard();
  }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;

 private:
  Ref<GraphTracer> tracer_;
};

/// A module of its own that begins with this function and has those that it calls.
std::shared_ptr<ir::Module> module_of(const ir::Module& module, const ir::Function& main) {
  std::shared_ptr<ir::Module> made = ir::clone(module);
  auto first = made->functions.begin();
  for (const auto& function : module.functions) {
    if (function.get() == &main) break;
    ++first;
  }
  made->functions.splice(made->functions.begin(), made->functions, first);
  passes::eliminate_dead_functions(*made);
  return made;
}

}  // namespace

Derivative differentiate(const ir::Module& module, const std::vector<bool>& by, const std::vector<bool>& of,
                         const std::vector<bool>& state) {
  const ir::Function& main = module.main();
  const Ref<GraphTracer> tracer(new GraphTracer(main.name));
  const Active active(tracer);
  const Joint joint = JointWriter(*tracer, main, by, of, state).write();
  const std::vector<ir::GraphValueRef> further = joint.take_further(main.results.size());
  const std::vector<ir::GraphValueRef> residuals =
      joint.residuals_among<ir::GraphValueRef>(joint.forward->params, further);
  std::vector<ir::GraphValueRef>& results = joint.forward->results;
  results.insert(results.end(), residuals.begin(), residuals.end());
  Derivative made;
  made.residuals = joint.residuals.size();
  made.forward = module_of(*tracer->module(), *joint.forward);
  made.backward = module_of(*tracer->module(), *joint.backward);
  made.forward->main().name = main.name;
  return made;
}

}  // namespace dyad::transforms
