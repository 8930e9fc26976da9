#include "ops/batch.h"

#include <algorithm>

#include "base/error.h"
#include "ops/batch_builder.h"
#include "ops/call.h"
#include "ops/placeholder.h"

namespace dyad::batch {

namespace {

DYAD_USE(broadcast_to, reshape);

const Op& op_of(const BatchCall& call) { return OpTable::instance().get(call.op()); }

Shape joined(Dim first, std::span<const Dim> rest) {
  Shape shape{first};
  for (Dim size : rest) shape.push_back(size);
  return shape;
}

Value slice_of(const BatchCall& call, size_t argument, const Value& value) {
  Shape shape = value->shape;
  if (call.mapped(argument)) shape = Shape(shape.begin() + 1, shape.end());
  return placeholder(value->dtype, shape);
}

}  // namespace

int64_t slice_rank(const BatchCall& call, size_t argument) {
  return call.in(argument).rank() - (call.mapped(argument) ? 1 : 0);
}

Shape slice_shape(const BatchCall& call, size_t argument) {
  const Shape& shape = call.in(argument).shape;
  return call.mapped(argument) ? Shape(shape.begin() + 1, shape.end()) : shape;
}

std::vector<ResultSpec> slice_results(const BatchCall& call) {
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) {
    args.push_back(call[i]);
    if (auto* value = call[i].get<Value>()) args.back() = slice_of(call, i, *value);
    if (auto* list = call[i].get<ValueList>()) {
      ValueList members;
      for (const Value& value : *list) members.push_back(value ? slice_of(call, i, value) : Value());
      args.back() = std::move(members);
    }
  }
  return op_of(call).infer_results(args);
}

Shape with_count(const BatchCall& call, const Shape& shape) { return joined(call.count(), shape); }

Value whole(const BatchCall& call, size_t argument) {
  const Value& value = call.value(argument);
  if (!value || call.mapped(argument)) return value;
  return broadcast_to(value, with_count(call, value->shape));
}

Value padded(const Value& whole, int64_t rank) {
  const int64_t missing = rank + 1 - whole->rank();
  if (missing <= 0) return whole;
  Shape shape{whole->shape[0]};
  for (int64_t i = 0; i < missing; ++i) shape.push_back(1);
  for (size_t i = 1; i < whole->shape.size(); ++i) shape.push_back(whole->shape[i]);
  return reshape(whole, shape);
}

std::vector<Arg> wholes(const BatchCall& call) {
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) {
    args.push_back(call.is_value(i) ? Arg(whole(call, i)) : call[i]);
    auto* list = call[i].get<ValueList>();
    if (!list || call.mapped(i)) continue;
    ValueList members;
    for (const Value& value : *list) {
      members.push_back(value ? broadcast_to(value, with_count(call, value->shape)) : Value());
    }
    args.back() = std::move(members);
  }
  return args;
}

void apply(const BatchCall& call, std::span<const Arg> args, ValueList& results) {
  call.builder().apply(op_of(call), args, results);
}

/// The arguments as values that show one slice each.
static std::vector<Arg> as_slices(const BatchCall& call, BatchBuilder& builder) {
  std::vector<Arg> args;
  const auto wrapped = [&](size_t i, const Value& value) {
    return call.mapped(i) ? builder.mapped(value) : builder.common(value);
  };
  for (size_t i = 0; i < call.size(); ++i) {
    args.push_back(call[i]);
    if (auto* value = call[i].get<Value>()) args.back() = wrapped(i, *value);
    if (auto* list = call[i].get<ValueList>()) {
      ValueList members;
      for (const Value& value : *list) members.push_back(value ? wrapped(i, value) : Value());
      args.back() = std::move(members);
    }
  }
  return args;
}

void compose(const BatchCall& call, BodyRule body, ValueList& results) {
  BatchBuilder builder(call.builder(), call.count(), call.draws_alike());
  const std::vector<Arg> args = as_slices(call, builder);
  ValueList given;
  body(Call(Arguments(call.op(), args), builder), given);
  for (const Value& value : given) results.push_back(builder.whole(value));
}

void slice_by_slice(const BatchCall& call, ValueList& results) {
  BatchBuilder builder(call.builder(), call.count(), call.draws_alike());
  builder.apply_slices(op_of(call), as_slices(call, builder), results);
}

void aligned(const BatchCall& call, ValueList& results) {
  int64_t rank = 0;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call.is_value(i)) rank = std::max(rank, slice_rank(call, i));
  }
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) {
    args.push_back(call[i]);
    if (call.is_value(i) && call.mapped(i)) args.back() = padded(call.value(i), rank);
  }
  apply(call, args, results);
}

void leading(const BatchCall& call, ValueList& results) { apply(call, wholes(call), results); }

void drawn(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  args[0] = with_count(call, call.dims(0));
  apply(call, args, results);
}

/// Axes of one slice as axes of all of them.
static Arg shifted(const BatchCall& call, size_t at, int64_t rank) {
  const auto after = [&](int64_t axis) { return normalize_axis(call.op(), axis, rank) + 1; };
  if (auto* number = call[at].get<Scalar>()) return after(number->to_int());
  Dims axes;
  if (call.has(at)) {
    for (Dim axis : call.dims(at)) axes.push_back(after(axis.value()));
  }
  if (!axes.empty()) return axes;
  for (int64_t axis = 1; axis <= rank; ++axis) axes.push_back(axis);
  return axes;
}

/// Along all elements of a slice as if they stood in a row.
static void along_row(const BatchCall& call, size_t axis, ValueList& results) {
  std::vector<Arg> args = wholes(call);
  for (size_t i = 0; i < call.size(); ++i) {
    if (call.is_value(i))
      args[i] = reshape(*args[i].get<Value>(), Dims{call.count(), size_of(slice_shape(call, i))});
  }
  args[axis] = 1;
  apply(call, args, results);
  const std::vector<ResultSpec> specs = slice_results(call);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = reshape(results[i], with_count(call, specs[i].shape));
}

void along_argument(const BatchCall& call, size_t axis, ValueList& results) {
  if (!call.has(axis) && op_of(call).signature.params[axis].kind == ParamKind::kInt) {
    return along_row(call, axis, results);
  }
  std::vector<Arg> args = wholes(call);
  int64_t rank = 0;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call.is_value(i)) rank = std::max(rank, slice_rank(call, i));
    if (auto* list = call[i].get<ValueList>(); list && !list->empty()) {
      rank = std::max(rank, list->front()->rank() - (call.mapped(i) ? 1 : 0));
    }
  }
  const bool scalars = rank == 0;  // a slice without dimensions counts as one with a single element
  if (scalars) {
    for (Arg& arg : args) {
      if (auto* value = arg.get<Value>()) arg = padded(*value, 1);
    }
    rank = 1;
  }
  args[axis] = shifted(call, axis, rank);
  apply(call, args, results);
  if (!scalars) return;
  for (Value& result : results) result = reshape(result, Dims{call.count()});
}

void folded_into(const BatchCall& call, ArgumentMask tensors, ValueList& results) {
  std::vector<Arg> args;
  for (size_t i = 0; i < call.size(); ++i) args.push_back(call[i]);
  Dim examples = 1;
  for (size_t i = 0; i < call.size(); ++i) {
    if (!((tensors >> i) & 1) || !call.is_value(i)) continue;
    const Value value = whole(call, i);
    examples = value->shape[1];
    args[i] = reshape(value, joined(call.count() * examples, std::span(value->shape).subspan(2)));
  }
  ValueList folded;
  apply(call, args, folded);
  for (const Value& value : folded) {
    Shape shape{call.count(), examples};
    for (size_t i = 1; i < value->shape.size(); ++i) shape.push_back(value->shape[i]);
    results.push_back(reshape(value, shape));
  }
}

}  // namespace dyad::batch
