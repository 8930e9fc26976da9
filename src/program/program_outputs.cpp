#include "program/program_outputs.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/calls.h"

namespace dyad::program {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;
using Kind = GraphValue::Kind;

const Op* table_op(const Node& node) {
  return node.kind == NodeKind::kOperator ? dynamic_cast<const Op*>(node.op) : nullptr;
}

/// Attributes only, all of them known: the view can be made outside of the graph.
bool is_plain(std::span<const Arg> args) {
  for (const Arg& arg : args) {
    if (arg.get<Value>() || arg.get<ValueList>()) return false;
    auto* dims = arg.get<Dims>();
    if (dims && !all_known(*dims)) return false;
  }
  return true;
}

/// The node that makes the value, if it is a view that can be made again elsewhere; else null.
const Node* view_node(const GraphValue& value) {
  const Op* op = value.producer ? table_op(*value.producer) : nullptr;
  if (!op || !op->view || value.producer->results.size() != 1) return nullptr;
  const std::vector<Arg>& args = value.producer->args;
  return args[0].get<Value>() && is_plain(std::span(args).subspan(1)) ? value.producer : nullptr;
}

const GraphValue& viewed(const Node& view) { return ir::as_graph_value(*view.args[0].get<Value>()); }

/// Whether this last version of state was written by operators without a gradient. Functions may
/// call themselves: each is looked at once.
bool is_state_write(const GraphValue& value, std::unordered_set<const GraphValue*>& seen) {
  const Node* node = value.producer;
  if (!node || !seen.insert(&value).second) return true;
  if (const Op* op = table_op(*node)) return op->state;
  for (const ir::Callee& callee : ir::callees_of(*node)) {
    if (!callee.gives_results()) continue;
    if (!is_state_write(*callee.function->results[value.index], seen)) return false;
  }
  return !node->functions.empty();
}

class OutputSeparation {
 public:
  explicit OutputSeparation(std::shared_ptr<ir::Module> module) : main_(module->main()) {
    made_.module = std::move(module);
  }

  ProgramOutputs run() {
    look_at_nodes();
    number_inputs();
    find_shared_buffers();
    for (const GraphValueRef& result : main_.results) {
      if (result->kind == Kind::kToken) {
        token_ = result;
      } else {
        made_.results.push_back(result_of(result));
      }
    }
    for (const Function::Update& update : main_.updates) {
      const uint32_t input = inputs_.at(main_.params[update.index].get());
      std::unordered_set<const GraphValue*> seen;
      if (is_state_write(*update.value, seen)) {
        made_.states.push_back(input);
        if (update.value->producer && !update.value->producer->functions.empty()) {
          made_.refusal = cat("state, input ", input, ", is written in a branch or loop");
        }
      } else {
        made_.writes.push_back({input, output_of(update.value)});
      }
    }
    made_.outputs = outputs_.size();
    main_.results = std::move(outputs_);
    if (token_) main_.results.push_back(std::move(token_));
    return std::move(made_);
  }

 private:
  void look_at_nodes() {
    std::unordered_set<const Function*> gradients;
    for (const auto& function : made_.module->functions) {
      for (const auto& node : function->nodes) {
        for (const ir::Callee& callee : ir::callees_of(*node)) {
          if (!callee.runs()) gradients.insert(callee.function);
        }
      }
    }
    made_.custom = !gradients.empty();
    for (const auto& function : made_.module->functions) {
      for (const auto& node : function->nodes) {
        if (node->kind == NodeKind::kConstant && node->args[0].get<Value>()) {
          made_.constants.push_back(*node->args[0].get<Value>());
        }
        // What host code gives in a gradient that the program brings itself is nothing to differentiate.
        if (node->kind != NodeKind::kHost || gradients.contains(function.get())) continue;
        for (const GraphValueRef& result : node->results) {
          if (result->kind != Kind::kTensor) continue;
          made_.refusal = cat("host code (", node->host, ") gives a Tensor");
        }
      }
    }
  }

  void number_inputs() {
    uint32_t next = 0;
    for (const GraphValueRef& param : main_.params) {
      if (param->kind != Kind::kToken) inputs_[param.get()] = next++;
    }
    for (const Function::Update& update : main_.updates) {
      const GraphValue* param = main_.params[update.index].get();
      last_[update.value.get()] = inputs_.at(param);
      if (update.value.get() != param) old_.insert(param);
    }
  }

  /// Values that several results look at.
  void find_shared_buffers() {
    for (const GraphValueRef& result : main_.results) {
      const GraphValue* value = result.get();
      while (!input_of(*value) && view_node(*value)) value = &viewed(*view_node(*value));
      ++looks_[value];
    }
  }

  /// The input that a value is at the end of a run; null if it is none.
  const uint32_t* input_of(const GraphValue& value) const {
    if (auto last = last_.find(&value); last != last_.end()) return &last->second;
    const auto input = inputs_.find(&value);
    return input != inputs_.end() && !old_.contains(&value) ? &input->second : nullptr;
  }

  ProgramOutputs::Result result_of(const GraphValueRef& result) {
    ProgramOutputs::Result made;
    const GraphValue* buffer = result.get();
    std::vector<const Node*> views;
    while (!input_of(*buffer) && view_node(*buffer)) {
      views.push_back(view_node(*buffer));
      buffer = &viewed(*views.back());
    }
    if (const uint32_t* input = input_of(*buffer)) {
      made.of_input = true;
      made.index = *input;
    } else if (looks_.at(buffer) > 1) {
      made.index = output_of(GraphValueRef(const_cast<GraphValue*>(buffer)));
    } else {
      made.index = output_of(result);
      return made;
    }
    for (auto view = views.rbegin(); view != views.rend(); ++view) {
      made.views.push_back({static_cast<const Op*>((*view)->op), (*view)->args});
      made.views.back().args[0] = Arg();
    }
    return made;
  }

  uint32_t output_of(const GraphValueRef& value) {
    const auto [found, added] =
        output_numbers_.try_emplace(value.get(), static_cast<uint32_t>(outputs_.size()));
    if (added) outputs_.push_back(value);
    return found->second;
  }

  ProgramOutputs made_;
  Function& main_;
  std::unordered_map<const GraphValue*, uint32_t> inputs_;
  std::unordered_map<const GraphValue*, uint32_t> last_;  ///< last versions of inputs that are written
  std::unordered_set<const GraphValue*> old_;             ///< inputs as they were before they were written
  std::unordered_map<const GraphValue*, int> looks_;
  std::unordered_map<const GraphValue*, uint32_t> output_numbers_;
  std::vector<GraphValueRef> outputs_;
  GraphValueRef token_;
};

}  // namespace

ProgramOutputs program_outputs_of(std::shared_ptr<ir::Module> module) {
  return OutputSeparation(std::move(module)).run();
}

}  // namespace dyad::program
