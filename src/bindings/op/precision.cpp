#include "bindings/op/precision.h"

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "bindings/op/known_op.h"
#include "bindings/op/op_function.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"

namespace dyad::python {

std::atomic<int> threads_in_other_precision{0};

namespace {

/// What autocast does, for every operator. Rules are made once and stay: graphs are compiled for their
/// numbers.
struct AutocastRule {
  DType dtype;
  std::vector<Autocast> by_op;  ///< by the operator's id
  bool widens_results;          ///< operators that it lowers give float32

  bool operator==(const AutocastRule&) const = default;
};

std::deque<AutocastRule> rules;
thread_local std::optional<DType> compute_dtype_here;
thread_local int64_t autocast_here = 0;

const AutocastRule* rule_here() {
  return autocast_here == 0 ? nullptr : &rules[static_cast<size_t>(autocast_here - 1)];
}

bool has_precision() { return compute_dtype_here.has_value() || autocast_here != 0; }

/// Tells the other threads' fast path once a change of this thread's precision is over.
void count_thread(bool had) {
  threads_in_other_precision += static_cast<int>(has_precision()) - static_cast<int>(had);
}

/// State is updated in place: a cast copy would take the update and be lost.
bool is_state(const Op& op, size_t argument) {
  return op.signature.params[argument].name.starts_with("running_") ||
         std::ranges::find(op.updates, static_cast<int>(argument)) != op.updates.end();
}

template <class Visit>
void for_each_float(const Op& op, std::span<const Arg> args, const Visit& visit) {
  const auto see = [&](const Value& value) {
    if (value && is_float(value->dtype)) visit(value->dtype);
  };
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_state(op, i)) continue;
    if (auto* value = args[i].get<Value>()) see(*value);
    if (auto* list = args[i].get<ValueList>()) std::ranges::for_each(*list, see);
  }
}

DType wider(DType a, DType b) { return a == b ? a : DType::kFloat32; }

/// The dtype for a call under a rule of the table. float64 is a choice of the program: such a call stays as
/// it is.
std::optional<DType> dtype_by_table(const AutocastRule& rule, const Op& op, std::span<const Arg> args) {
  std::optional<DType> widest;
  bool has_double = false;
  for_each_float(op, args, [&](DType dtype) {
    has_double |= dtype == DType::kFloat64;
    widest = widest ? wider(*widest, dtype) : dtype;
  });
  if (has_double) return std::nullopt;
  switch (rule.by_op[static_cast<size_t>(op.id)]) {
    case Autocast::kNone:
      return std::nullopt;
    case Autocast::kLow:
      return rule.dtype;
    case Autocast::kFloat32:
      return DType::kFloat32;
    case Autocast::kWidest:
      return widest;
  }
  return std::nullopt;
}

bool lowers(const AutocastRule& rule, const Op& op) {
  return rule.by_op[static_cast<size_t>(op.id)] == Autocast::kLow;
}

std::optional<DType> operand_dtype(const Op& op, std::span<const Arg> args) {
  if (compute_dtype_here) return compute_dtype_here;
  const AutocastRule* rule = rule_here();
  if (!rule) return std::nullopt;
  if (!rule->widens_results) return dtype_by_table(*rule, op, args);
  return lowers(*rule, op) ? std::optional(rule->dtype) : std::nullopt;
}

void cast_value(Value& value, DType dtype) {
  if (!is_float(value->dtype) || value->dtype == dtype) return;
  value = converted(Tensor(&as_tensor(value)), dtype);
}

AutocastRule rule_of_table(DType dtype) {
  AutocastRule rule{dtype, {}, false};
  for (const Op* op : OpTable::instance().all()) rule.by_op.push_back(op->autocast);
  return rule;
}

AutocastRule rule_of_operators(DType dtype, PyObject* operators) {
  AutocastRule rule{dtype, std::vector(OpTable::instance().all().size(), Autocast::kNone), true};
  Object listed = check(PySequence_Fast(operators, "autocast_rule: operators must be a sequence"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(listed.get()); ++i) {
    PyObject* given = PySequence_Fast_GET_ITEM(listed.get(), i);
    const Op* op = op_behind(given);
    if (!op) type_error("autocast_rule: ", describe(given), " is no operator of the table");
    rule.by_op[static_cast<size_t>(op->id)] = Autocast::kLow;
  }
  return rule;
}

}  // namespace

void cast_operands(const Op& op, std::span<Arg> args) {
  if (!has_precision() || op.writes >= 0) return;
  const std::optional<DType> dtype = operand_dtype(op, args);
  if (!dtype) return;
  for (size_t i = 0; i < args.size(); ++i) {
    Arg& arg = args[i];
    if (is_state(op, i)) continue;
    if (auto* held = arg.get<Value>()) {
      Value value = *held;
      cast_value(value, *dtype);
      arg = Arg(std::move(value));
    } else if (auto* list = arg.get<ValueList>()) {
      ValueList values = *list;
      for (Value& value : values) {
        if (value) cast_value(value, *dtype);
      }
      arg = Arg(std::move(values));
    }
  }
}

Value cast_result(const Op& op, Value result) {
  const AutocastRule* rule = compute_dtype_here ? nullptr : rule_here();
  if (rule && rule->widens_results && op.writes < 0 && lowers(*rule, op)) cast_value(result, DType::kFloat32);
  return result;
}

std::optional<DType> compute_dtype_of_thread() { return compute_dtype_here; }

int64_t autocast_of_thread() { return autocast_here; }

PyObject* set_compute_dtype(PyObject*, PyObject* dtype) {
  return guarded([&] {
    if (dtype != Py_None && !(is_dtype(dtype) && is_float(dtype_of(dtype)))) {
      type_error("set_compute_dtype: dtype is ", describe(dtype), "; it must be a float dtype or None");
    }
    Object former = Object::take(compute_dtype_here ? dtype_object(*compute_dtype_here) : Py_NewRef(Py_None));
    const bool had = has_precision();
    compute_dtype_here = dtype == Py_None ? std::nullopt : std::optional(dtype_of(dtype));
    count_thread(had);
    return former.release();
  });
}

PyObject* autocast_rule(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* dtype = nullptr;
    PyObject* operators = nullptr;
    if (!PyArg_ParseTuple(args, "OO:autocast_rule", &dtype, &operators)) throw PythonError{};
    if (!is_dtype(dtype) || !is_float(dtype_of(dtype))) {
      type_error("autocast_rule: dtype is ", describe(dtype), "; it must be a float dtype");
    }
    AutocastRule rule =
        operators == Py_None ? rule_of_table(dtype_of(dtype)) : rule_of_operators(dtype_of(dtype), operators);
    const auto found = std::ranges::find(rules, rule);
    const auto number = static_cast<int64_t>(found - rules.begin()) + 1;
    if (found == rules.end()) rules.push_back(std::move(rule));
    return PyLong_FromLongLong(number);
  });
}

PyObject* set_autocast(PyObject*, PyObject* number) {
  return guarded([&] {
    const int64_t chosen = PyLong_AsLongLong(number);
    if (chosen == -1 && PyErr_Occurred()) throw PythonError{};
    if (chosen < 0 || chosen > static_cast<int64_t>(rules.size())) {
      value_error("set_autocast: there is no rule ", chosen, "; autocast_rule has made ", rules.size());
    }
    const int64_t former = autocast_here;
    const bool had = has_precision();
    autocast_here = chosen;
    count_thread(had);
    return PyLong_FromLongLong(former);
  });
}

}  // namespace dyad::python
