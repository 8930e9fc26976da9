#include "kernels/cpu/onednn_routed.h"

#include <algorithm>
#include <utility>

namespace dyad::kernels::onednn {

namespace {

dnnl::reorder::primitive_desc move_between(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  return {engine(), from, engine(), to, caller_scratch()};
}

}  // namespace

Move::Move(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  const auto made = move_between(from, to);
  scratch_ = made.scratchpad_desc();
  reorder_ = dnnl::reorder(made);
}

void Move::run(const dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const {
  leave_region();
  const Workspace space(scratch_.get_size());
  reorder_.execute(stream, {{DNNL_ARG_FROM, from},
                            {DNNL_ARG_TO, to},
                            {DNNL_ARG_SCRATCHPAD, memory_at(scratch_, space.as<void>())}});
}

RoutedPrimitive::RoutedPrimitive(dnnl::primitive primitive, dnnl::memory::desc scratch,
                                 std::vector<Route> routes)
    : primitive_(std::move(primitive)), scratch_(std::move(scratch)), routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    moves_.emplace_back();
    if (route.inside == route.outside) continue;
    if (route.result) {
      moves_.back().emplace(route.inside, route.outside);
    } else {
      moves_.back().emplace(route.outside, route.inside);
    }
  }
}

bool RoutedPrimitive::sums_in_one_thread() const {
  return std::ranges::any_of(routes_, [](const Route& route) {
    return route.name == DNNL_ARG_WEIGHTS && route.inside.get_inner_nblks() > 0;
  });
}

void RoutedPrimitive::run(std::span<const void* const> operands) const {
  leave_region();
  dnnl::stream stream(engine());
  std::list<Workspace> moved;
  std::vector<std::pair<size_t, dnnl::memory>> results;  // those that move when the primitive is done
  std::unordered_map<int, dnnl::memory> arguments;
  for (size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (!moves_[i]) {
      arguments.emplace(route.name, memory_at(route.outside, operands[i]));
      continue;
    }
    const auto& space = moved.emplace_back(route.inside.get_size());
    const auto inside = memory_at(route.inside, space.as<void>());
    if (route.result) {
      results.emplace_back(i, inside);
    } else {
      moves_[i]->run(stream, memory_at(route.outside, operands[i]), inside);
    }
    arguments.emplace(route.name, inside);
  }
  {
    const Workspace scratch(scratch_.get_size());
    arguments.emplace(DNNL_ARG_SCRATCHPAD, memory_at(scratch_, scratch.as<void>()));
    primitive_.execute(stream, arguments);
    stream.wait();
  }
  for (const auto& [i, inside] : results) {
    moves_[i]->run(stream, inside, memory_at(routes_[i].outside, operands[i]));
  }
  stream.wait();
}

}  // namespace dyad::kernels::onednn
