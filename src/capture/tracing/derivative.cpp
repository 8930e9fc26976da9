#include "capture/tracing/derivative.h"

#include <algorithm>

#include "capture/tracing/joint.h"
#include "ir/clone.h"

namespace dyad::tracing {

namespace {

/// The tracer is that of this thread as long as this lives.
class Active {
 public:
  explicit Active(Ref<GraphTracer> tracer) : tracer_(std::move(tracer)) { push(tracer_); }
  ~Active() {
    pop(*tracer_);
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
  drop_uncalled(*made);
  return made;
}

}  // namespace

Derivative differentiate(const ir::Module& module, const std::vector<bool>& by, const std::vector<bool>& of,
                         const std::vector<bool>& state) {
  const ir::Function& main = module.main();
  const Ref<GraphTracer> tracer(new GraphTracer(main.name));
  const Active active(tracer);
  const Joint joint = JointWriter(*tracer, main, by, of, state).write();
  std::vector<ir::GraphValueRef>& results = joint.forward->results;
  const std::vector<ir::GraphValueRef> further(
      results.begin() + static_cast<std::ptrdiff_t>(main.results.size()), results.end());
  results.resize(main.results.size());
  auto next = further.begin();
  for (const int param : joint.residuals) {
    results.push_back(param >= 0 ? joint.forward->params[static_cast<size_t>(param)] : *next++);
  }
  Derivative made;
  made.residuals = joint.residuals.size();
  made.forward = module_of(*tracer->module(), *joint.forward);
  made.backward = module_of(*tracer->module(), *joint.backward);
  made.forward->main().name = main.name;
  return made;
}

}  // namespace dyad::tracing
