#include "codegen/loops/computation.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "codegen/loops/axis_classes.h"
#include "kernels/scalar/table.h"
#include "ops/op.h"

namespace dyad::codegen {

namespace {

using Kind = Computation::Value::Kind;

/// Thrown where a function holds what loops cannot express.
struct Refused {};

void need(bool holds) {
  if (!holds) throw Refused{};
}

bool is_one(Dim dim) { return dim.known() && dim.value() == 1; }

/// A value while the function is read: its axes are classes.
struct Term {
  uint32_t value = 0;
  AxisMap axes;
};

/// An axis that a reduction folds, as a class.
struct FoldedAxis {
  int axis;
  Dim size;
};

uint64_t bits_of(const Scalar& number, DType dtype) {
  uint64_t bits = 0;
  alignas(16) char element[16] = {};
  store(number, dtype, element);
  std::copy(element, element + itemsize(dtype), reinterpret_cast<char*>(&bits));
  return bits;
}

class Reader {
 public:
  Reader(const ir::Function& function, bool apart) : function_(function), apart_(apart) {}

  Computation read() {
    for (const auto& node : function_.nodes) read_node(*node);
    std::vector<Term> results;
    for (const auto& result : function_.results) results.push_back(term_of(*result));
    join_folds();
    join_unfolded();
    number_axes(results);
    finish_values();
    choose_loaded_numbers();
    for (const Term& result : results) made_.results.push_back({result.value, resolved(result.axes)});
    return std::move(made_);
  }

 private:
  void read_node(const ir::Node& node) {
    if (node.kind == ir::NodeKind::kConstant) return read_constant(node);
    need(node.kind == ir::NodeKind::kOperator);
    auto* op = dynamic_cast<const Op*>(node.op);
    need(op && node.results.size() == 1);
    const ir::GraphValue& result = *node.results[0];
    need(!is_complex(result.dtype));
    if (op->reduction != Reduction::kNone) return define(result, read_reduction(*op, node));
    switch (op->movement) {
      case Movement::kCast:
        return define(result, convert(operand(node.args[0], result.dtype), result.dtype));
      case Movement::kPermute:
        return define(result, permuted(node));
      case Movement::kBroadcast:
        return define(result, broadcast(value_term(node.args[0]), result.shape));
      case Movement::kReshape:
        return define(result, without_units(value_term(node.args[0]), result.shape));
      case Movement::kFill:
        return define(result, filled(node));
      default:
        return define(result, read_elementwise(*op, node));
    }
  }

  void define(const ir::GraphValue& result, Term term) { terms_[&result] = std::move(term); }

  Term add(Computation::Value value, AxisMap axes) {
    value_axes_.push_back(axes);
    made_.values.push_back(std::move(value));
    return {static_cast<uint32_t>(made_.values.size() - 1), std::move(axes)};
  }

  Term constant(const Scalar& number, DType dtype) {
    Computation::Value value;
    value.kind = Kind::kConstant;
    value.dtype = value.from = dtype;
    value.bits = bits_of(number, dtype);
    return add(std::move(value), {});
  }

  int make_axis(Dim size) {
    sizes_.push_back(size);
    return classes_.make();
  }

  AxisMap fresh_axes(const Shape& shape) {
    AxisMap axes;
    for (const Dim dim : shape) axes.push_back(is_one(dim) ? kNoAxis : make_axis(dim));
    return axes;
  }

  Term term_of(const ir::GraphValue& graph_value) {
    if (auto found = terms_.find(&graph_value); found != terms_.end()) return found->second;
    need(!graph_value.producer && !is_complex(graph_value.dtype));
    need(graph_value.kind == ir::GraphValue::Kind::kTensor ||
         graph_value.kind == ir::GraphValue::Kind::kNumber);
    Computation::Value value;
    value.dtype = value.from = graph_value.dtype;
    value.number = graph_value.index;
    Term term = add(std::move(value), fresh_axes(graph_value.shape));
    if (!apart_) terms_[&graph_value] = term;
    return term;
  }

  Term value_term(const Arg& arg) {
    auto* value = arg.get<Value>();
    need(value);
    return term_of(ir::as_graph_value(*value));
  }

  Term operand(const Arg& arg, DType wanted) {
    if (auto* number = arg.get<Scalar>()) return constant(*number, wanted);
    return convert(value_term(arg), wanted);
  }

  Term convert(Term term, DType dtype) {
    const DType from = made_.values[term.value].dtype;
    if (from == dtype) return term;
    Computation::Value value;
    value.kind = Kind::kConvert;
    value.dtype = dtype;
    value.from = from;
    value.args = {term.value};
    value.cost = 1;
    return add(std::move(value), std::move(term.axes));
  }

  /// The axes of the operands, aligned at the last one, are those of the result.
  AxisMap joined(const std::vector<Term>& operands, const Shape& shape) {
    AxisMap axes(shape.size(), kNoAxis);
    for (const Term& term : operands) {
      need(term.axes.size() <= shape.size());
      const size_t extra = shape.size() - term.axes.size();
      for (size_t i = 0; i < term.axes.size(); ++i) {
        if (term.axes[i] == kNoAxis) continue;
        int& axis = axes[extra + i];
        if (axis == kNoAxis) {
          axis = term.axes[i];
        } else {
          classes_.join(axis, term.axes[i]);
        }
      }
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      if (axes[i] == kNoAxis && !is_one(shape[i])) axes[i] = make_axis(shape[i]);
    }
    return axes;
  }

  Term read_elementwise(const Op& op, const ir::Node& node) {
    const kernels::Definition* definition = kernels::find_definition(op.name);
    need(op.elementwise && definition && node.args.size() >= definition->operands);
    const DType result = node.results[0]->dtype;
    std::vector<Arg> described = node.args;
    for (Arg& arg : described) describe_number(arg);
    const DType computing = kernels::computing_dtype(definition->kind, definition->operands,
                                                     Arguments(op.name, described), result);
    need(definition->computes_in(computing) && !is_complex(computing));
    Computation::Value value;
    value.kind = Kind::kApply;
    value.name = op.name;
    value.from = computing;
    value.dtype = kernels::computed_dtype(definition->kind, computing);
    value.cost = definition->cost;
    std::vector<Term> operands;
    for (size_t i = 0; i < definition->operands; ++i) {
      const bool condition = definition->kind == kernels::LoopKind::kSelect && i == 0;
      operands.push_back(operand(node.args[i], condition ? DType::kBool : computing));
      value.args.push_back(operands.back().value);
    }
    return convert(add(std::move(value), joined(operands, node.results[0]->shape)), result);
  }

  /// A number that is known when the program runs decides dtypes as the number itself does.
  static void describe_number(Arg& arg) {
    auto* value = arg.get<Value>();
    if (!value) return;
    const ir::GraphValue& graph_value = ir::as_graph_value(*value);
    if (graph_value.kind != ir::GraphValue::Kind::kNumber) return;
    if (is_bool(graph_value.dtype)) {
      arg = Arg(Scalar(false));
    } else {
      arg = is_int(graph_value.dtype) ? Arg(Scalar(int64_t{0})) : Arg(Scalar(0.0));
    }
  }

  void read_constant(const ir::Node& node) {
    const ir::GraphValue& result = *node.results[0];
    need(!is_complex(result.dtype));
    if (auto* number = node.args[0].get<Scalar>()) return define(result, constant(*number, result.dtype));
    auto* value = node.args[0].get<Value>();
    need(value && (*value)->data && (*value)->size() == 1);
    Term term = constant(load(result.dtype, (*value)->data), result.dtype);
    term.axes = AxisMap(result.shape.size(), kNoAxis);
    define(result, std::move(term));
  }

  Term filled(const ir::Node& node) {
    const ir::GraphValue& result = *node.results[0];
    Term term = operand(node.args[1], result.dtype);
    need(term.axes.empty());
    term.axes = fresh_axes(result.shape);
    return term;
  }

  Term permuted(const ir::Node& node) {
    Term term = value_term(node.args[0]);
    auto* order = node.args[1].get<Dims>();
    need(order && order->size() == term.axes.size());
    AxisMap axes;
    for (const Dim axis : *order) {
      axes.push_back(term.axes[static_cast<size_t>(
          normalize_axis(node.op->name, axis.value(), static_cast<int64_t>(term.axes.size())))]);
    }
    term.axes = std::move(axes);
    return term;
  }

  Term broadcast(Term term, const Shape& shape) {
    term.axes = joined({term}, shape);
    return term;
  }

  /// A shape that differs in axes of size 1 only.
  Term without_units(Term term, const Shape& shape) {
    AxisMap axes;
    size_t next = 0;
    for (const Dim dim : shape) {
      if (is_one(dim)) {
        axes.push_back(kNoAxis);
        continue;
      }
      while (next < term.axes.size() && term.axes[next] == kNoAxis) ++next;
      need(next < term.axes.size());
      axes.push_back(term.axes[next++]);
    }
    for (; next < term.axes.size(); ++next) need(term.axes[next] == kNoAxis);
    term.axes = std::move(axes);
    return term;
  }

  Term read_reduction(const Op& op, const ir::Node& node) {
    const Term in = value_term(node.args[0]);
    const auto rank = static_cast<int64_t>(in.axes.size());
    std::vector<bool> folded(in.axes.size(), false);
    auto* listed = node.args[1].get<Dims>();
    need(listed || node.args[1].none());
    const bool all = !listed || listed->empty();
    if (listed) {
      for (const Dim axis : *listed)
        folded[static_cast<size_t>(normalize_axis(op.name, axis.value(), rank))] = true;
    }
    auto* kept = node.args[2].get<Scalar>();
    need(kept);
    AxisMap axes;
    const Shape& shape = (*node.args[0].get<Value>())->shape;
    std::vector<FoldedAxis> over;
    for (size_t i = 0; i < folded.size(); ++i) {
      if (all || folded[i]) {
        if (in.axes[i] != kNoAxis) over.push_back({in.axes[i], shape[i]});
        if (kept->to_bool()) axes.push_back(kNoAxis);
      } else {
        axes.push_back(in.axes[i]);
      }
    }
    need(!over.empty());
    folds_.push_back(std::move(over));
    fold_inputs_.push_back(in.axes);
    Computation::Value value;
    value.kind = Kind::kReduce;
    value.reduction = op.reduction;
    value.dtype = node.results[0]->dtype;
    value.from = made_.values[in.value].dtype;
    value.args = {in.value};
    return add(std::move(value), std::move(axes));
  }

  /// Reductions of tensors that have nothing else to do with each other run along the same axes: elements may
  /// be folded in any order, so an axis goes with any other of its size.
  void join_folds() {
    for (const std::vector<FoldedAxis>& fold : folds_) {
      const auto has = [&](int axis) {
        return std::ranges::any_of(
            fold, [&](const FoldedAxis& own) { return classes_.find(own.axis) == classes_.find(axis); });
      };
      const auto is_joined = [&](const FoldedAxis& own) {
        return std::ranges::any_of(folds_.front(), [&](const FoldedAxis& first) {
          return classes_.find(own.axis) == classes_.find(first.axis);
        });
      };
      for (const FoldedAxis& own : fold) {
        if (is_joined(own)) continue;
        const auto partner = std::ranges::find_if(folds_.front(), [&](const FoldedAxis& first) {
          return first.size == own.size && !has(first.axis);
        });
        need(partner != folds_.front().end());
        classes_.join(own.axis, partner->axis);
      }
    }
  }

  bool spans(const AxisMap& axes, int axis) {
    return std::ranges::any_of(
        axes, [&](int own) { return own != kNoAxis && classes_.find(own) == classes_.find(axis); });
  }

  /// What is folded spans all axes. Where it has nothing to do with what is computed from the total, as in
  /// a.sum() * b, an axis of the one goes with an axis of the other: were they apart, each element of the
  /// one would fold all of the other again.
  void join_unfolded() {
    if (folds_.empty()) return;
    const auto meet = [&](int a, int b) {
      return std::ranges::any_of(value_axes_,
                                 [&](const AxisMap& axes) { return spans(axes, a) && spans(axes, b); });
    };
    for (const AxisMap& axes : value_axes_) {
      for (const int axis : axes) {
        if (axis == kNoAxis || spans(fold_inputs_.front(), axis)) continue;
        const auto partner = std::ranges::find_if(folds_.front(), [&](const FoldedAxis& folded) {
          return folded.size == sizes_[static_cast<size_t>(axis)] && !meet(folded.axis, axis);
        });
        need(partner != folds_.front().end());
        classes_.join(axis, partner->axis);
      }
    }
    for (const AxisMap& input : fold_inputs_) {
      for (const AxisMap& axes : value_axes_) {
        for (const int axis : axes) need(axis == kNoAxis || spans(input, axis));
      }
    }
  }

  /// Numbers the classes in the order in which results, then parameters, have them.
  void number_axes(const std::vector<Term>& results) {
    auto number = [&](const AxisMap& axes) {
      for (const int axis : axes) {
        if (axis == kNoAxis) continue;
        numbers_.try_emplace(classes_.find(axis), static_cast<int>(numbers_.size()));
      }
    };
    for (const Term& result : results) number(result.axes);
    for (size_t i = 0; i < made_.values.size(); ++i) {
      if (made_.values[i].kind == Kind::kParam) number(value_axes_[i]);
    }
    made_.reduced.assign(numbers_.size(), false);
    for (const auto& over : folds_) {
      for (const FoldedAxis& folded : over) made_.reduced[static_cast<size_t>(number_of(folded.axis))] = true;
    }
    for (const auto& over : folds_) {
      std::vector<bool> own(numbers_.size(), false);
      for (const FoldedAxis& folded : over) own[static_cast<size_t>(number_of(folded.axis))] = true;
      need(own == made_.reduced);
    }
  }

  int number_of(int axis) {
    auto found = numbers_.find(classes_.find(axis));
    need(found != numbers_.end());
    return found->second;
  }

  AxisMap resolved(const AxisMap& axes) {
    AxisMap numbers;
    for (const int axis : axes) {
      const int number = axis == kNoAxis ? kNoAxis : number_of(axis);
      need(number == kNoAxis || std::find(numbers.begin(), numbers.end(), number) == numbers.end());
      numbers.push_back(number);
    }
    return numbers;
  }

  void finish_values() {
    std::map<std::pair<uint32_t, std::vector<int>>, uint32_t> reads;
    for (size_t i = 0; i < made_.values.size(); ++i) {
      Computation::Value& value = made_.values[i];
      const AxisMap axes = resolved(value_axes_[i]);
      for (const int axis : axes) {
        if (axis != kNoAxis && made_.reduced[static_cast<size_t>(axis)]) value.full = true;
      }
      for (const uint32_t arg : value.args) value.level = std::max(value.level, made_.values[arg].level);
      if (value.kind == Kind::kReduce) ++value.level;
      if (value.kind != Kind::kParam) continue;
      const auto [at, added] = reads.try_emplace({value.number, {axes.begin(), axes.end()}},
                                                 static_cast<uint32_t>(made_.params.size()));
      if (added) made_.params.push_back({value.number, axes});
      value.number = at->second;
    }
  }

  /// Lets loops that differ only in their numbers share one code: what is as cheap as an addition is no
  /// cheaper with a number that the compiler knows. A few of them, as a launch has room for so many operands.
  void choose_loaded_numbers() {
    constexpr size_t kMost = 4;
    std::vector<bool> cheap(made_.values.size(), true);
    for (const Computation::Value& user : made_.values) {
      const bool plain = user.kind == Kind::kApply && user.cost <= 1;
      for (const uint32_t arg : user.args) cheap[arg] = cheap[arg] && plain;
    }
    std::set<std::pair<DType, uint64_t>> chosen;
    for (size_t i = 0; i < made_.values.size(); ++i) {
      Computation::Value& value = made_.values[i];
      if (value.kind != Kind::kConstant || !is_float(value.dtype) || !cheap[i]) continue;
      const std::pair<DType, uint64_t> number(value.dtype, value.bits);
      if (chosen.size() < kMost) chosen.insert(number);
      value.loaded = chosen.contains(number);
    }
  }

  const ir::Function& function_;
  bool apart_;  ///< each use of a parameter has axes of its own
  Computation made_;
  std::vector<AxisMap> value_axes_;  ///< per value, as classes
  std::unordered_map<const ir::GraphValue*, Term> terms_;
  std::vector<std::vector<FoldedAxis>> folds_;  ///< per reduction
  std::vector<AxisMap> fold_inputs_;            ///< the same, all axes of what it folds
  std::vector<Dim> sizes_;                      ///< per axis that was made
  std::map<int, int> numbers_;
  AxisClasses classes_;
};

}  // namespace

std::optional<Computation> read_computation(const ir::Function& function) {
  // A parameter may be seen from two sides, as in x + x.T: then its uses have nothing to do with each other.
  for (const bool apart : {false, true}) {
    try {
      return Reader(function, apart).read();
    } catch (const Refused&) {
    }
  }
  return std::nullopt;
}

}  // namespace dyad::codegen
