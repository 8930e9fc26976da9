#include "autograd/autograd_meta.h"

#include "autograd/state.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "runtime/allocator.h"

namespace dyad::autograd {

namespace {

/// Nodes of a transform that has ended lead nowhere.
bool alive(const Node& node) { return node.recording == 0 || node.recording == state().recording; }

/// The base was written to since: the view's source follows from the base's new one.
void refresh(AutogradMeta& meta, uint32_t rewrites) {
  const RecordingSwitch on(true);
  const Value again = replay(meta.steps.get(), meta.base);
  meta.source = edge_of(*again);
  meta.seen = rewrites;
}

const Ref<LeafNode>& need_leaf(AutogradMeta& meta) {
  if (!meta.leaf) {
    if (!meta.hooks) meta.hooks = std::make_shared<Hooks>();
    meta.leaf = Ref<LeafNode>(new LeafNode);
    meta.leaf->share_hooks(meta.hooks);
    meta.leaf->owner = &meta;
  }
  return meta.leaf;
}

}  // namespace

AutogradMeta::~AutogradMeta() {
  if (leaf) leaf->owner = nullptr;
  if (asked) eager::reasons_to_record.fetch_sub(1);
  if (trackers > 0) eager::reasons_to_record.fetch_sub(1);
  if (source.node) bury(Ref<RefCounted>(std::move(source.node)));
}

void* AutogradMeta::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void AutogradMeta::operator delete(void* block, size_t bytes) { host_memory::release(block, bytes); }

AutogradMeta& need_autograd_meta(TensorImpl& tensor) {
  if (!tensor.autograd_meta) tensor.autograd_meta = Ref<RefCounted>(new AutogradMeta);
  return static_cast<AutogradMeta&>(*tensor.autograd_meta);
}

Edge kept_edge_of(const ValueImpl& value) {
  AutogradMeta* meta = autograd_meta_of(value);
  if (!meta) return {};
  if (meta->base) {
    const AutogradMeta* base = autograd_meta_of(*meta->base);
    const uint32_t rewrites = base ? base->rewrites : 0;
    if (meta->seen != rewrites) refresh(*meta, rewrites);
  }
  // That another thread tracks the tensor is no concern of this one.
  if ((meta->trackers > 0 && state().tracking > 0) || meta->asked) return {need_leaf(*meta), 0};
  return meta->source;
}

Edge edge_of(const ValueImpl& value) {
  Edge edge = kept_edge_of(value);
  // A tensor that is a leaf by itself is one in every transform.
  return edge && (edge.node == autograd_meta_of(value)->leaf || alive(*edge.node)) ? edge : Edge();
}

void set_source(TensorImpl& tensor, Edge edge) { need_autograd_meta(tensor).source = std::move(edge); }

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
  AutogradMeta& meta = need_autograd_meta(*input);
  Ref<LeafNode> node(new LeafNode(edge_of(*tensor)));
  if (const AutogradMeta* outside = autograd_meta_of(*tensor); outside && outside->hooks) {
    meta.hooks = std::make_shared<Hooks>(*outside->hooks);
    node->share_hooks(meta.hooks);
  }
  meta.input = true;
  meta.source = {std::move(node), 0};
  return input;
}

void add_hook(TensorImpl& tensor, Ref<Hook> hook) {
  const Edge edge = edge_of(tensor);
  AutogradMeta& meta = need_autograd_meta(tensor);
  if (edge && !meta.is_leaf()) return edge.node->add_hook(edge.output, std::move(hook));
  if (!meta.hooks) {
    meta.hooks = std::make_shared<Hooks>();
    if (edge) edge.node->share_hooks(meta.hooks);
  }
  std::erase_if(*meta.hooks, [](const Ref<Hook>& known) { return known->status->removed; });
  meta.hooks->push_back(std::move(hook));
  if (meta.input && edge) edge.node->close_with_recording();
}

void track(TensorImpl& tensor) {
  if (need_autograd_meta(tensor).trackers++ == 0) eager::reasons_to_record.fetch_add(1);
  ++state().tracking;
}

void untrack(TensorImpl& tensor) {
  AutogradMeta& meta = need_autograd_meta(tensor);
  DYAD_ASSERT(meta.trackers > 0);
  if (--meta.trackers == 0) eager::reasons_to_record.fetch_sub(1);
  --state().tracking;
}

void ask_gradient(TensorImpl& tensor, bool asked) {
  AutogradMeta& meta = need_autograd_meta(tensor);
  if (meta.asked == asked) return;
  if (asked && meta.source && alive(*meta.source.node) && !meta.input) {
    runtime_error(
        "requires_grad_: the tensor is the result of a recorded operator and has a gradient anyway; call "
        "detach() first");
  }
  meta.asked = asked;
  eager::reasons_to_record.fetch_add(asked ? 1 : -1);
}

void link_alias(TensorImpl& alias, TensorImpl& whole) {
  AutogradMeta& meta = need_autograd_meta(alias);
  const AutogradMeta* parent = autograd_meta_of(whole);
  if (parent && parent->base) {
    meta.steps = parent->steps;
    meta.base = parent->base;
  } else {
    meta.base = Tensor(&whole);
  }
  meta.unrecorded = !state().enabled || (parent && parent->unrecorded);
  const AutogradMeta* base = autograd_meta_of(*meta.base);
  meta.seen = base ? base->rewrites : 0;
}

void link_view(TensorImpl& view, TensorImpl& whole, const Op& op, std::span<const Arg> args) {
  link_alias(view, whole);
  AutogradMeta& meta = need_autograd_meta(view);
  Ref<ViewStep> step(new ViewStep);
  step->op = &op;
  step->args.assign(args.begin(), args.end());
  step->args[0] = Arg();
  step->before = std::move(meta.steps);
  meta.steps = std::move(step);
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
