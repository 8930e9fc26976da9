#include "autograd/node.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "autograd/state.h"
#include "autograd/transpose.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::autograd {

namespace {

DYAD_USE(cast, zeros);

std::atomic<uint64_t> sequences{1};

struct Remains {
  std::vector<Edge> edges;
  std::vector<Arg> args;
  Ref<RefCounted> object;
};

/// What waits to be destroyed, per thread. Destroying one thing may bury more; only the first call digs.
class Graveyard {
 public:
  void add(Remains remains) {
    waiting_.push_back(std::move(remains));
    if (digging_) return;
    digging_ = true;
    while (!waiting_.empty()) {
      const Remains next = std::move(waiting_.back());
      waiting_.pop_back();
    }
    digging_ = false;
  }

 private:
  std::vector<Remains> waiting_;
  bool digging_ = false;
};

Graveyard& graveyard() {
  // Never destroyed: tensors may die after the thread's other state.
  thread_local Graveyard* yard = new Graveyard;
  return *yard;
}

/// Per transform, the nodes that are closed with it.
class Closing {
 public:
  void add(Node& node) {
    const std::scoped_lock lock(mutex_);
    nodes_[node.recording].insert(&node);
  }
  void remove(Node& node) {
    const std::scoped_lock lock(mutex_);
    auto found = nodes_.find(node.recording);
    if (found == nodes_.end()) return;
    found->second.erase(&node);
    if (found->second.empty()) nodes_.erase(found);
  }
  std::vector<Ref<Node>> take(uint64_t recording) {
    std::vector<Ref<Node>> taken;
    const std::scoped_lock lock(mutex_);
    auto found = nodes_.find(recording);
    if (found == nodes_.end()) return taken;
    for (Node* node : found->second) taken.emplace_back(node);
    nodes_.erase(found);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::unordered_set<Node*>> nodes_;
};

Closing& closing() {
  // Never destroyed: nodes may die after everything else.
  static auto* all = new Closing;
  return *all;
}

}  // namespace

uint64_t next_sequence() { return sequences.load(std::memory_order_relaxed); }

Node::Node(size_t count, bool leaf)
    : sequence(sequences.fetch_add(1, std::memory_order_relaxed)),
      recording(state().recording),
      outputs(static_cast<uint32_t>(count)),
      is_reason_(recording == 0 && !leaf) {
  if (is_reason_) eager::reasons_to_record.fetch_add(1);
}

Node::~Node() {
  if (is_reason_) eager::reasons_to_record.fetch_sub(1);
  if (closes_with_recording_) closing().remove(*this);
  if (!edges.empty()) bury(std::move(edges));
}

void Node::add_hook(uint32_t output, Ref<Hook> hook) {
  hooks_.emplace_back(output, std::move(hook));
  close_with_recording();
}

// Letting go of a hook may run any code, even such that looks for the hooks: it finds nothing any more.
void Node::drop_hooks() { const auto gone = std::exchange(hooks_, {}); }

void Node::forward(Push& push) {
  std::vector<Value> nothing(outputs);
  for (uint32_t i = 0; i < outputs; ++i) {
    if (push.wanted[i]) nothing[i] = nothing_at(i);
  }
  transpose([&](std::span<Value> gradients, std::span<Value> inputs) { backward(gradients, inputs, true); },
            nothing, push);
}

Value Node::nothing_at(uint32_t output) const {
  const ResultSpec spec = output_specs()[output];
  const RecordingSwitch off(false);
  return is_bool(spec.dtype) ? Value() : zeros(eager::builder(), spec.shape, spec.dtype);
}

std::vector<ResultSpec> Node::output_specs() const {
  raise(ErrorKind::kInternal, cat("internal error: ", name(), " does not know its outputs"));
}

void Node::require_saved() const {
  if (!released) return;
  runtime_error(
      name(),
      ": what this step saved is freed, it was differentiated before or its transform is over; pass "
      "retain_graph=True to backward() to walk through it again");
}

void Node::close() {
  free_saved();
  drop_hooks();
  if (shared_hooks_) const Hooks gone = std::exchange(*shared_hooks_, {});
  bury(std::exchange(edges, {}));
}

void Node::close_with_recording() {
  if (recording == 0 || closes_with_recording_) return;
  closes_with_recording_ = true;
  closing().add(*this);
}

void close_recording(uint64_t recording) {
  for (const Ref<Node>& node : closing().take(recording)) node->close();
}

void Node::run_hooks(std::span<Value> gradients) const {
  // A hook may add hooks; those run the next time.
  const auto own = hooks_;
  for (const auto& [output, hook] : own) {
    if (gradients[output]) autograd::run_hooks({hook}, gradients[output]);
  }
  if (shared_hooks_ && gradients[0]) autograd::run_hooks(Hooks(*shared_hooks_), gradients[0]);
}

void run_hooks(const Hooks& hooks, Value& gradient) {
  for (const Ref<Hook>& hook : hooks) {
    if (hook->status->removed) continue;
    Value replaced = (*hook)(gradient);
    if (!replaced) continue;
    if (!(replaced->shape == gradient->shape)) {
      value_error("register_hook: the hook returned a gradient of shape ", replaced->shape,
                  " for one of shape ", gradient->shape, "; it must keep the shape");
    }
    gradient = replaced->dtype == gradient->dtype ? std::move(replaced) : cast(replaced, gradient->dtype);
  }
}

void bury(std::vector<Edge> edges) { graveyard().add({std::move(edges), {}, {}}); }
void bury(std::vector<Arg> args) { graveyard().add({{}, std::move(args), {}}); }
void bury(Ref<RefCounted> object) { graveyard().add({{}, {}, std::move(object)}); }

LeafNode::LeafNode(Edge outer) : Node(1, true) {
  if (outer) edges.push_back(std::move(outer));
}

void LeafNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool) {
  if (!inputs.empty()) inputs[0] = gradients[0];
}

void LeafNode::forward(Push& push) {
  if (!push.arrived.empty()) push.leaving[0] = push.arrived[0];
}

}  // namespace dyad::autograd
