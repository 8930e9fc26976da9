#include "ops/call.h"

#include "base/error.h"

namespace dyad {

namespace {

constexpr size_t kInlineArgs = 12;

Builder& builder_of(const Op& op, std::span<const Arg> given) {
  for (const Arg& arg : given) {
    if (auto* value = arg.get<Value>()) return (*value)->builder();
    if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) {
        if (value) return value->builder();
      }
    }
  }
  raise(ErrorKind::kInternal, cat("internal error: ", op.name, " is called without a value or a builder"));
}

/// The argument as the parameter keeps it: rules may write one number for a list of one.
Arg fitted(const Param& param, const Arg& given) {
  const Scalar* number = given.get<Scalar>();
  if (number && (param.kind == ParamKind::kInts || param.kind == ParamKind::kSizes))
    return Dims{number->to_int()};
  if (number && param.kind == ParamKind::kFloats) return Floats{number->to_double()};
  return given;
}

/// Arguments completed with the signature's defaults.
class Complete {
 public:
  Complete(const Op& op, std::span<const Arg> given) : count_(op.signature.params.size()) {
    DYAD_ASSERT(given.size() <= count_ && count_ <= kInlineArgs);
    for (size_t i = 0; i < count_; ++i) {
      args_[i] = i < given.size() ? fitted(op.signature.params[i], given[i]) : default_of(op, i);
    }
  }
  std::span<const Arg> span() const { return {args_.data(), count_}; }

 private:
  static const Arg& default_of(const Op& op, size_t i) {
    const Param& param = op.signature.params[i];
    if (!param.has_default && !param.optional) {
      raise(ErrorKind::kInternal, cat("internal error: ", op.name, " is called without ", param.name));
    }
    return param.default_value;
  }
  size_t count_;
  std::array<Arg, kInlineArgs> args_;
};

constinit const OpName kAdd{"add"};
constinit const OpName kSub{"sub"};
constinit const OpName kMul{"mul"};
constinit const OpName kDiv{"div"};
constinit const OpName kNeg{"neg"};

}  // namespace

Value apply_one(Builder& builder, const Op& op, std::span<const Arg> given) {
  return builder.apply_one(op, Complete(op, given).span());
}

ValueList apply(Builder& builder, const Op& op, std::span<const Arg> given) {
  ValueList results;
  builder.apply(op, Complete(op, given).span(), results);
  return results;
}

const Op& OpName::op() const {
  const Op* op = op_.load(std::memory_order_relaxed);
  if (!op) {
    op = &OpTable::instance().get(name_);
    op_.store(op, std::memory_order_relaxed);
  }
  return *op;
}

Value OpName::one(Builder* builder, std::span<const Arg> given) const {
  return apply_one(builder ? *builder : builder_of(op(), given), op(), given);
}

ValueList OpName::many(std::span<const Arg> given) const {
  return apply(builder_of(op(), given), op(), given);
}

Value operator+(const Value& a, const Arg& b) { return kAdd(a, b); }
Value operator-(const Value& a, const Arg& b) { return kSub(a, b); }
Value operator*(const Value& a, const Arg& b) { return kMul(a, b); }
Value operator/(const Value& a, const Arg& b) { return kDiv(a, b); }
Value operator-(const Value& a) { return kNeg(a); }
Value operator-(double a, const Value& b) { return kSub(a, b); }
Value operator*(double a, const Value& b) { return kMul(a, b); }
Value operator/(double a, const Value& b) { return kDiv(a, b); }

}  // namespace dyad
