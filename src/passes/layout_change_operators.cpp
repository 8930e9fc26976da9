// How each kind of operator is written for tensors whose channels lie innermost.

#include <algorithm>

#include "passes/layout_change.h"

namespace dyad::passes {

namespace {

using ir::Node;

/// Multiplications from which on a convolution goes to the library.
constexpr int64_t kLibraryWork = 1 << 18;

const Value& value_at(const Node& node, size_t i) { return *node.args[i].get<Value>(); }
const Dims& dims_at(const Node& node, size_t i) { return *node.args[i].get<Dims>(); }
Dims as_dims(const Shape& shape) { return Dims(shape.begin(), shape.end()); }

bool is_float32(const Node& node, size_t operands) {
  for (size_t i = 0; i < operands; ++i) {
    auto* value = node.args[i].get<Value>();
    if (value && (!all_known((*value)->shape) || (*value)->dtype != DType::kFloat32)) return false;
  }
  return true;
}

/// Whether a window of pooling has more dimensions than the sizes of an image.
bool spans_channels(const Node& node) {
  return dims_at(node, 1).size() + 2 != value_at(node, 0)->shape.size();
}

constexpr int64_t kVector = 16;

int64_t rounded_up(int64_t size, int64_t block) { return (size + block - 1) / block * block; }
int64_t to_vectors(int64_t channels) { return rounded_up(channels, kVector); }

/// Tiles have up to four vectors, and no more than there are channels for.
int64_t to_tiles(int64_t channels) {
  if (channels <= 2 * kVector) return to_vectors(channels);
  return std::max(rounded_up(channels, 3 * kVector), rounded_up(channels, 4 * kVector));
}

/// Room for any format of the library: it fills up one kind of channels to whole vectors, the other to whole
/// tiles. Filters of one channel each are filled up over the groups.
int64_t packed_room(const Shape& weight, int64_t groups) {
  const int64_t out = weight[0].value() / groups;
  const int64_t in = weight[1].value();
  int64_t room = std::max(to_tiles(out) * to_vectors(in), to_vectors(out) * to_tiles(in));
  if (groups > 1) room = out == 1 && in == 1 ? to_vectors(groups) : to_vectors(out) * to_vectors(in) * groups;
  for (size_t i = 2; i < weight.size(); ++i) room *= weight[i].value();
  return room;
}

/// Whether the convolution is one for the library.
bool is_large(const Shape& out, const Shape& weight) {
  int64_t work = numel(out);
  for (size_t i = 1; i < weight.size(); ++i) work *= weight[i].value();
  return work >= kLibraryWork;
}

}  // namespace

Value LayoutChange::packed(const Value& weight, const Shape& image, const Shape& out, const Node& node,
                           size_t attributes, bool backward) {
  return before()("pack_filters",
                  {weight, packed_room(weight->shape, node.args[attributes + 3].get<Scalar>()->to_int()),
                   as_dims(image), as_dims(out), node.args[attributes], node.args[attributes + 1],
                   node.args[attributes + 2], node.args[attributes + 3], backward});
}

namespace {

/// (images, channels, sizes…) as (images, sizes…, channels).
Shape channels_last(const Shape& shape) {
  Shape moved{shape[0]};
  for (size_t i = 2; i < shape.size(); ++i) moved.push_back(shape[i]);
  moved.push_back(shape[1]);
  return moved;
}

}  // namespace

bool LayoutChange::convolve(const Node& node) {
  const Value& image = value_at(node, 0);
  const Value& weight = value_at(node, 1);
  if (!is_float32(node, 3) || !is_large(node.results[0]->shape, weight->shape) || !pays(node, image))
    return false;
  const Value from = last(image);
  const Value filters = packed(weight, from->shape, channels_last(node.results[0]->shape), node, 3, false);
  carry(node, 0,
        before()("convolution_last", {from, filters, node.args[2], as_dims(weight->shape), node.args[3],
                                      node.args[4], node.args[5], node.args[6]}));
  return true;
}

bool LayoutChange::convolve_gradient(const Node& node) {
  const Value& gradient = value_at(node, 0);
  const Value& weight = value_at(node, 1);
  if (!is_float32(node, 2) || !is_large(gradient->shape, weight->shape) || !pays(node, gradient))
    return false;
  const Value from = last(gradient);
  const Value filters = packed(weight, channels_last(node.results[0]->shape), from->shape, node, 3, true);
  carry(
      node, 0,
      before()("convolution_input_gradient_last", {from, filters, as_dims(weight->shape), node.args[2],
                                                   node.args[3], node.args[4], node.args[5], node.args[6]}));
  return true;
}

bool LayoutChange::filter_gradient(const Node& node) {
  const Value& gradient = value_at(node, 0);
  const Value& image = value_at(node, 1);
  const bool near = is_carried(gradient) || is_carried(image);
  if (!is_float32(node, 2) || !near || !is_large(gradient->shape, node.results[0]->shape)) return false;
  const Value made = before()(
      "convolution_weight_gradient_last",
      {last(gradient), last(image), node.args[2], node.args[3], node.args[4], node.args[5], node.args[6]});
  replace(node, 0, made);
  return true;
}

bool LayoutChange::norm_train(const Node& node) {
  if (!is_carried(value_at(node, 0)) || !is_float32(node, 3)) return false;
  const ValueList made = before().all("batch_norm_train_last", {last(value_at(node, 0)), node.args[1],
                                                                node.args[2], Arg(), node.args[3], false});
  carry(node, 0, made[0]);
  replace(node, 1, made[1]);
  replace(node, 2, made[2]);
  return true;
}

bool LayoutChange::norm_train_gradient(const Node& node) {
  const Value& gradient = value_at(node, 0);
  const Value& input = value_at(node, 1);
  if (!is_carried(input) || !is_float32(node, 5)) return false;
  const ValueList made = before().all(
      "batch_norm_train_grad_last",
      {last(gradient), last(input), node.args[2], node.args[3], node.args[4], Arg(), node.args[5]});
  carry(node, 0, made[0]);
  replace(node, 1, made[1]);
  replace(node, 2, made[2]);
  return true;
}

bool LayoutChange::norm_apply(const Node& node) {
  if (!is_carried(value_at(node, 0)) || !is_float32(node, 5)) return false;
  const Insertion write = before();
  Value scale = write("rsqrt", {write("add", {node.args[2], node.args[5]})});
  if (!node.args[3].none()) scale = write("mul", {node.args[3], scale});
  Value made = write("mul", {write("sub", {last(value_at(node, 0)), node.args[1]}), scale});
  if (!node.args[4].none()) made = write("add", {made, node.args[4]});
  carry(node, 0, made);
  return true;
}

bool LayoutChange::max_pool(const Node& node) {
  const Value& image = value_at(node, 0);
  if (!is_carried(image) || !is_float32(node, 1) || spans_channels(node)) return false;
  const Node* later = same_with_places(node);
  std::vector<Arg> args = node.args;
  args[0] = last(image);
  if (!later) {
    carry(node, 0, before()("max_pool_last", std::move(args)));
    return true;
  }
  // The gradient asks for the places of the same elements: they are looked for once.
  const ValueList found = before().all("max_pool_with_places_last", std::move(args));
  places_[later] = found;
  carry(node, 0, found[0]);
  return true;
}

bool LayoutChange::max_pool_with_places(const Node& node) {
  const Value& image = value_at(node, 0);
  ValueList found;
  if (const auto known = places_.find(&node); known != places_.end()) {
    found = known->second;
  } else {
    if (!is_carried(image) || !is_float32(node, 1) || spans_channels(node)) return false;
    std::vector<Arg> args = node.args;
    args[0] = last(image);
    found = before().all("max_pool_with_places_last", std::move(args));
  }
  carry(node, 0, found[0]);
  carry(node, 1, found[1]);
  return true;
}

const Node* LayoutChange::same_with_places(const Node& node) const {
  const auto users = users_.find(value_at(node, 0).get());
  if (users == users_.end()) return nullptr;
  for (const Node* user : users->second) {
    if (user->kind != ir::NodeKind::kOperator || user->op->name != "max_pool_with_places") continue;
    bool same = true;
    for (size_t i = 1; i < 5; ++i) same = same && dims_at(node, i) == dims_at(*user, i);
    same = same && node.args[5].get<Scalar>()->to_bool() == user->args[5].get<Scalar>()->to_bool();
    if (same) return user;
  }
  return nullptr;
}

bool LayoutChange::average_pool(const Node& node) {
  if (!is_carried(value_at(node, 0)) || !is_float32(node, 1) || spans_channels(node)) return false;
  std::vector<Arg> args = node.args;
  args[0] = last(value_at(node, 0));
  carry(node, 0, before()(cat(node.op->name, "_last"), std::move(args)));
  return true;
}

bool LayoutChange::unpool(const Node& node) {
  const Value& input = value_at(node, 0);
  if (!is_carried(input) || !is_carried(value_at(node, 1)) || !is_float32(node, 1)) return false;
  if (dims_at(node, 2).size() + 2 != input->shape.size()) return false;
  carry(node, 0, before()("unpool_last", {last(input), last(value_at(node, 1)), node.args[2], node.args[3]}));
  return true;
}

bool LayoutChange::adaptive_pool(const Node& node) {
  const Value& image = value_at(node, 0);
  const Dims& sizes = dims_at(node, 1);
  const bool global = std::all_of(sizes.begin(), sizes.end(), [](Dim size) { return size == Dim(1); });
  if (!is_carried(image) || !global || sizes.size() + 2 != image->shape.size()) return false;
  Dims axes;
  for (size_t i = 1; i <= sizes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  carry(node, 0, before()("mean", {last(image), axes, true, Arg()}));
  return true;
}

bool LayoutChange::elementwise(const Node& node) {
  const Shape& shape = node.results[0]->shape;
  if (node.results.size() != 1 || shape.size() < 3 || shape.size() > 5) return false;
  bool carried = false;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    if (arg.get<ValueList>() || (value && !*value)) return false;
    if (!value) continue;
    if (ir::as_graph_value(*value).kind != ir::GraphValue::Kind::kTensor) continue;
    carried = carried || (is_carried(*value) && (*value)->shape == shape);
  }
  if (!carried) return false;
  std::vector<Arg> args;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    const bool tensor = value && ir::as_graph_value(*value).kind == ir::GraphValue::Kind::kTensor;
    args.push_back(tensor ? Arg(last_operand(*value, shape.size())) : arg);
  }
  carry(node, 0, before()(node.op->name, std::move(args)));
  return true;
}

bool LayoutChange::reduce(const Node& node) {
  const Value& input = value_at(node, 0);
  auto* given = node.args[1].get<Dims>();
  auto* keeps = node.args[2].get<Scalar>();
  if (!is_carried(input) || !given || given->empty() || !keeps || node.results.size() != 1) return false;
  const auto rank = static_cast<int64_t>(input->shape.size());
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (Dim axis : *given) reduced[static_cast<size_t>((axis.value() + rank) % rank)] = true;
  const Dims order = channels_to_end(static_cast<size_t>(rank));
  Dims axes;
  for (int64_t i = 0; i < rank; ++i) {
    if (reduced[static_cast<size_t>(order[static_cast<size_t>(i)].value())]) axes.push_back(i);
  }
  const bool any_size_kept = std::find(reduced.begin() + 2, reduced.end(), false) != reduced.end();
  const bool keep = keeps->to_bool();
  if (!keep && !reduced[1] && any_size_kept) return false;  // what is left would have another order
  std::vector<Arg> args = node.args;
  args[0] = last(input);
  args[1] = axes;
  const Value made = before()(node.op->name, std::move(args));
  if (keep) {
    carry(node, 0, made);
  } else {
    replace(node, 0, made);
  }
  return true;
}

bool LayoutChange::join(const Node& node) {
  auto* list = node.args[0].get<ValueList>();
  auto* axis = node.args[1].get<Scalar>();
  const bool carried = list && axis && std::all_of(list->begin(), list->end(), [&](const Value& value) {
                         return is_carried(value);
                       });
  if (!carried) return false;
  const auto rank = static_cast<int64_t>(node.results[0]->shape.size());
  const int64_t along = (axis->to_int() + rank) % rank;
  ValueList members;
  for (const Value& value : *list) members.push_back(last(value));
  const int64_t moved = along == 0 ? 0 : along == 1 ? rank - 1 : along - 1;
  carry(node, 0, before()("concat", {members, moved}));
  return true;
}

}  // namespace dyad::passes
