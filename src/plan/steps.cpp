#include "plan/steps.h"

#include <unordered_set>

#include "base/error.h"

namespace dyad::plan {

namespace {

using CodeOf = std::unordered_map<const ir::Function*, FunctionCode*>;

/// The symbols that the sizes of a function ask for; those of the functions it calls come with them, because
/// a function that is not told a symbol by its own arguments takes it from its caller.
void collect_symbols(const ir::Module& module, const CodeOf& code_of) {
  for (const auto& function : module.functions) {
    SymbolTable& symbols = code_of.at(function.get())->symbols;
    for (const auto& node : function->nodes) {
      for (const Arg& arg : node->args) {
        if (auto* dims = arg.get<Dims>()) {
          for (Dim dim : *dims) symbols.add_all(dim);
        }
      }
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& function : module.functions) {
      SymbolTable& symbols = code_of.at(function.get())->symbols;
      const size_t before = symbols.all().size();
      for (const auto& node : function->nodes) {
        for (const ir::Function* callee : node->functions) {
          const std::vector<Dim> needed = code_of.at(callee)->symbols.all();
          for (Dim symbol : needed) symbols.add(symbol);
        }
      }
      grown = grown || symbols.all().size() > before;
    }
  }
}

StepKind kind_of(const ir::Node& node) {
  switch (node.kind) {
    case ir::NodeKind::kCall:
      return node.functions[0]->fused ? StepKind::kFused : StepKind::kCall;
    case ir::NodeKind::kIf:
      return StepKind::kIf;
    case ir::NodeKind::kWhile:
      return StepKind::kWhile;
    case ir::NodeKind::kHost:
      return StepKind::kHost;
    case ir::NodeKind::kOperator:
    case ir::NodeKind::kConstant:
      break;
  }
  if (dynamic_cast<const NumberOperator*>(node.op)) return StepKind::kNumber;
  return dynamic_cast<const Intrinsic*>(node.op) ? StepKind::kIntrinsic : StepKind::kOperator;
}

class Translator {
 public:
  Translator(const ir::Function& function, FunctionCode& code, const CodeOf& code_of)
      : function_(function), code_(code), code_of_(code_of) {}

  void run() {
    code_.function = &function_;
    for (const auto& param : function_.params) code_.params.push_back(define(*param));
    for (size_t i = 0; i < function_.params.size(); ++i) bind(*function_.params[i], i, code_.bindings);
    for (const auto& node : function_.nodes) add(*node);
    for (const auto& result : function_.results) {
      const Slot slot = slot_of(*result);
      code_.results.push_back(slot);
      if (slot != kNoSlot) live_.insert(slot);
    }
    for (const auto& update : function_.updates) {
      code_.updates.push_back({code_.params[update.index], slot_of(*update.value)});
      live_.insert(code_.updates.back().state);
      live_.insert(code_.updates.back().value);
    }
    code_.slots = count_;
    find_last_uses();
  }

 private:
  Slot define(const ir::GraphValue& value) {
    const Slot slot = value.kind == ir::GraphValue::Kind::kToken ? kNoSlot : count_++;
    slots_.emplace(&value, slot);
    return slot;
  }
  Slot slot_of(const ValueImpl& value) const { return slots_.at(&value); }

  /// A symbol that stands alone as a size is known as soon as the value is.
  void bind(const ir::GraphValue& value, size_t index, std::vector<Step::Binding>& bindings) const {
    if (value.kind == ir::GraphValue::Kind::kResidualStack) return;
    for (size_t axis = 0; axis < value.shape.size(); ++axis) {
      if (value.shape[axis].known()) continue;
      const int symbol = code_.symbols.find(value.shape[axis]);
      if (symbol < 0) continue;
      bindings.push_back(
          {static_cast<uint16_t>(index), static_cast<uint16_t>(axis), static_cast<uint32_t>(symbol)});
    }
  }

  void add(const ir::Node& node) {
    if (node.kind == ir::NodeKind::kConstant) {
      code_.constants.push_back({define(*node.results[0]), node.args[0]});
      constants_.insert(code_.constants.back().slot);
      return;
    }
    Step step;
    step.kind = kind_of(node);
    step.node = &node;
    if (step.kind == StepKind::kOperator) step.op = static_cast<const Op*>(node.op);
    for (size_t i = 0; i < node.args.size(); ++i) add_argument(step, node.args[i], i);
    for (size_t i = 0; i < node.results.size(); ++i) {
      step.results.push_back(define(*node.results[i]));
      bind(*node.results[i], i, step.bindings);
    }
    for (const ir::Function* callee : node.functions) add_function(step, *callee);
    if (step.kind == StepKind::kIntrinsic) set_defined_symbol(step);
    code_.steps.push_back(std::move(step));
  }

  void add_argument(Step& step, const Arg& arg, size_t index) const {
    const auto at = static_cast<uint16_t>(index);
    if (auto* value = arg.get<Value>()) {
      const Slot slot = slot_of(**value);
      if (slot != kNoSlot) step.operands.push_back({at, -1, slot, false});
      step.args.emplace_back();
      return;
    }
    if (auto* list = arg.get<ValueList>()) {
      for (size_t i = 0; i < list->size(); ++i) {
        if ((*list)[i]) step.operands.push_back({at, static_cast<int16_t>(i), slot_of(*(*list)[i]), false});
      }
      step.args.emplace_back(ValueList(list->size()));
      return;
    }
    if (auto* dims = arg.get<Dims>()) {
      for (size_t i = 0; i < dims->size(); ++i) {
        if ((*dims)[i].known()) continue;
        step.sizes.push_back({at, static_cast<uint16_t>(i), DimExpression((*dims)[i], code_.symbols)});
      }
    }
    step.args.push_back(arg);
  }

  void add_function(Step& step, const ir::Function& callee) const {
    const FunctionCode* code = code_of_.at(&callee);
    step.functions.push_back(code);
    auto& inherited = step.inherited.emplace_back();
    const auto& needed = code->symbols.all();
    for (uint32_t i = 0; i < needed.size(); ++i) {
      const int own = code_.symbols.find(needed[i]);
      if (own >= 0) inherited.push_back({static_cast<uint32_t>(own), i});
    }
  }

  void set_defined_symbol(Step& step) const {
    if (static_cast<const Intrinsic*>(step.node->op)->task != Intrinsic::Task::kDefineSymbol) return;
    step.defines = code_.symbols.add(Dim::symbol(*step.node->args[1].get<std::string>()));
  }

  /// A value is dropped after the last step that uses it, so that its memory serves another. Constants stay.
  void find_last_uses() {
    std::unordered_set<Slot> needed = live_;
    needed.insert(constants_.begin(), constants_.end());
    for (auto step = code_.steps.rbegin(); step != code_.steps.rend(); ++step) {
      for (const Slot result : step->results) {
        if (result != kNoSlot && needed.insert(result).second) step->dying.push_back(result);
      }
      for (auto operand = step->operands.rbegin(); operand != step->operands.rend(); ++operand) {
        if (!needed.insert(operand->slot).second) continue;
        operand->last_use = true;
        step->dying.push_back(operand->slot);
      }
    }
    for (const Slot param : code_.params) {
      if (param != kNoSlot && !needed.contains(param)) code_.unused_params.push_back(param);
    }
  }

  const ir::Function& function_;
  FunctionCode& code_;
  const CodeOf& code_of_;
  std::unordered_map<const ValueImpl*, Slot> slots_;
  std::unordered_set<Slot> constants_;
  std::unordered_set<Slot> live_;  ///< at the end
  Slot count_ = 0;
};

}  // namespace

Code::Code(const ir::Module& module) : module_(module) {
  CodeOf code_of;
  for (const auto& function : module.functions) {
    functions_.push_back(std::make_unique<FunctionCode>());
    functions_.back()->index = static_cast<uint32_t>(functions_.size() - 1);
    code_of.emplace(function.get(), functions_.back().get());
  }
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      if (node->kind == ir::NodeKind::kOperator && node->op == find_intrinsic("define_symbol")) {
        code_of.at(function.get())->symbols.add(Dim::symbol(*node->args[1].get<std::string>()));
      }
    }
  }
  collect_symbols(module, code_of);
  for (const auto& function : module.functions) {
    Translator(*function, *code_of.at(function.get()), code_of).run();
  }
}

}  // namespace dyad::plan
