#include "program/shape_specializations.h"

#include <algorithm>

#include "base/progress.h"
#include "ir/clone.h"
#include "passes/specialize_shapes.h"

namespace dyad::program {

namespace {

using Kind = ir::GraphValue::Kind;

constexpr size_t kMostPrograms = 8;
constexpr size_t kMostCandidates = 64;

}  // namespace

ShapeSpecializations::ShapeSpecializations(std::shared_ptr<const ir::Module> graph,
                                           std::shared_ptr<const Compiler> compiler)
    : graph_(std::move(graph)), compiler_(std::move(compiler)) {
  uint32_t input = 0;
  for (const auto& param : graph_->main().params) {
    if (param->kind == Kind::kToken) continue;
    for (uint32_t axis = 0; axis < param->shape.size(); ++axis) {
      if (!param->shape[axis].known()) open_.push_back({input, axis});
    }
    ++input;
  }
}

ShapeSpecializations::~ShapeSpecializations() = default;

bool ShapeSpecializations::has_symbolic_dims(const ir::Module& module) {
  const auto& params = module.main().params;
  return std::any_of(params.begin(), params.end(), [](const ir::GraphValueRef& param) {
    return param->kind == Kind::kTensor && !all_known(param->shape);
  });
}

Ref<Program> ShapeSpecializations::find(std::span<const Arg> inputs) {
  Sizes sizes;
  read_sizes(inputs, sizes);
  {
    const std::scoped_lock lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.sizes != sizes) continue;
      entry.last_used = ++clock_;
      return entry.program;
    }
    if (!deserves(sizes)) return {};
  }
  // Compiling may let other threads run, who may come here: no lock is held meanwhile.
  Ref<Program> made = make(inputs);
  const std::scoped_lock lock(mutex_);
  keep(std::move(sizes), made);
  return made;
}

void ShapeSpecializations::read_sizes(std::span<const Arg> inputs, Sizes& sizes) const {
  sizes.reserve(open_.size());
  for (const Open& open : open_) {
    sizes.push_back((*inputs[open.input].get<Value>())->shape[open.axis].value());
  }
}

bool ShapeSpecializations::deserves(const Sizes& sizes) {
  if (entries_.size() < kMostPrograms) return true;
  const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](const Candidate& candidate) { return candidate.sizes == sizes; });
  if (found == candidates_.end()) {
    if (candidates_.size() == kMostCandidates) candidates_.erase(candidates_.begin());
    candidates_.push_back({sizes, 1});
    return false;
  }
  if (++found->times < patience_) return false;
  candidates_.erase(found);
  return true;
}

Ref<Program> ShapeSpecializations::make(std::span<const Arg> inputs) const {
  const CompilationInProgress progress(graph_->main().name, "for new sizes of its inputs");
  std::vector<Shape> shapes;
  auto next = inputs.begin();
  for (const auto& param : graph_->main().params) {
    if (param->kind == Kind::kToken) {
      shapes.emplace_back();
      continue;
    }
    auto* value = (next++)->get<Value>();
    shapes.push_back(value ? (*value)->shape : Shape());
  }
  const std::shared_ptr<ir::Module> module = ir::clone(*graph_);
  if (!passes::specialize_shapes(*module, shapes)) return {};
  Ref<Program> made = compiler_->compile(module, false);
  return made->planned() ? made : Ref<Program>();
}

void ShapeSpecializations::keep(Sizes sizes, Ref<Program> program) {
  if (entries_.size() >= kMostPrograms) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
    entries_.erase(oldest);
    patience_ = std::min(2 * patience_, 1U << 20);
  }
  entries_.push_back({std::move(sizes), std::move(program), ++clock_});
}

}  // namespace dyad::program
