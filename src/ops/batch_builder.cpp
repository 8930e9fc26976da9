#include "ops/batch_builder.h"

#include "base/error.h"
#include "ir/graph.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/placeholder.h"

namespace dyad {

namespace {

DYAD_USE(broadcast_to, cast, full, select_view, stack, zeros);

Shape without_first(const Shape& shape) { return Shape(shape.begin() + 1, shape.end()); }

const BatchedValue* find_batched(const Value& value) {
  return dynamic_cast<const BatchedValue*>(value.get());
}

ArgumentMask mapped_arguments(std::span<const Arg> args) {
  ArgumentMask mask = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    ir::for_each_value(args[i], [&](const Value& value) {
      if (is_mapped(value)) mask |= ArgumentMask{1} << i;
    });
  }
  return mask;
}

/// Arguments with each value replaced by what `change(value, argument)` makes of it.
template <class Change>
std::vector<Arg> changed(std::span<const Arg> args, const Change& change) {
  std::vector<Arg> result(args.begin(), args.end());
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto* value = args[i].get<Value>()) result[i] = change(*value, i);
    if (auto* list = args[i].get<ValueList>()) {
      ValueList members;
      for (const Value& value : *list) members.push_back(value ? change(value, i) : Value());
      result[i] = std::move(members);
    }
  }
  return result;
}

/// Whether all that an operator changes in place has slices of its own.
bool changes_slices(const Op& op, std::span<const Arg> args) {
  bool mapped = op.writes < 0;
  for (const int argument : op.updates) {
    ir::for_each_value(args[static_cast<size_t>(argument)],
                       [&](const Value& value) { mapped = mapped && is_mapped(value); });
  }
  return mapped;
}

[[noreturn]] void refuse_writes(const Op& op) {
  runtime_error(
      "vmap: ", op.name,
      " changes a Tensor or a Parameter in place, which every slice would do in its own way; return "
      "the new value instead");
}

}  // namespace

BatchedValue::BatchedValue(Builder& builder, Value given, bool is_mapped)
    : whole(std::move(given)), mapped(is_mapped), builder_(builder) {
  DYAD_ASSERT(!mapped || whole->rank() > 0);
  dtype = whole->dtype;
  device = whole->device;
  shape = mapped ? without_first(whole->shape) : whole->shape;
}

bool is_mapped(const Value& value) {
  const BatchedValue* batched = find_batched(value);
  return batched && batched->mapped;
}

const Value& unbatched(const Value& value) {
  const BatchedValue* batched = find_batched(value);
  return batched ? batched->whole : value;
}

Value BatchBuilder::whole(const Value& value) {
  if (is_mapped(value)) return unbatched(value);
  Shape shape{count_};
  for (Dim size : value->shape) shape.push_back(size);
  return broadcast_to(unbatched(value), shape);
}

Value BatchBuilder::apply_one(const Op& op, std::span<const Arg> args) {
  ValueList results;
  apply(op, args, results);
  return std::move(results.front());
}

void BatchBuilder::apply(const Op& op, std::span<const Arg> args, ValueList& results) {
  const ArgumentMask mapped = mapped_arguments(args);
  const bool draws_apart = op.random && !draws_alike_;
  if (op.body && !op.infer && (mapped || draws_apart)) {
    return op.body(Call(Arguments(op.name, args), *this), results);
  }
  if (!op.updates.empty()) return apply_updates(op, args, results);
  if (op.writes >= 0) return apply_write(op, args, results);
  ValueList made;
  if (!mapped && !draws_apart) {
    inner_.apply(op, changed(args, [](const Value& value, size_t) { return unbatched(value); }), made);
    for (Value& value : made) results.push_back(common(std::move(value)));
    return;
  }
  if (op.data_shape) {
    runtime_error("vmap: the shape of what ", op.name,
                  " gives depends on the data, so it differs from slice to slice; all slices need one shape");
  }
  if (op.batch || op.elementwise) {
    const std::vector<Arg> wholes = changed(args, [&](const Value& value, size_t i) {
      const bool in_list = args[i].get<ValueList>() && ((mapped >> i) & 1);
      return in_list ? whole(value) : unbatched(value);
    });
    const BatchCall call(Call(Arguments(op.name, wholes), inner_), mapped, count_, draws_alike_);
    (op.batch ? op.batch : batch::aligned)(call, made);
  } else if (op.body) {
    return op.body(Call(Arguments(op.name, args), *this), results);
  } else {
    apply_slices(op, args, made);
  }
  for (Value& value : made) results.push_back(this->mapped(std::move(value)));
}

/// What an operator would leave in its target, as a new value.
void BatchBuilder::apply_write(const Op& op, std::span<const Arg> args, ValueList& results) {
  if (op.name == "index_write") return apply(OpTable::instance().get("index_update"), args, results);
  if (op.name == "scatter_elements_into") {
    return apply(OpTable::instance().get("scatter_elements"), args, results);
  }
  if (op.name != "assign" && op.name != "copy_into") refuse_writes(op);
  Builder& builder = *this;
  const Value& target = *args[0].get<Value>();
  const Value* given = args[1].get<Value>();
  const Value value = given ? *given : full(builder, target->shape, args[1], target->dtype);
  results.push_back(broadcast_to(cast(value, target->dtype), target->shape));
}

/// A slice of what is changed in place is a view, through which its own change is made.
void BatchBuilder::apply_updates(const Op& op, std::span<const Arg> args, ValueList& results) {
  if (!changes_slices(op, args)) refuse_writes(op);
  ValueList made;
  apply_slices(op, args, made);
  for (Value& value : made) results.push_back(mapped(std::move(value)));
}

ValueList BatchBuilder::apply_slice(const Op& op, std::span<const Arg> args, int64_t slice) {
  ValueList results;
  const std::vector<Arg> given = changed(args, [&](const Value& value, size_t) {
    return is_mapped(value) ? select_view(unbatched(value), 0, slice) : unbatched(value);
  });
  inner_.apply(op, given, results);
  return results;
}

void BatchBuilder::apply_slices(const Op& op, std::span<const Arg> args, ValueList& results) {
  if (!count_.known()) {
    runtime_error("vmap: ", op.name, " is applied slice by slice, and there are ", to_text(count_),
                  " slices, a number that is known only when the graph runs; make that size a known one");
  }
  std::vector<ValueList> by_result;
  for (int64_t slice = 0; slice < count_.value(); ++slice) {
    ValueList given = apply_slice(op, args, slice);
    by_result.resize(given.size());
    for (size_t i = 0; i < given.size(); ++i) by_result[i].push_back(std::move(given[i]));
  }
  for (ValueList& slices : by_result) results.push_back(stack(slices, 0));
  if (count_.value() > 0) return;
  for (const ResultSpec& spec : op.infer_results(args)) {
    Shape shape{0};
    for (Dim size : spec.shape) shape.push_back(size);
    results.push_back(zeros(inner_, shape, spec.dtype));
  }
}

}  // namespace dyad
