#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "compile/arena.h"
#include "compile/frame.h"
#include "compile/plan.h"
#include "eager/dispatch.h"
#include "passes/memory.h"

namespace dyad::compile {

namespace {

using Source = Root::Source;
using Way = ResultPlan::Way;

/// For each function, which parameter's memory each result keeps, or -1. Functions that one node may run in
/// each other's stead must agree.
class Forwarding {
 public:
  explicit Forwarding(const ir::Module& module) {
    const passes::ModuleMemory memory(module);
    for (const auto& function : module.functions) {
      std::vector<int>& kept = kept_[function.get()];
      for (const auto& result : memory.of(*function).results) kept.push_back(result.version_of);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& function : module.functions) {
        for (const auto& node : function->nodes) changed = agree(*node) || changed;
      }
    }
  }
  const std::vector<int>& of(const ir::Function& function) const { return kept_.at(&function); }

 private:
  bool agree(const ir::Node& node) {
    bool changed = false;
    const auto drop = [&](int& kept) {
      changed = changed || kept >= 0;
      kept = -1;
    };
    if (node.kind == ir::NodeKind::kIf) {
      auto& yes = kept_.at(node.functions[0]);
      auto& no = kept_.at(node.functions[1]);
      for (size_t i = 0; i < yes.size(); ++i) {
        if (yes[i] == no[i]) continue;
        drop(yes[i]);
        drop(no[i]);
      }
    }
    if (node.kind == ir::NodeKind::kWhile) {
      auto& body = kept_.at(node.functions[1]);
      for (size_t i = 0; i < body.size(); ++i) {
        if (body[i] >= 0 && body[i] != static_cast<int>(i)) drop(body[i]);
      }
    }
    return changed;
  }
  std::unordered_map<const ir::Function*, std::vector<int>> kept_;
};

bool is_tensor(const ir::GraphValue& value) { return value.kind == ir::GraphValue::Kind::kTensor; }

/// Whether all sizes of the function are known and no kernel decides one.
bool is_static(const FunctionCode& code) {
  const auto known = [](const ir::GraphValueRef& value) { return all_known(value->shape); };
  const ir::Function& function = *code.function;
  if (!std::all_of(function.params.begin(), function.params.end(), known)) return false;
  for (const Step& step : code.steps) {
    if (step.op && step.op->data_shape) return false;
    if (!step.sizes.empty()) return false;
    if (!std::all_of(step.node->results.begin(), step.node->results.end(), known)) return false;
  }
  return code.updates.empty();
}

class Planner {
 public:
  using PlanOf = std::unordered_map<const FunctionCode*, FunctionPlan*>;

  Planner(const FunctionCode& code, FunctionPlan& plan, const Forwarding& forwarding, const PlanOf& plan_of)
      : code_(code), plan_(plan), forwarding_(forwarding), plan_of_(plan_of) {}

  /// False where something cannot be planned.
  bool run() {
    plan_.code = &code_;
    plan_.cell_of_slot.assign(code_.slots, -1);
    for (size_t i = 0; i < code_.params.size(); ++i) add_param(i);
    for (const FunctionCode::Constant& constant : code_.constants) add_constant(constant);
    count_uses();
    for (size_t i = 0; i < code_.steps.size(); ++i) {
      if (!add_step(code_.steps[i])) return false;
    }
    if (!add_results()) return false;
    place();
    return true;
  }

 private:
  uint32_t now() const { return static_cast<uint32_t>(plan_.steps.size()); }

  uint32_t add_root(Source source, size_t bytes, uint32_t index = 0) {
    Root root;
    root.source = source;
    root.bytes = bytes;
    root.index = index;
    root.first = root.last = now();
    plan_.roots.push_back(std::move(root));
    return static_cast<uint32_t>(plan_.roots.size() - 1);
  }
  uint32_t add_cell(DType dtype, const Shape& shape, const Strides& strides, uint32_t root, int64_t offset) {
    Cell cell;
    cell.dtype = dtype;
    cell.shape = shape;
    cell.strides = strides;
    cell.root = root;
    cell.offset = offset;
    plan_.cells.push_back(std::move(cell));
    const auto index = static_cast<uint32_t>(plan_.cells.size() - 1);
    plan_.roots[root].cells.push_back(index);
    return index;
  }
  /// A row-major tensor that fills memory of its own.
  uint32_t add_whole(const ir::GraphValue& value, Source source, uint32_t index = 0) {
    const auto bytes = static_cast<size_t>(numel(value.shape) * itemsize(value.dtype));
    return add_cell(value.dtype, value.shape, contiguous_strides(value.shape), add_root(source, bytes, index),
                    0);
  }
  void set_cell(Slot slot, uint32_t cell) { plan_.cell_of_slot[slot] = static_cast<int>(cell); }
  uint32_t cell_of(Slot slot) const { return static_cast<uint32_t>(plan_.cell_of_slot[slot]); }
  Root& root_of(uint32_t cell) { return plan_.roots[plan_.cells[cell].root]; }
  void use(uint32_t cell) { root_of(cell).last = std::max(root_of(cell).last, now()); }
  bool is_whole(uint32_t cell) const {
    const Cell& shown = plan_.cells[cell];
    const Root& root = plan_.roots[shown.root];
    return shown.offset == 0 && is_contiguous(shown.shape, shown.strides) &&
           root.bytes == static_cast<size_t>(numel(shown.shape) * itemsize(shown.dtype));
  }

  void add_param(size_t i) {
    const ir::GraphValue& param = *code_.function->params[i];
    if (is_tensor(param))
      set_cell(code_.params[i], add_whole(param, Source::kParam, static_cast<uint32_t>(i)));
  }
  void add_constant(const FunctionCode::Constant& constant) {
    auto* value = constant.value.get<Value>();
    if (!value) return;
    const TensorImpl& tensor = as_tensor(*value);
    const uint32_t cell =
        add_cell(tensor.dtype, tensor.shape, tensor.strides, add_root(Source::kConstant, 0), 0);
    plan_.cells[cell].constant = Tensor(const_cast<TensorImpl*>(&tensor));
    set_cell(constant.slot, cell);
  }

  void count_uses() {
    uses_.assign(code_.slots, 0);
    for (const Step& step : code_.steps) {
      for (const Step::Operand& operand : step.operands) ++uses_[operand.slot];
    }
    for (const Slot result : code_.results) {
      if (result != kNoSlot) uses_[result] += 2;  // no write may take its place
    }
  }

  bool add_step(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kOperator:
        return add_operator(step);
      case Step::Kind::kNumber: {
        PlannedStep planned = start(step, PlannedStep::Kind::kNumber);
        add_operands(planned, step);
        plan_.steps.push_back(std::move(planned));
        return true;
      }
      case Step::Kind::kBridge:
        return add_bridge(step);
      case Step::Kind::kHost:
        return add_host(step);
      case Step::Kind::kCall:
      case Step::Kind::kIf:
      case Step::Kind::kWhile:
        return add_call(step);
    }
    return false;
  }

  static PlannedStep start(const Step& step, PlannedStep::Kind kind) {
    PlannedStep planned;
    planned.kind = kind;
    planned.step = &step;
    planned.op = step.op;
    planned.args = step.args;
    return planned;
  }
  void add_operands(PlannedStep& planned, const Step& step) {
    for (const Step::Operand& operand : step.operands) {
      if (plan_.cell_of_slot[operand.slot] < 0) {
        planned.numbers.push_back({operand.arg, operand.slot});
      } else {
        planned.tensors.push_back({operand.arg, operand.member, cell_of(operand.slot)});
        use(cell_of(operand.slot));
      }
    }
  }

  // ---- operators

  bool add_operator(const Step& step) {
    const Op& op = *step.op;
    if (op.view && add_view(step)) return true;
    const Kernel kernel = eager::kernel_of(op);
    PlannedStep planned = start(step, kernel.run ? PlannedStep::Kind::kKernel : PlannedStep::Kind::kDispatch);
    planned.kernel = kernel;
    add_operands(planned, step);
    if (!kernel.run) return add_dispatched(std::move(planned), step);
    if (op.writes >= 0) {
      const uint32_t target = operand_cell(step, static_cast<uint16_t>(op.writes));
      if (takes_write(step, target)) return true;
      note_write(planned, target);
      planned.outs = {target};
      set_cell(step.results[0], target);
    } else {
      size_t own = step.results.size();
      for (const PlannedStep::TensorOperand& operand : planned.tensors) own -= is_updated(op, operand.arg);
      for (size_t i = 0; i < own; ++i) {
        const uint32_t made = add_whole(*step.node->results[i], Source::kArena);
        planned.outs.push_back(made);
        set_cell(step.results[i], made);
      }
      size_t next = own;
      for (const int updated : op.updates) {
        for (const PlannedStep::TensorOperand& operand : planned.tensors) {
          if (operand.arg != updated) continue;
          note_write(planned, operand.cell);
          set_cell(step.results[next++], operand.cell);
        }
      }
      if (own == 1 && op.elementwise) take_place_of_operand(planned, step);
    }
    planned.preserves = op.state || !op.updates.empty();
    planned.long_work = work_of(planned) >= eager::kLongWork;
    plan_.steps.push_back(std::move(planned));
    return true;
  }
  static bool is_updated(const Op& op, int arg) {
    return std::find(op.updates.begin(), op.updates.end(), arg) != op.updates.end();
  }

  /// The prototype of a cell, for rules that look at sizes and strides.
  Value prototype(uint32_t cell) const {
    static char place[64];
    Tensor made(new TensorImpl);
    made->dtype = plan_.cells[cell].dtype;
    made->shape = plan_.cells[cell].shape;
    made->strides = plan_.cells[cell].strides;
    made->data = place;
    return made;
  }

  bool add_view(const Step& step) {
    std::vector<Arg> args = step.args;
    for (const Step::Operand& operand : step.operands) {
      if (plan_.cell_of_slot[operand.slot] < 0 || operand.member >= 0) return false;
      args[operand.arg] = prototype(cell_of(operand.slot));
    }
    const uint32_t base = operand_cell(step, 0);
    const ir::GraphValue& result = *step.node->results[0];
    ViewSpec view;
    if (!step.op->view(Arguments(step.op->name, args), {result.dtype, result.shape}, view)) return false;
    const Cell& shown = plan_.cells[base];
    const int64_t offset = shown.offset + view.offset * itemsize(shown.dtype);
    const Tensor constant = shown.constant;
    const uint32_t root = shown.root;
    use(base);
    const uint32_t made = add_cell(result.dtype, result.shape, view.strides, root, offset);
    if (constant) {
      plan_.cells[made].constant =
          make_view(*constant, result.dtype, result.shape, view.strides, view.offset);
    }
    set_cell(step.results[0], made);
    return true;
  }

  uint32_t operand_cell(const Step& step, uint16_t arg) const {
    for (const Step::Operand& operand : step.operands) {
      if (operand.arg == arg) return cell_of(operand.slot);
    }
    raise(ErrorKind::kInternal, "internal error: a step has no such operand");
  }

  /// `x1 = assign(x0, v)` right after `v = op(…)`: the operator writes to x0's memory at once.
  bool takes_write(const Step& step, uint32_t target) {
    static const Op* const assign = OpTable::instance().find("assign");
    if (step.op != assign || plan_.steps.empty() || step.operands.size() != 2) return false;
    const Slot value = step.operands[1].slot;
    PlannedStep& before = plan_.steps.back();
    const Cell& written = plan_.cells[target];
    const bool fits = before.kind == PlannedStep::Kind::kKernel && before.op->elementwise &&
                      before.op->writes < 0 && before.op->updates.empty() &&
                      before.step->results.size() == 1 && before.step->results[0] == value &&
                      uses_[value] == 1 && &step == before.step + 1 &&
                      written.dtype == before.step->node->results[0]->dtype &&
                      written.shape == before.step->node->results[0]->shape;
    if (!fits) return false;
    for (const PlannedStep::TensorOperand& operand : before.tensors) {
      // Another window on the same memory would be overwritten while it is read; two arguments may be one
      // memory.
      const Source other = root_of(operand.cell).source;
      const bool apart =
          other == Source::kArena || other == Source::kConstant || root_of(target).source == Source::kArena;
      const bool same_root = plan_.cells[operand.cell].root == written.root;
      if (operand.cell != target && (same_root || !apart)) return false;
    }
    // The memory that was meant for the value is given up.
    Root& unused = root_of(before.outs[0]);
    unused.bytes = 0;
    unused.takes_over = -1;
    before.outs = {target};
    before.op = before.step->op;
    before.step = &step;  // an error is one of the write
    before.preserves = true;
    const uint32_t last = now() - 1;
    root_of(target).last = std::max(root_of(target).last, last);
    note_write(before, target);
    set_cell(value, target);
    set_cell(step.results[0], target);
    return true;
  }

  void note_write(PlannedStep& planned, uint32_t cell) {
    const Source source = root_of(cell).source;
    use(cell);
    if (source == Source::kArena || source == Source::kGiven) return;
    root_of(cell).needs_storage = true;
    planned.written.push_back(cell);
  }

  /// An elementwise operator may write its result over an operand that nothing needs afterwards.
  void take_place_of_operand(PlannedStep& planned, const Step& step) {
    const uint32_t made = planned.outs[0];
    for (const Step::Operand& operand : step.operands) {
      const uint32_t cell =
          operand.member < 0 ? static_cast<uint32_t>(plan_.cell_of_slot[operand.slot]) : made;
      if (plan_.cell_of_slot[operand.slot] < 0 || !is_whole(cell)) continue;
      const bool same = plan_.cells[cell].dtype == plan_.cells[made].dtype &&
                        plan_.cells[cell].shape == plan_.cells[made].shape;
      const auto lies_there = [&](const PlannedStep::TensorOperand& other) {
        return other.cell != cell && plan_.cells[other.cell].root == plan_.cells[cell].root;
      };
      if (!same || root_of(cell).source != Source::kArena ||
          std::any_of(planned.tensors.begin(), planned.tensors.end(), lies_there)) {
        continue;
      }
      root_of(made).takes_over = static_cast<int>(plan_.cells[cell].root);
      return;
    }
  }

  int64_t bytes_of(uint32_t cell) const {
    return numel(plan_.cells[cell].shape) * itemsize(plan_.cells[cell].dtype);
  }
  int64_t work_of(const PlannedStep& planned) const {
    int64_t bytes = 0;
    for (const auto& operand : planned.tensors) bytes += bytes_of(operand.cell);
    for (const uint32_t out : planned.outs) bytes += bytes_of(out);
    return bytes;
  }

  /// An operator without a kernel runs through dispatch, which chooses the memory of its results. They may
  /// lie in that of an operand, which therefore stays as long as they do.
  bool add_dispatched(PlannedStep planned, const Step& step) {
    if (step.op->writes >= 0 || !step.op->updates.empty()) return false;
    for (size_t i = 0; i < step.results.size(); ++i) {
      const uint32_t made = add_adopted(*step.node->results[i]);
      planned.outs.push_back(made);
      set_cell(step.results[i], made);
      for (const auto& operand : planned.tensors)
        pinned_.emplace_back(plan_.cells[made].root, plan_.cells[operand.cell].root);
    }
    for (const auto& operand : planned.tensors) root_of(operand.cell).needs_storage = true;
    plan_.steps.push_back(std::move(planned));
    return true;
  }
  uint32_t add_adopted(const ir::GraphValue& value) {
    const uint32_t made = add_whole(value, Source::kAdopted);
    root_of(made).needs_storage = true;
    return made;
  }

  // ---- numbers and views

  bool add_bridge(const Step& step) {
    using Task = BridgeOperator::Task;
    switch (static_cast<const BridgeOperator&>(*step.node->op).task) {
      case Task::kNumberOf: {
        PlannedStep planned = start(step, PlannedStep::Kind::kNumberOf);
        add_operands(planned, step);
        if (planned.tensors.empty() || numel(plan_.cells[planned.tensors[0].cell].shape) != 1) return false;
        plan_.steps.push_back(std::move(planned));
        return true;
      }
      case Task::kTensorOf: {
        PlannedStep planned = start(step, PlannedStep::Kind::kTensorOf);
        add_operands(planned, step);
        planned.outs = {add_whole(*step.node->results[0], Source::kArena)};
        set_cell(step.results[0], planned.outs[0]);
        plan_.steps.push_back(std::move(planned));
        return true;
      }
      case Task::kDefineSymbol:
        return true;  // nothing asks for it: all sizes are known
      case Task::kDim:
        return false;  // a known size is folded
      case Task::kWriteView:
        return add_write_back(step);
    }
    return false;
  }

  bool add_write_back(const Step& step) {
    const uint32_t base = operand_cell(step, 0);
    const uint32_t value = operand_cell(step, 1);
    const uint32_t window = operand_cell(step, 2);
    use(base);
    set_cell(step.results[0], base);
    const Cell& from = plan_.cells[value];
    const Cell& to = plan_.cells[window];
    if (to.root != plan_.cells[base].root) return false;
    if (from.root == to.root && from.offset == to.offset && from.strides == to.strides) return true;
    add_copy(&step, value, window);
    return true;
  }
  void add_copy(const Step* step, uint32_t from, uint32_t to) {
    static const Op& assign = OpTable::instance().get("assign");
    PlannedStep planned;
    planned.step = step;
    planned.op = &assign;
    planned.kernel = eager::kernel_of(assign);
    planned.args.resize(2);
    planned.tensors = {{0, -1, to}, {1, -1, from}};
    planned.outs = {to};
    use(from);
    note_write(planned, to);
    planned.long_work = work_of(planned) >= eager::kLongWork;
    plan_.steps.push_back(std::move(planned));
  }

  // ---- functions and the host

  bool add_host(const Step& step) {
    PlannedStep planned = start(step, PlannedStep::Kind::kHost);
    add_operands(planned, step);
    for (const auto& operand : planned.tensors) show(operand.cell);
    for (size_t i = 1; i < step.results.size(); ++i) {
      planned.given.push_back({-1, step.results[i]});
      if (!is_tensor(*step.node->results[i])) continue;
      planned.given.back().cell = static_cast<int>(add_adopted(*step.node->results[i]));
      set_cell(step.results[i], static_cast<uint32_t>(planned.given.back().cell));
    }
    plan_.steps.push_back(std::move(planned));
    return true;
  }
  /// Somebody outside gets hold of it.
  void show(uint32_t cell) {
    Root& root = root_of(cell);
    root.needs_storage = true;
    if (root.source == Source::kArena) shown_.insert(plan_.cells[cell].root);
  }

  bool add_call(const Step& step) {
    PlannedStep planned = start(step, step.kind == Step::Kind::kIf      ? PlannedStep::Kind::kIf
                                      : step.kind == Step::Kind::kWhile ? PlannedStep::Kind::kWhile
                                                                        : PlannedStep::Kind::kCall);
    planned.passed.resize(step.args.size());
    for (const Step::Operand& operand : step.operands) {
      PlannedStep::Passed& passed = planned.passed[operand.arg];
      passed.slot = operand.slot;
      passed.cell = plan_.cell_of_slot[operand.slot];
      if (passed.cell < 0) continue;
      const auto cell = static_cast<uint32_t>(passed.cell);
      const bool condition = step.kind == Step::Kind::kIf && operand.arg == 0;
      if (!condition && !is_contiguous(plan_.cells[cell].shape, plan_.cells[cell].strides)) return false;
      use(cell);
      root_of(cell).needs_storage = true;
    }
    for (const FunctionCode* callee : step.functions) {
      const auto found = plan_of_.find(callee);
      if (found == plan_of_.end()) return false;
      if (found->second->is_main) return false;
      planned.functions.push_back(found->second);
    }
    const std::vector<int>& kept = forwarding_.of(*step.functions.back()->function);
    const size_t first = step.kind == Step::Kind::kIf ? 1 : 0;
    for (size_t r = 0; r < step.results.size(); ++r) {
      planned.given.push_back({-1, step.results[r]});
      const ir::GraphValue& result = *step.node->results[r];
      if (!is_tensor(result)) continue;
      if (kept[r] >= 0) {
        const auto& passed = planned.passed[first + static_cast<size_t>(kept[r])];
        planned.given.back().cell = passed.cell;
      } else {
        const uint32_t made = add_whole(result, Source::kArena);
        root_of(made).needs_storage = true;
        planned.given.back().cell = static_cast<int>(made);
        if (step.kind == Step::Kind::kWhile) {
          const uint32_t spare = add_whole(result, Source::kArena);
          planned.alternating.push_back({static_cast<uint32_t>(r), made, spare});
        }
      }
      set_cell(step.results[r], static_cast<uint32_t>(planned.given.back().cell));
    }
    plan_.steps.push_back(std::move(planned));
    return true;
  }

  // ---- the end

  bool add_results() {
    const std::vector<int>& kept = forwarding_.of(*code_.function);
    std::unordered_set<uint32_t> given;
    for (size_t r = 0; r < code_.results.size(); ++r) {
      ResultPlan& result = plan_.results.emplace_back();
      result.slot = code_.results[r];
      if (result.slot == kNoSlot) continue;
      if (plan_.cell_of_slot[result.slot] < 0) {
        result.way = Way::kNumber;
        continue;
      }
      result.cell = cell_of(result.slot);
      if (plan_.is_main) {
        result.way = Way::kTensor;
        show(result.cell);
        use(result.cell);
      } else if (kept[r] >= 0) {
        result.way = Way::kForwarded;
        if (result.cell != cell_of(code_.params[static_cast<size_t>(kept[r])])) return false;
      } else {
        give(result, r, given);
      }
    }
    for (const uint32_t root : shown_) plan_.roots[root].source = Source::kOwned;
    return true;
  }

  /// The caller says where the result goes: its memory is that from the start, or it is copied there at the
  /// end.
  void give(ResultPlan& result, size_t r, std::unordered_set<uint32_t>& given) {
    result.way = Way::kGiven;
    const uint32_t root = plan_.cells[result.cell].root;
    if (plan_.roots[root].source == Source::kArena && is_whole(result.cell) && !shown_.contains(root) &&
        given.insert(root).second && !is_rebound(root)) {
      plan_.roots[root].source = Source::kGiven;
      plan_.roots[root].index = static_cast<uint32_t>(r);
      plan_.roots[root].takes_over = -1;
      return;
    }
    const uint32_t place = add_whole(*code_.function->results[r], Source::kGiven, static_cast<uint32_t>(r));
    add_copy(nullptr, result.cell, place);
    result.cell = place;
  }
  bool is_rebound(uint32_t root) const {
    for (const PlannedStep& step : plan_.steps) {
      for (const auto& variable : step.alternating) {
        if (plan_.cells[variable.spare].root == root) return true;
      }
    }
    return false;
  }

  void place() {
    for (const auto& [result, operand] : pinned_) {
      plan_.roots[operand].last = std::max(plan_.roots[operand].last, plan_.roots[result].last);
    }
    std::vector<Block> blocks;
    std::vector<int> block_of(plan_.roots.size(), -1);
    for (size_t i = 0; i < plan_.roots.size(); ++i) {
      const Root& root = plan_.roots[i];
      if (root.source != Source::kArena) {
        if (root.source != Source::kConstant) plan_.bound_roots.push_back(static_cast<uint32_t>(i));
        continue;
      }
      Block block;
      block.bytes = root.bytes;
      block.first = root.first;
      block.last = root.last;
      if (root.takes_over >= 0) {
        const Root& before = plan_.roots[static_cast<size_t>(root.takes_over)];
        const bool free =
            before.source == Source::kArena && before.last == root.first && before.bytes == root.bytes;
        if (free) block.takes_over = block_of[static_cast<size_t>(root.takes_over)];
      }
      block_of[i] = static_cast<int>(blocks.size());
      blocks.push_back(block);
      plan_.unplanned_bytes += root.bytes;
    }
    plan_.arena_bytes = place_blocks(blocks);
    for (size_t i = 0; i < plan_.roots.size(); ++i) {
      if (block_of[i] >= 0) plan_.roots[i].offset = blocks[static_cast<size_t>(block_of[i])].offset;
    }
  }

  const FunctionCode& code_;
  FunctionPlan& plan_;
  const Forwarding& forwarding_;
  const PlanOf& plan_of_;
  std::vector<int> uses_;
  std::unordered_set<uint32_t> shown_;
  std::vector<std::pair<uint32_t, uint32_t>> pinned_;  ///< a root, and one that must stay as long
};

}  // namespace

FunctionPlan::~FunctionPlan() { delete spare.load(); }

Plan::Plan(const Code& code) {
  for (const auto& function : code.functions()) {
    if (!is_static(*function)) return;
  }
  Planner::PlanOf plan_of;
  for (const auto& function : code.functions()) {
    functions_.push_back(std::make_unique<FunctionPlan>());
    functions_.back()->is_main = function.get() == &code.main();
    plan_of.emplace(function.get(), functions_.back().get());
  }
  const Forwarding forwarding(code.module());
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (!Planner(*code.functions()[i], *functions_[i], forwarding, plan_of).run()) return;
  }
  complete_ = true;
}

Plan::~Plan() = default;

const FunctionPlan* Plan::main() const { return complete_ ? functions_.front().get() : nullptr; }

}  // namespace dyad::compile
