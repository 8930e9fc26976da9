#include "autograd/history.h"

#include "autograd/state.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "runtime/allocator.h"

namespace dyad::autograd {

namespace {

/// Nodes of a transform that has ended lead nowhere.
bool alive(const Node& node) { return node.recording == 0 || node.recording == state().recording; }

/// The base was written to since: the view's source follows from the base's new one.
void refresh(History& history, uint32_t rewrites) {
  const RecordingSwitch on(true);
  const Value again = replay(history.steps.get(), history.base);
  history.source = edge_of(*again);
  history.seen = rewrites;
}

const Ref<LeafNode>& need_leaf(History& history) {
  if (!history.leaf) {
    if (!history.hooks) history.hooks = std::make_shared<Hooks>();
    history.leaf = Ref<LeafNode>(new LeafNode);
    history.leaf->share_hooks(history.hooks);
    history.leaf->owner = &history;
  }
  return history.leaf;
}

}  // namespace

History::~History() {
  if (leaf) leaf->owner = nullptr;
  if (asked) eager::reasons_to_record.fetch_sub(1);
  if (trackers > 0) eager::reasons_to_record.fetch_sub(1);
  if (source.node) bury(Ref<RefCounted>(std::move(source.node)));
}

void* History::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void History::operator delete(void* block, size_t bytes) { host_memory::release(block, bytes); }

History& need_history(TensorImpl& tensor) {
  if (!tensor.history) tensor.history = Ref<RefCounted>(new History);
  return static_cast<History&>(*tensor.history);
}

Edge kept_edge_of(const ValueImpl& value) {
  History* history = history_of(value);
  if (!history) return {};
  if (history->base) {
    const History* base = history_of(*history->base);
    const uint32_t rewrites = base ? base->rewrites : 0;
    if (history->seen != rewrites) refresh(*history, rewrites);
  }
  // That another thread tracks the tensor is no concern of this one.
  if ((history->trackers > 0 && state().tracking > 0) || history->asked) return {need_leaf(*history), 0};
  return history->source;
}

Edge edge_of(const ValueImpl& value) {
  Edge edge = kept_edge_of(value);
  // A tensor that is a leaf by itself is one in every transform.
  return edge && (edge.node == history_of(value)->leaf || alive(*edge.node)) ? edge : Edge();
}

void set_source(TensorImpl& tensor, Edge edge) { need_history(tensor).source = std::move(edge); }

Tensor as_saved(const TensorImpl& tensor, uint32_t version) {
  if (tensor.storage->version() == version) return alias_of(tensor);
  Ref<Storage> before = tensor.storage->preserved(version);
  if (!before) return {};
  Tensor old = alias_of(tensor);
  old->data = static_cast<char*>(before->data()) +
              (static_cast<char*>(tensor.data) - static_cast<char*>(tensor.storage->data()));
  old->storage = std::move(before);
  return old;
}

Tensor as_input(const Tensor& tensor, Tensor input) {
  if (!input) input = alias_of(*tensor);
  History& history = need_history(*input);
  Ref<LeafNode> node(new LeafNode(edge_of(*tensor)));
  if (const History* outside = history_of(*tensor); outside && outside->hooks) {
    history.hooks = std::make_shared<Hooks>(*outside->hooks);
    node->share_hooks(history.hooks);
  }
  history.input = true;
  history.source = {std::move(node), 0};
  return input;
}

void add_hook(TensorImpl& tensor, Ref<Hook> hook) {
  const Edge edge = edge_of(tensor);
  History& history = need_history(tensor);
  if (edge && !history.is_leaf()) return edge.node->add_hook(edge.output, std::move(hook));
  if (!history.hooks) {
    history.hooks = std::make_shared<Hooks>();
    if (edge) edge.node->share_hooks(history.hooks);
  }
  std::erase_if(*history.hooks, [](const Ref<Hook>& known) { return known->status->removed; });
  history.hooks->push_back(std::move(hook));
  if (history.input && edge) edge.node->close_with_recording();
}

void track(TensorImpl& tensor) {
  if (need_history(tensor).trackers++ == 0) eager::reasons_to_record.fetch_add(1);
  ++state().tracking;
}

void untrack(TensorImpl& tensor) {
  History& history = need_history(tensor);
  DYAD_ASSERT(history.trackers > 0);
  if (--history.trackers == 0) eager::reasons_to_record.fetch_sub(1);
  --state().tracking;
}

void ask_gradient(TensorImpl& tensor, bool asked) {
  History& history = need_history(tensor);
  if (history.asked == asked) return;
  if (asked && history.source && alive(*history.source.node) && !history.input) {
    runtime_error(
        "requires_grad_: the tensor is the result of a recorded operator and has a gradient anyway; call "
        "detach() first");
  }
  history.asked = asked;
  eager::reasons_to_record.fetch_add(asked ? 1 : -1);
}

void link_alias(TensorImpl& alias, TensorImpl& whole) {
  History& history = need_history(alias);
  const History* parent = history_of(whole);
  if (parent && parent->base) {
    history.steps = parent->steps;
    history.base = parent->base;
  } else {
    history.base = Tensor(&whole);
  }
  history.unrecorded = !state().enabled || (parent && parent->unrecorded);
  const History* base = history_of(*history.base);
  history.seen = base ? base->rewrites : 0;
}

void link_view(TensorImpl& view, TensorImpl& whole, const Op& op, std::span<const Arg> args) {
  link_alias(view, whole);
  History& history = need_history(view);
  Ref<ViewStep> step(new ViewStep);
  step->op = &op;
  step->args.assign(args.begin(), args.end());
  step->args[0] = Arg();
  step->before = std::move(history.steps);
  history.steps = std::move(step);
}

Value replay(const ViewStep* steps, const Value& base) {
  if (!steps) return base;
  std::vector<const ViewStep*> order;
  for (; steps; steps = steps->before.get()) order.push_back(steps);
  Value value = base;
  for (auto step = order.rbegin(); step != order.rend(); ++step) {
    std::vector<Arg> args = (*step)->args;
    args[0] = value;
    value = eager::call_one(*(*step)->op, args);
  }
  return value;
}

}  // namespace dyad::autograd
