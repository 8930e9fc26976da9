#include "transforms/dependence.h"

#include <algorithm>
#include <unordered_map>

#include "ir/calls.h"
#include "ops/number_operator.h"
#include "ops/op.h"

namespace dyad::transforms {

using ir::GraphValue;
using Kind = GraphValue::Kind;

namespace {

/// The parameter that a value is, or a view of it is; -1 for another one.
int viewed_param(const GraphValue& value) {
  const GraphValue* at = &value;
  while (at->producer) {
    auto* op =
        at->producer->kind == ir::NodeKind::kOperator ? dynamic_cast<const Op*>(at->producer->op) : nullptr;
    const bool follows = op && (op->view || op->writes >= 0);
    auto* first =
        follows ? at->producer->args[static_cast<size_t>(std::max(op->writes, 0))].get<Value>() : nullptr;
    if (!first) return -1;
    at = &ir::as_graph_value(*first);
  }
  return static_cast<int>(at->index);
}

bool writes_to(const ir::Function& function, size_t param, std::vector<const ir::Function*>& asked) {
  for (const ir::Function* before : asked) {
    if (before == &function) return true;  // it calls itself: it may
  }
  asked.push_back(&function);
  const auto reaches = [&](const Arg& arg) {
    bool found = false;
    ir::for_each_value(arg, [&](const Value& value) {
      found = found || viewed_param(ir::as_graph_value(value)) == static_cast<int>(param);
    });
    return found;
  };
  bool found = false;
  for (const auto& node : function.nodes) {
    if (node->kind == ir::NodeKind::kConstant) continue;
    for (size_t i = 0; i < node->args.size() && !found; ++i) {
      if (!reaches(node->args[i])) continue;
      if (node->kind == ir::NodeKind::kOperator) {
        found = node->op->consumes(i);
      } else {
        for (const ir::Callee& callee : ir::callees_of(*node)) {
          const size_t first = callee.first_argument;
          found = found || (callee.runs() && i >= first && writes_to(*callee.function, i - first, asked));
        }
      }
    }
  }
  asked.pop_back();
  return found;
}

void spread(const ir::Function& function, std::unordered_map<const ValueImpl*, bool>& varies,
            std::vector<const ir::Function*>& asked);

std::vector<bool> varying(const ir::Function& function, const std::vector<bool>& by,
                          std::vector<const ir::Function*>& asked) {
  std::vector<bool> found(function.results.size(), true);
  for (const ir::Function* before : asked) {
    if (before == &function) return found;
  }
  asked.push_back(&function);
  std::unordered_map<const ValueImpl*, bool> varies;
  for (size_t i = 0; i < by.size(); ++i) varies[function.params[i].get()] = by[i];
  spread(function, varies, asked);
  for (size_t i = 0; i < found.size(); ++i) found[i] = varies[function.results[i].get()];
  asked.pop_back();
  return found;
}

bool may_vary(const GraphValue& value) {
  return (value.kind == Kind::kTensor && (is_float(value.dtype) || is_complex(value.dtype))) ||
         value.kind == Kind::kResidualStack;
}

/// What is written inside `no_grad` keeps its history: a new version varies where the one before did.
void spread_to_written(const ir::Node& node, std::unordered_map<const ValueImpl*, bool>& varies) {
  if (node.kind != ir::NodeKind::kOperator) return;
  auto* op = dynamic_cast<const Op*>(node.op);
  const int written = op ? op->writes : node.op == find_intrinsic("write_view") ? 0 : -1;
  if (written < 0) return;
  ir::for_each_value(node.args[static_cast<size_t>(written)], [&](const Value& value) {
    for (const auto& result : node.results) varies[result.get()] = varies[value.get()];
  });
}

void spread(const ir::Function& function, std::unordered_map<const ValueImpl*, bool>& varies,
            std::vector<const ir::Function*>& asked) {
  for (const auto& node : function.nodes) {
    if (node->kind == ir::NodeKind::kConstant || node->kind == ir::NodeKind::kHost) continue;
    if (node->constant) {
      spread_to_written(*node, varies);
      continue;
    }
    std::vector<bool> by;
    bool any = false;
    for (const Arg& arg : node->args) {
      bool one = false;
      ir::for_each_value(arg, [&](const Value& value) { one = one || varies[value.get()]; });
      by.push_back(one);
      any = any || one;
    }
    if (!any) continue;
    if (node->kind == ir::NodeKind::kOperator) {
      auto* op = dynamic_cast<const Op*>(node->op);
      if (op && !op->grad && !op->body && !op->grad_missing && op->writes < 0) continue;
      for (const auto& result : node->results) varies[result.get()] = result->kind != Kind::kNumber;
      continue;
    }
    std::vector<bool> results(node->results.size(), false);
    const size_t carried = ir::carried_count(*node);
    by.erase(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(ir::first_passed_argument(*node)));
    for (bool grown = true; grown;) {
      grown = false;
      for (const ir::Callee& callee : ir::callees_of(*node)) {
        if (!callee.gives_results()) continue;
        const std::vector<bool> more = varying(*callee.function, by, asked);
        for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] || more[i];
      }
      for (size_t i = 0; i < carried; ++i) {
        results[i] = results[i] || by[i];
        if (results[i] && !by[i]) grown = by[i] = true;
      }
    }
    for (size_t i = 0; i < results.size(); ++i) varies[node->results[i].get()] = results[i];
  }
}

}  // namespace

bool calls_itself(const ir::Function& function) { return ir::reachable_from(function).contains(&function); }

bool writes_to(const ir::Function& function, size_t param) {
  std::vector<const ir::Function*> asked;
  return writes_to(function, param, asked);
}

std::vector<bool> varying_results(const ir::Function& function, const std::vector<bool>& by, Varying which) {
  std::vector<const ir::Function*> asked;
  std::vector<bool> found = varying(function, by, asked);
  if (which == Varying::kAll) return found;
  for (size_t i = 0; i < found.size(); ++i) found[i] = found[i] && may_vary(*function.results[i]);
  return found;
}

}  // namespace dyad::transforms
