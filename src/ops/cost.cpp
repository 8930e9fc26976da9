#include "ops/cost.h"

#include <algorithm>
#include <cmath>

namespace dyad {

namespace cost {

double elements(const ValueImpl& value) { return static_cast<double>(value.size()); }

double axis_from_end(const ValueImpl& value, int64_t back) {
  return value.rank() >= back
             ? static_cast<double>(value.shape[static_cast<size_t>(value.rank() - back)].value())
             : 1.0;
}

double product(const Arguments& args, Values results) {
  return 2 * elements(*results[0]) * axis_from_end(args.in(0));
}

static double window_size(const Arguments& args) {
  double size = 1;
  for (const Dim side : args.dims(1)) size *= static_cast<double>(side.value());
  return size;
}

double windows(const Arguments& args, Values results) { return window_size(args) * elements(*results[0]); }
double spread_windows(const Arguments& args, Values) { return window_size(args) * elements(args.in(0)); }

double comparisons(const Arguments& args, Values) {
  return elements(args.in(0)) * std::log2(std::max(2.0, axis_from_end(args.in(0))));
}

double cubes(const Arguments& args) { return elements(args.in(0)) * axis_from_end(args.in(0)); }

}  // namespace cost

namespace {

double elements_of(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return cost::elements(**value);
  double all = 0;
  if (auto* list = arg.get<ValueList>()) {
    for (const Value& value : *list) all += value ? cost::elements(*value) : 0;
  }
  return all;
}

double elements_of_first(std::span<const Arg> args) {
  const auto found =
      std::ranges::find_if(args, [](const Arg& arg) { return arg.get<Value>() || arg.get<ValueList>(); });
  return found == args.end() ? 0 : elements_of(*found);
}

double flops_of(const Op& op, std::span<const Arg> args, cost::Values results) {
  if (op.flops) return op.flops(Arguments(op.name, args), results);
  if (op.flops_per_element >= 0) return op.flops_per_element * elements_of_first(args);
  const double made = results.empty() ? 0 : cost::elements(*results[0]);
  if (op.flops_per_result >= 0) return op.flops_per_result * made;
  if (op.elementwise) return made;
  return op.reduction != Reduction::kNone ? elements_of_first(args) : 0;
}

int64_t bytes_of(const Op& op, std::span<const Arg> args, cost::Values results) {
  int64_t bytes = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!op.reads_data(i)) continue;
    if (auto* value = args[i].get<Value>(); value && *value) bytes += bytes_of(**value);
    if (auto* list = args[i].get<ValueList>()) {
      for (const Value& value : *list) bytes += value ? bytes_of(*value) : 0;
    }
  }
  for (const ValueImpl* result : results) bytes += bytes_of(*result);
  return bytes;
}

}  // namespace

int64_t bytes_of(const ValueImpl& value) { return value.size() * itemsize(value.dtype); }

Cost cost_of(const Op& op, std::span<const Arg> args, std::span<const ValueImpl* const> results) {
  return {flops_of(op, args, results), bytes_of(op, args, results)};
}

std::string_view cost_origin(const Op& op) {
  if (op.flops || op.flops_per_element >= 0 || op.flops_per_result >= 0) return "stated";
  if (op.elementwise) return "elementwise";
  if (op.reduction != Reduction::kNone) return "reduction";
  if (op.movement != Movement::kNone || op.view) return "movement";
  return op.body ? "body" : "";
}

}  // namespace dyad
