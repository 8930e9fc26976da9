#include "ops/neural/convolution_rules.h"

#include "ops/batch.h"
#include "ops/call.h"

namespace dyad::batch {

namespace {

DYAD_USE(permute, reshape);

constexpr size_t kGroups = 6;
constexpr size_t kChannelsLast = 7;

/// Filters of every slice one after the other.
Value as_filters(const Value& whole) {
  Shape shape{whole->shape[0] * whole->shape[1]};
  for (size_t d = 2; d < whole->shape.size(); ++d) shape.push_back(whole->shape[d]);
  return reshape(whole, shape);
}

/// All arguments, with a group of channels for each slice.
std::vector<Arg> with_groups(const BatchCall& call) {
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) args.push_back(call[i]);
  args[kGroups] = (call.count() * Dim(call.integer(kGroups))).value();
  return args;
}

}  // namespace

Value as_channels(const Value& whole) {
  Dims order{1, 0};
  for (int64_t d = 2; d < whole->rank(); ++d) order.push_back(d);
  Shape shape{whole->shape[1], whole->shape[0] * whole->shape[2]};
  for (size_t d = 3; d < whole->shape.size(); ++d) shape.push_back(whole->shape[d]);
  return reshape(permute(whole, order), shape);
}

Value from_channels(const BatchCall& call, const Value& images) {
  Shape shape{images->shape[0], call.count(), floor_div(images->shape[1], call.count())};
  for (size_t d = 2; d < images->shape.size(); ++d) shape.push_back(images->shape[d]);
  Dims order{1, 0};
  for (size_t d = 2; d < shape.size(); ++d) order.push_back(static_cast<int64_t>(d));
  return permute(reshape(images, shape), order);
}

void convolution(const BatchCall& call, ValueList& results) {
  if (!call.mapped(1) && !call.mapped(2)) return folded<0>(call, results);
  if (call.flag(kChannelsLast)) return slice_by_slice(call, results);
  std::vector<Arg> args = with_groups(call);
  args[0] = as_channels(whole(call, 0));
  args[1] = as_filters(whole(call, 1));
  if (call.has(2)) args[2] = as_filters(whole(call, 2));
  ValueList made;
  apply(call, args, made);
  results.push_back(from_channels(call, made[0]));
}

void convolution_input_gradient(const BatchCall& call, ValueList& results) {
  if (!call.mapped(1)) return folded<0>(call, results);
  if (call.flag(kChannelsLast)) return slice_by_slice(call, results);
  std::vector<Arg> args = with_groups(call);
  args[0] = as_channels(whole(call, 0));
  args[1] = as_filters(whole(call, 1));
  ValueList made;
  apply(call, args, made);
  results.push_back(from_channels(call, made[0]));
}

void convolution_weight_gradient(const BatchCall& call, ValueList& results) {
  if (call.flag(kChannelsLast)) return slice_by_slice(call, results);
  std::vector<Arg> args = with_groups(call);
  args[0] = as_channels(whole(call, 0));
  args[1] = as_channels(whole(call, 1));
  ValueList made;
  apply(call, args, made);
  Shape shape{call.count(), floor_div(made[0]->shape[0], call.count())};
  for (size_t d = 1; d < made[0]->shape.size(); ++d) shape.push_back(made[0]->shape[d]);
  results.push_back(reshape(made[0], shape));
}

}  // namespace dyad::batch
