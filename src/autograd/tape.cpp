#include "autograd/tape.h"

#include "autograd/autograd_meta.h"
#include "autograd/in_place.h"
#include "autograd/op_node.h"
#include "autograd/reads.h"
#include "autograd/state.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "eager/placement.h"

namespace dyad::autograd {

namespace {

Value first_value(const Op& op, std::span<const Arg> args) {
  auto* value = args.empty() ? nullptr : args[0].get<Value>();
  return op.view && value ? *value : Value();
}

/// A result that lies in the memory of the first argument remembers where it came from.
void link_result(const Op& op, std::span<const Arg> args, const Value& result) {
  const Value whole = first_value(op, args);
  if (!whole || result == whole) return;
  // What a graph has taken over is seen through a stand-in.
  const bool by_stand_in = as_tensor(result).window && !whole->symbolic;
  if (as_tensor(whole).storage != as_tensor(result).storage && !by_stand_in) return;
  link_view(as_tensor(result), as_tensor(whole), op, args);
}

void run_unrecorded(const Op& op, std::span<const Arg> args, ValueList& results) {
  const RecordingSwitch off(false);
  eager::run(op, args, results);
}

/// The arguments with copies of those that lie in the memory to be overwritten, where the rule reads them.
std::vector<Arg> saved_before_write(const Op& op, std::span<const Arg> args, const Value& target,
                                    ArgumentMask needed) {
  std::vector<Arg> saved(args.begin(), args.end());
  const Usage usage = usage_of(op, args, {&target, 1}, needed);
  for (size_t i = 0; i < saved.size(); ++i) {
    auto* value = saved[i].get<Value>();
    if (!value || !((usage.args >> i) & 1) || !may_overlap(as_tensor(*value), as_tensor(target))) continue;
    static const Op& copy = OpTable::instance().get("copy");
    const Arg original[] = {*value};
    saved[i] = eager::run_one(copy, original);
  }
  return saved;
}

void note_reads(std::span<const Arg> args) {
  if (state().reads) state().reads->note(args);
}

class Tape final : public eager::Tape {
 public:
  Value call_one(const Op& op, std::span<const Arg> args) override {
    if (op.writes >= 0) return write(op, args);
    if (!state().enabled) {
      note_reads(args);
      Value result = eager::run_one(op, args);
      if (const Value whole = first_value(op, args); whole && autograd_meta_of(*whole)) {
        link_result(op, args, result);
      }
      return result;
    }
    Inputs inputs(args);
    if (inputs.empty()) {
      Value result = eager::run_one(op, args);
      if (op.view) link_result(op, args, result);
      return result;
    }
    if (!op.grad && op.body) {
      ValueList results;
      eager::run_body(op, args, results);
      return std::move(results.front());
    }
    Value result;
    {
      const RecordingSwitch off(false);
      result = eager::run_one(op, args);
    }
    if (!op.grad && !op.grad_missing) return result;
    if (op.view) link_result(op, args, result);
    record(op, args, {&result, 1}, std::move(inputs));
    return result;
  }

  void call(const Op& op, std::span<const Arg> args, ValueList& results) override {
    if (op.signature.results == 1 && !op.signature.results_listed) {
      results.push_back(call_one(op, args));
      return;
    }
    if (!state().enabled) note_reads(args);
    if (!state().enabled || op.state) return eager::run(op, args, results);
    Inputs inputs(args);
    if (inputs.empty()) return eager::run(op, args, results);
    if (!op.grad && op.body) return eager::run_body(op, args, results);
    run_unrecorded(op, args, results);
    if (op.grad || op.grad_missing) record(op, args, results, std::move(inputs));
  }

  void call_into(const Op& op, std::span<const Arg> args, const Value& target) override {
    TensorImpl& tensor = as_tensor(target);
    if (!state().enabled) {
      note_reads(args);
      return eager::run_into(op, args, target);
    }
    if (updates_leaf(tensor, args)) {
      const RecordingSwitch off(false);
      return eager::run_into(op, args, target);
    }
    Inputs inputs(args);
    if (inputs.empty() && !requires_grad(tensor)) return eager::run_into(op, args, target);
    require_rewritable(op.name, tensor);
    if (op.grad) {
      const std::vector<Arg> saved = saved_before_write(op, args, target, inputs.needed);
      {
        const RecordingSwitch off(false);
        eager::run_into(op, args, target);
      }
      return replace(op, saved, target, std::move(inputs));
    }
    const Value result =
        tensor.symbolic ? call_one(op, eager::with_target_copied(target, args)) : call_one(op, args);
    {
      static const Op& assign = OpTable::instance().get("assign");
      const RecordingSwitch off(false);
      const Arg written[] = {target, result};
      eager::run_one(assign, written);
    }
    rewrite(tensor, edge_of(*result));
  }

 private:
  static void record(const Op& op, std::span<const Arg> args, std::span<const Value> results, Inputs inputs) {
    const Ref<Node> node(new OpNode(op, args, results, std::move(inputs)));
    for (size_t i = 0; i < results.size(); ++i) {
      set_source(as_tensor(results[i]), {node, static_cast<uint32_t>(i)});
    }
  }

  /// After a write to `target`: its new source is the operator that was written.
  static void replace(const Op& op, std::span<const Arg> saved, const Value& target, Inputs inputs) {
    Edge edge;
    if (!inputs.empty()) edge.node = Ref<Node>(new OpNode(op, saved, {&target, 1}, std::move(inputs)));
    rewrite(as_tensor(target), std::move(edge));
  }

  /// An operator that changes an argument in place.
  static Value write(const Op& op, std::span<const Arg> args) {
    if (op.body && !eager::has_kernel(op)) {
      ValueList results;
      eager::run_body(op, args, results);
      return std::move(results.front());
    }
    const Value& target = *args[static_cast<size_t>(op.writes)].get<Value>();
    TensorImpl& tensor = as_tensor(target);
    const AutogradMeta* meta = autograd_meta_of(tensor);
    if (!state().enabled) note_reads(args);
    const bool computed = meta && !meta->is_leaf() && edge_of(tensor);
    if (!state().enabled || (op.state && !computed)) return eager::run_one(op, args);
    if (updates_leaf(tensor, args)) {
      const RecordingSwitch off(false);
      return eager::run_one(op, args);
    }
    Inputs inputs(args);
    if (inputs.empty()) return eager::run_one(op, args);
    require_rewritable(op.name, tensor);
    if (!op.grad) {  // what is written does not vary with what was there
      eager::run_one(op, args);
      rewrite(tensor, {});
      return target;
    }
    const std::vector<Arg> saved = saved_before_write(op, args, target, inputs.needed);
    eager::run_one(op, args);
    replace(op, saved, target, std::move(inputs));
    return target;
  }
};

}  // namespace

void initialise() {
  static Tape tape;
  eager::set_tape(&tape);
}

}  // namespace dyad::autograd
