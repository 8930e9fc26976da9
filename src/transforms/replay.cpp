#include "transforms/replay.h"

#include "autograd/autograd_meta.h"
#include "eager/dispatch.h"
#include "ops/number_operator.h"
#include "transforms/custom_node.h"
#include "transforms/dependence.h"
#include "transforms/node_location.h"
#include "transforms/residual_stack.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::Node;
using ir::NodeKind;
using tracing::Derived;

std::vector<Item> Replay::run(const ir::Function& function, std::span<const Item> args) {
  auto next = args.begin();
  for (const auto& param : function.params) {
    if (!is_token(*param)) define(*param, *next++);
  }
  DYAD_ASSERT(next == args.end());
  find_last_uses(function);
  for (const auto& node : function.nodes) {
    ++position_;
    carry_out(*node);
  }
  std::vector<Item> results;
  for (const auto& result : function.results) {
    if (!is_token(*result)) results.push_back(items_.at(result.get()));
  }
  return results;
}

/// A value that is used after its memory was written must be kept as it was.
void Replay::find_last_uses(const ir::Function& function) {
  const Operator* write_view = find_intrinsic("write_view");
  size_t position = position_;
  for (const auto& node : function.nodes) {
    ++position;
    if (node->kind == NodeKind::kConstant) continue;
    for (size_t i = 0; i < node->args.size(); ++i) {
      if (node->op == write_view && i != 1) continue;  // only the place matters
      ir::for_each_value(node->args[i], [&](const Value& value) { last_use_[value.get()] = position; });
    }
  }
  for (const auto& result : function.results) last_use_[result.get()] = position + 1;
  for (const auto& update : function.updates) last_use_[update.value.get()] = position + 1;
}

void Replay::insert_copies(const Op& op, std::span<const Arg> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!op.consumes(i)) continue;
    ir::for_each_value(args[i], [&](const Value& target) {
      const Storage* storage = as_tensor(target).storage.get();
      for (auto& [value, item] : items_) {
        auto* tensor = std::get_if<Tensor>(&item);
        if (!tensor || (*tensor)->storage.get() != storage || !(*tensor)->symbolic) continue;
        const auto last = last_use_.find(value);
        if (last == last_use_.end() || last->second <= position_) continue;
        const Tensor kept = tracer_.separate(*tensor);
        if (autograd::Edge edge = autograd::edge_of(**tensor)) autograd::set_source(*kept, std::move(edge));
        item = kept;
      }
    });
  }
}

/// Sizes that only the original knows are those that the new value has.
void Replay::define(const GraphValue& value, Item item) {
  if (auto* tensor = std::get_if<Tensor>(&item)) {
    for (size_t d = 0; d < value.shape.size(); ++d) {
      const Dim size = value.shape[d];
      if (!size.known() && !(size == (*tensor)->shape[d]) && parts_of(size).kind == DimParts::Kind::kNamed) {
        sizes_.replace(size, (*tensor)->shape[d]);
      }
    }
  }
  places_.insert_or_assign(&value, item);
  items_.insert_or_assign(&value, std::move(item));
}

void Replay::give(const Node& node, std::span<const Item> results) {
  auto next = results.begin();
  for (const auto& result : node.results) {
    if (!is_token(*result)) define(*result, *next++);
  }
}

Arg Replay::argument(const Arg& arg) const {
  const auto tensor = [&](const Value& value) { return Value(tensor_in(items_.at(value.get()))); };
  if (auto* value = arg.get<Value>()) return tensor(*value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? tensor(value) : Value());
    return members;
  }
  if (auto* dims = arg.get<Dims>()) return sizes_(*dims);
  return arg;
}

std::vector<Item> Replay::items_of(const Node& node, size_t first, size_t last) const {
  std::vector<Item> items;
  for (size_t i = first; i < last; ++i) {
    auto* value = node.args[i].get<Value>();
    if (!value) {
      items.emplace_back(*node.args[i].get<Scalar>());
    } else if (!is_token(ir::as_graph_value(*value))) {
      items.push_back(items_.at(value->get()));
    }
  }
  return items;
}

void Replay::carry_out(const Node& node) {
  const NodeLocation place(tracer_, node);
  switch (node.kind) {
    case NodeKind::kOperator:
      return dynamic_cast<const Op*>(node.op) ? apply(node) : apply_intrinsic(node);
    case NodeKind::kConstant:
      if (auto* value = node.args[0].get<Value>()) {
        items_.insert_or_assign(node.results[0].get(), constant(tensor_of(*value)));
      } else {
        items_.insert_or_assign(node.results[0].get(), *node.args[0].get<Scalar>());
      }
      return;
    case NodeKind::kIf:
      return choose(node);
    case NodeKind::kWhile:
      return repeat(node);
    case NodeKind::kCall:
      return call(node);
    case NodeKind::kHost:
      return call_host(node);
  }
}

/// A constant whose memory has become part of the graph since is another tensor of the same contents.
Tensor Replay::constant(const Tensor& tensor) const {
  if (!tracer_.is_adopted(*tensor->storage)) return tensor;
  static const Op& copy = OpTable::instance().get("copy");
  const tracing::Aside aside;
  const Arg args[] = {Value(tensor)};
  return tensor_of(eager::run_one(copy, args));
}

void Replay::apply(const Node& node) {
  const Op& op = static_cast<const Op&>(*node.op);
  std::vector<Arg> args;
  for (const Arg& arg : node.args) args.push_back(argument(arg));
  if (op.writes >= 0 || !op.updates.empty()) insert_copies(op, args);
  ValueList made;
  eager::call(op, args, made);
  std::vector<Item> results;
  for (const Value& value : made) results.emplace_back(tensor_of(value));
  static const Op& copy = OpTable::instance().get("copy");
  if (&op == &copy && !std::get<Tensor>(results[0])->symbolic) {
    // Whoever copies a constant writes to the copy: it is a value of the graph from the beginning.
    results[0] = tracer_.adopt(std::get<Tensor>(results[0]));
  }
  for (const int i : op.updates) {
    ir::for_each_value(args[static_cast<size_t>(i)],
                       [&](const Value& value) { results.emplace_back(tensor_of(value)); });
  }
  give(node, results);
}

void Replay::apply_intrinsic(const Node& node) {
  using Task = Intrinsic::Task;
  auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op);
  const auto item = [&](size_t i) { return items_of(node, i, i + 1)[0]; };
  if (!intrinsic) {
    std::vector<Item> operands;
    for (size_t i = 0; i < node.args.size() && !node.args[i].none(); ++i) operands.push_back(item(i));
    const Item result =
        tracer_.apply(std::string_view(node.op->name).substr(std::string_view("number_").size()), operands);
    return define(*node.results[0], result);
  }
  switch (intrinsic->task) {
    case Task::kNumberOf:
      return define(*node.results[0], tracer_.number_of(tensor_in(item(0))));
    case Task::kTensorOf:
      return define(*node.results[0], tracer_.tensor_of(item(0), *node.args[1].get<DType>()));
    case Task::kDim:
      return define(*node.results[0], tracer_.size_item(sizes_(*node.args[0].get<Dims>())[0]));
    case Task::kDefineSymbol: {
      const Item number = item(0);
      auto* known = std::get_if<Scalar>(&number);
      sizes_.replace(Dim::symbol(*node.args[1].get<std::string>()),
                     known ? Dim(known->to_int()) : tracer_.size_of(std::get<Number>(number)));
      return;
    }
    case Task::kWriteView:  // the write through the view has reached the base
      return define(*node.results[0], places_.at(node.args[0].get<Value>()->get()));
    case Task::kNewStack:
      return define(*node.results[0], new_residual_stack(tracer_, *node.args[0].get<DType>(),
                                                         sizes_(*node.args[1].get<Dims>())));
    case Task::kPush:
      return define(*node.results[0], push_residual(tracer_, tensor_in(item(0)), tensor_in(item(1))));
    case Task::kPop:
    case Task::kPopStack: {
      const auto [below, top] = pop_residual(tracer_, tensor_in(item(0)), intrinsic->task == Task::kPopStack);
      define(*node.results[0], below);
      define(*node.results[1], top);
      return;
    }
  }
}

/// Writes a function down as one inside the current one; what is given from outside is captured.
Scope* Replay::written(const ir::Function& function, std::span<const Item> args,
                       std::vector<Item>& results) const {
  FunctionScope opened(tracer_, function.name, {});
  results = inner().run(function, args);
  return opened.end();
}

void Replay::choose(const Node& node) {
  const Item condition = items_of(node, 0, 1)[0];
  const std::vector<Item> args = items_of(node, 1, node.args.size());
  if (auto* known = std::get_if<Scalar>(&condition)) {
    return give(node, inner().run(*node.functions[known->to_bool() ? 0 : 1], args));
  }
  std::vector<Item> given[2];
  Scope* yes = written(*node.functions[0], args, given[0]);
  Scope* no = written(*node.functions[1], args, given[1]);
  give(node, tracer_.add_if(condition, *yes, given[0], *no, given[1], std::nullopt));
}

void Replay::repeat(const Node& node) {
  const std::vector<Item> initial = items_of(node, 0, node.variables());
  const std::vector<Item> others = items_of(node, node.variables(), node.args.size());
  for (size_t i = 0; i < initial.size(); ++i) {
    const Tensor tensor = tensor_or_none(initial[i]);
    if (!tensor || !tensor->storage->is_kept() || !writes_to(*node.functions[1], i)) continue;
    // That it is an error depends on the number of rounds, so Python runs the function.
    capture_error(
        "graph: a Tensor that a gradient may need is written in place in a loop; write to a copy() instead");
  }
  std::vector<TypeSpec> specs = type_specs_of(std::span(node.functions[1]->params).first(node.variables()));
  for (TypeSpec& spec : specs) spec.shape = sizes_(spec.shape);
  const auto write = [&](const ir::Function& function, std::vector<Item>& results) {
    FunctionScope opened(tracer_, function.name, specs);
    std::vector<Item> args = opened.params();
    args.insert(args.end(), others.begin(), others.end());
    results = inner().run(function, args);
    return opened.end();
  };
  std::vector<Item> truth;
  std::vector<Item> next;
  Scope* condition = write(*node.functions[0], truth);
  Scope* body = write(*node.functions[1], next);
  give(node, tracer_.add_while(*condition, truth[0], *body, next, initial));
}

/// A function that may call itself is written once, with all that it uses as parameters.
void Replay::call(const Node& node) {
  if (node.functions.size() == 2) return call_custom(node);
  const ir::Function& callee = *node.functions[0];
  Scope* copy = tracer_.derived(Derived::kCopy, callee);
  if (!copy && !calls_itself(callee)) {
    return give(node, inner().run(callee, items_of(node, 0, node.args.size())));
  }
  if (!copy) {
    copy = tracer_.declare(callee.name, type_specs_of(callee.params), type_specs_of(callee.results));
    tracer_.derived(Derived::kCopy, callee) = copy;
    tracer_.derived(Derived::kCopy, *copy->function) = copy;
    DeclaredFunctionScope opened(tracer_, *copy);
    opened.close(Replay(tracer_).run(callee, opened.params()));
  }
  give(node, tracer_.add_call(*copy, items_of(node, 0, node.args.size())));
}

/// A function with a gradient of its own, and that gradient, with these operands of their own.
Scope* Replay::written_part(const ir::Function& function, std::span<const Item> own,
                            std::span<const Item> captured, size_t given, std::vector<Item>& results) const {
  std::vector<TypeSpec> specs;
  for (const Item& item : own) specs.push_back(type_spec_of(tensor_in(item)));
  FunctionScope opened(tracer_, function.name, specs);
  std::vector<Item> args = opened.params();
  args.insert(args.end(), captured.begin(), captured.end());
  results = inner().run(function, args);
  if (results.size() != given) {
    capture_error("graph: @", function.name,
                  ", which has a gradient of its own, writes to a Tensor from outside of it; return what it "
                  "computes");
  }
  return opened.end();
}

/// A call with a gradient of its own: as it is, for a transform of what is written here, and on the tape if
/// there is one.
void Replay::call_custom(const Node& node) {
  const std::vector<Item> args = items_of(node, 0, node.args.size());
  const CustomSignature signature = custom_signature(node);
  const std::span<const Item> own = std::span(args).first(signature.own);
  const std::span<const Item> captured = std::span(args).subspan(signature.own);
  std::vector<Item> results;
  Scope* forward = written_part(*node.functions[0], own, captured, signature.outputs, results);
  std::vector<Item> taken(own.begin(), own.end());
  for (int twice = 0; twice < 2; ++twice) taken.insert(taken.end(), results.begin(), results.end());
  std::vector<Item> gradients;
  Scope* backward = written_part(*node.functions[1], taken, captured, signature.own, gradients);
  results = tracer_.add_custom(*forward, results, *backward, gradients, own);
  record_custom(tracer_, node, args, results);
  give(node, results);
}

void Replay::call_host(const Node& node) {
  const std::vector<Item> args = items_of(node, 1, node.args.size());
  give(node, tracer_.add_host(node.host, node.payload, args, type_specs_of(node.results)));
}

}  // namespace dyad::transforms
