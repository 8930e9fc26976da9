#include "passes/domain.h"

#include <algorithm>

namespace dyad::passes {

using ir::Node;

bool Domain::add(const Node& node, Role role) {
  const Places result = places_of(*node.results[0]);
  switch (role) {
    case Role::kPointwise:
      return add_pointwise(node, result);
    case Role::kMovement:
      return add_movement(node, result);
    case Role::kReduction:
      return add_reduction(node, result);
    case Role::kNone:
      break;
  }
  return false;
}

int Domain::add_axis(Dim size) {
  parents_.push_back(static_cast<int>(parents_.size()));
  sizes_.push_back(size);
  return parents_.back();
}

int Domain::find(int axis) const {
  while (axis >= 0 && parents_[static_cast<size_t>(axis)] != axis) axis = parents_[static_cast<size_t>(axis)];
  return axis;
}

bool Domain::unite(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b) return true;
  if (a < 0 || b < 0 || !(sizes_[static_cast<size_t>(a)] == sizes_[static_cast<size_t>(b)])) return false;
  parents_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  // No value may meet itself along an axis: that would be its diagonal.
  return std::ranges::all_of(places_, [&](const auto& entry) {
    Places seen;
    for (const int axis : entry.second) {
      if (axis < 0) continue;
      if (std::ranges::find(seen, find(axis)) != seen.end()) return false;
      seen.push_back(find(axis));
    }
    return true;
  });
}

bool Domain::place(const ValueImpl& value, const Places& places) {
  const auto [found, added] = places_.try_emplace(&value, places);
  if (places.size() > longest_.size()) longest_ = places;
  if (added) return true;
  const Places before = found->second;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!unite(before[i], places[i])) return false;
  }
  return true;
}

Domain::Places Domain::places_of(const ValueImpl& value) {
  const auto found = places_.find(&value);
  if (found != places_.end()) return found->second;
  Places places;
  for (Dim size : value.shape) places.push_back(size == Dim(1) ? -1 : add_axis(size));
  place(value, places);
  return places;
}

bool Domain::add_pointwise(const Node& node, const Places& result) {
  const Shape& whole = node.results[0]->shape;
  for (const Arg& arg : node.args) {
    auto* operand = arg.get<Value>();
    if (!operand) continue;
    const Shape& shape = (*operand)->shape;
    const size_t lead = result.size() - shape.size();
    Places places;
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool repeats = shape[i] == Dim(1);
      // A symbolic dimension that is not that of the result may turn out to be 1.
      if (!repeats && !(shape[i] == whole[lead + i])) return false;
      places.push_back(repeats ? -1 : result[lead + i]);
    }
    if (!place(**operand, places)) return false;
  }
  return true;
}

bool Domain::add_movement(const Node& node, const Places& result) {
  const Movement movement = static_cast<const Op&>(*node.op).movement;
  if (movement == Movement::kBroadcast) return add_pointwise(node, result);
  const ValueImpl& operand = **node.args[0].get<Value>();
  const Shape& shape = operand.shape;
  Places places(shape.size(), -1);
  if (movement == Movement::kPermute) {
    const Dims& order = *node.args[1].get<Dims>();
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t axis = order[i].value() + (order[i].value() < 0 ? operand.rank() : 0);
      places[static_cast<size_t>(axis)] = result[i];
    }
    return place(operand, places);
  }
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == Dim(1)) continue;
    while (result[next] < 0) ++next;
    places[i] = result[next++];
  }
  return place(operand, places);
}

bool Domain::add_reduction(const Node& node, const Places& result) {
  const ValueImpl& input = **node.args[0].get<Value>();
  const Ints axes = reduced_axes(node);
  const bool keeps = input.shape.size() == result.size();
  const auto known = places_.find(&input);
  Places places;
  Places taken = result;  // what the input spans so far
  Fold fold{&input, {}};
  size_t kept = 0;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    const bool folded = std::ranges::find(axes, static_cast<int64_t>(i)) != axes.end();
    if (!folded) {
      places.push_back(result[keeps ? i : kept]);
      ++kept;
      continue;
    }
    int axis = -1;
    if (!(input.shape[i] == Dim(1))) {
      axis = known != places_.end() ? known->second[i]
                                    : axis_to_fold(input.shape[i], input.shape.size() - 1 - i, taken);
      if (axis < 0) axis = add_axis(input.shape[i]);
      taken.push_back(axis);
      fold.axes.push_back(axis);
    }
    places.push_back(axis);
  }
  reductions_.push_back(std::move(fold));
  return place(input, places);
}

int Domain::axis_to_fold(Dim size, size_t from_the_end, const Places& taken) const {
  const auto fits = [&](int axis) {
    const auto is_it = [&](int other) { return find(other) == find(axis); };
    return axis >= 0 && sizes_[static_cast<size_t>(find(axis))] == size && std::ranges::none_of(taken, is_it);
  };
  const Places folded = folded_axes();
  const auto before = std::ranges::find_if(folded, fits);
  if (before != folded.end()) return *before;
  if (from_the_end >= longest_.size()) return -1;
  const int there = longest_[longest_.size() - 1 - from_the_end];
  return fits(there) ? there : -1;
}

Domain::Places Domain::distinct(const Places& places) const {
  Places found;
  for (const int axis : places) {
    if (axis >= 0) found.push_back(find(axis));
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

Domain::Places Domain::all_axes() const {
  Places all;
  for (int i = 0; i < static_cast<int>(parents_.size()); ++i) all.push_back(i);
  return distinct(all);
}

Domain::Places Domain::folded_axes() const {
  return reductions_.empty() ? Places() : distinct(reductions_.front().axes);
}

bool Domain::spans_all(const ValueImpl& value) const { return distinct(places_.at(&value)) == all_axes(); }

bool Domain::spans_kept(const ValueImpl& value) const {
  Places all = all_axes();
  const Places folded = folded_axes();
  std::erase_if(all, [&](int axis) { return std::ranges::find(folded, axis) != folded.end(); });
  return distinct(places_.at(&value)) == all;
}

bool Domain::allows(const std::vector<const ir::GraphValue*>& results) const {
  const Places folded = folded_axes();
  for (const Fold& fold : reductions_) {
    if (distinct(fold.axes) != folded || !spans_all(*fold.input)) return false;
  }
  return std::ranges::all_of(results, [&](const ir::GraphValue* result) {
    return spans_all(*result) || (reduces() && spans_kept(*result));
  });
}

Dim Domain::size() const {
  Dim count = 1;
  for (const int axis : all_axes()) count = count * sizes_[static_cast<size_t>(axis)];
  return count;
}

}  // namespace dyad::passes
