#include <algorithm>
#include <optional>

#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(cast);

bool is_narrow(DType dtype) { return is_float(dtype) && itemsize(dtype) == 2; }

/// The arguments of a narrow call in float32, and the dtype its float32 results are rounded to.
class Widened {
 public:
  explicit Widened(const Call& call) {
    args_.reserve(call.size());
    for (size_t i = 0; i < call.size(); ++i) args_.push_back(widened(call[i]));
  }

  std::span<const Arg> args() const { return args_; }

  Value rounded(const Value& result) const {
    if (!result || result->dtype != DType::kFloat32) return result;
    if (asked_) return cast(result, *asked_);
    return narrow_ && !kept_ ? cast(result, *narrow_) : result;
  }

 private:
  Arg widened(const Arg& arg) {
    if (auto* value = arg.get<Value>()) return widened(*value);
    if (auto* dtype = arg.get<DType>()) {
      kept_ = true;  // the results are what was asked for
      if (!is_narrow(*dtype)) return arg;
      asked_ = *dtype;
      return DType::kFloat32;
    }
    auto* list = arg.get<ValueList>();
    if (!list) return arg;
    ValueList wide;
    for (const Value& value : *list) wide.push_back(widened(value));
    return wide;
  }

  Value widened(const Value& value) {
    if (!value) return value;
    if (!is_narrow(value->dtype)) {
      // Beside a wider one, or one of the other narrow dtype, the results are wide anyhow.
      kept_ = kept_ || is_float(value->dtype) || is_complex(value->dtype);
      return value;
    }
    kept_ = kept_ || (narrow_ && *narrow_ != value->dtype);
    narrow_ = value->dtype;
    return cast(value, DType::kFloat32);
  }

  std::vector<Arg> args_;
  std::optional<DType> narrow_;
  std::optional<DType> asked_;
  bool kept_ = false;
};

bool is_narrow(const Value& value) { return value && is_narrow(value->dtype); }

bool is_narrow(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return is_narrow(*value);
  if (auto* dtype = arg.get<DType>()) return is_narrow(*dtype);
  auto* list = arg.get<ValueList>();
  return list && std::any_of(list->begin(), list->end(), [](const Value& value) { return is_narrow(value); });
}

bool has_narrow(const Call& call) {
  for (size_t i = 0; i < call.size(); ++i) {
    if (is_narrow(call[i])) return true;
  }
  return false;
}

}  // namespace

void run_wide(const Call& call, BodyRule body, ValueList& results) {
  if (!has_narrow(call)) return body(call, results);
  const Widened wide(call);
  body(Call(Arguments(call.op(), wide.args()), call.builder()), results);
  for (Value& result : results) result = wide.rounded(result);
}

}  // namespace dyad
