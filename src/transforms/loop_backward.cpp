#include "transforms/loop_backward.h"

#include "ops/call.h"
#include "transforms/loop_forward.h"
#include "transforms/loop_state.h"
#include "transforms/replay.h"
#include "transforms/residual_stack.h"

namespace dyad::transforms {

using Kind = ir::GraphValue::Kind;

namespace {

DYAD_USE(add);

/// The backward loop while it is written, see `LoopBackwardState`.
class LoopBackward {
 public:
  using Types = LoopBackwardState<TypeSpec>;
  using State = LoopBackwardState<Item>;

  LoopBackward(GraphTracer& tracer, const Joint& joint, const std::vector<bool>& by,
               const std::vector<bool>& of, const LoopRun& run)
      : tracer_(tracer), joint_(joint), by_(by), of_(of), run_(run), types_(types()) {}
  LoopBackward(const LoopBackward&) = delete;
  LoopBackward& operator=(const LoopBackward&) = delete;

  std::vector<Item> write() {
    State initial{{run_.rounds}, run_.gradients, {}, run_.stacks};
    DYAD_ASSERT(initial.gradients.size() == types_.gradients.size());
    for (const TypeSpec& spec : types_.sums) initial.sums.push_back(zeros_of(tracer_, spec));
    const std::vector<TypeSpec> specs = flatten(types_);
    FunctionScope test(tracer_, "loop_backward_condition", specs);
    const State tested = unflatten(types_, test.params());
    const Item truth = apply_number(tracer_, "gt", tested.rounds[0], Scalar(0));
    Scope* condition = test.end();
    FunctionScope round(tracer_, "loop_backward", specs);
    const State next = turned(unflatten(types_, round.params()));
    Scope* body = round.end();
    return by_operand(
        unflatten(types_, tracer_.add_while(*condition, truth, *body, flatten(next), flatten(initial))));
  }

 private:
  /// Whether the loop carries the gradient of an operand; if not, it sums up what each round adds to it.
  bool carries(size_t operand) const { return operand < of_.size() && of_[operand]; }

  Types types() const {
    Types made;
    made.rounds.emplace_back().number = true;
    for (size_t i = 0; i < by_.size(); ++i) {
      if (by_[i])
        (carries(i) ? made.gradients : made.sums).push_back(type_spec_of(*joint_.forward->params[i]));
    }
    for (const Item& stack : run_.stacks) {
      made.stacks.push_back(type_spec_of(tensor_in(stack)));
      made.stacks.back().residual_stack = true;
    }
    return made;
  }

  /// n = n - 1;  S, r = pop(S);  x̄, d = f̄(r, k, x̄);  k̄ = k̄ + d
  State turned(const State& state) const {
    State next;
    next.rounds = {apply_number(tracer_, "sub", state.rounds[0], Scalar(1))};
    std::vector<Item> args = popped(state, next);
    args.insert(args.end(), state.gradients.begin(), state.gradients.end());
    const std::vector<Item> gradients = Replay(tracer_).run(*joint_.backward, args);
    auto found = gradients.begin();
    for (size_t i = 0; i < by_.size(); ++i) {
      if (!by_[i]) continue;
      if (carries(i)) {
        next.gradients.push_back(*found++);
      } else {
        const Value sum = tensor_in(state.sums[next.sums.size()]);
        next.sums.emplace_back(tensor_of(add(sum, Value(tensor_in(*found++)))));
      }
    }
    return next;
  }

  /// The residuals of a round: from their stacks, or operands that are the same in each.
  std::vector<Item> popped(const State& state, State& next) const {
    std::vector<Item> residuals;
    const std::vector<bool> stacked = stacked_residuals(joint_, of_.size());
    for (size_t i = 0; i < stacked.size(); ++i) {
      if (!stacked[i]) {
        residuals.push_back(run_.operands[static_cast<size_t>(joint_.residuals[i])]);
        continue;
      }
      const Kind kind = joint_.backward->params[i]->kind;
      const Tensor& stack = tensor_in(state.stacks[next.stacks.size()]);
      const auto [rest, top] = pop_residual(tracer_, stack, kind == Kind::kResidualStack);
      next.stacks.emplace_back(rest);
      residuals.push_back(kind == Kind::kNumber ? Item(tracer_.number_of(top)) : Item(top));
    }
    return residuals;
  }

  std::vector<Item> by_operand(const State& state) const {
    std::vector<Item> gradients;
    auto carried = state.gradients.begin();
    auto sum = state.sums.begin();
    for (size_t i = 0; i < by_.size(); ++i) {
      if (by_[i]) gradients.push_back(carries(i) ? *carried++ : *sum++);
    }
    return gradients;
  }

  GraphTracer& tracer_;
  const Joint& joint_;
  const std::vector<bool>& by_;
  const std::vector<bool>& of_;
  const LoopRun& run_;
  const Types types_;
};

}  // namespace

std::vector<Item> write_loop_backward(GraphTracer& tracer, const Joint& body, const std::vector<bool>& by,
                                      const std::vector<bool>& of, const LoopRun& run) {
  return LoopBackward(tracer, body, by, of, run).write();
}

}  // namespace dyad::transforms
