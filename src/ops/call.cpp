#include "ops/call.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "base/error.h"

namespace dyad {

namespace {

constexpr size_t kInlineArgs = 12;

Builder& builder_of(const Op& op, std::span<const ArgRef> given) {
  for (const ArgRef& arg : given) {
    if (const ValueImpl* value = arg.first_value()) return value->builder();
  }
  raise(ErrorKind::kInternal, cat("internal error: ", op.name, " is called without a value or a builder"));
}

/// The argument as the parameter keeps it: rules may write one number for a list of one.
Arg fitted(const Param& param, Arg given) {
  const Scalar* number = given.get<Scalar>();
  if (number && param.kind == ParamKind::kFloats) return Floats{number->to_double()};
  if (number) return Dims{number->to_int()};
  return given;
}

bool is_list(ParamKind kind) {
  return kind == ParamKind::kInts || kind == ParamKind::kSizes || kind == ParamKind::kFloats;
}

/// Arguments completed with the signature's defaults.
class Complete {
 public:
  template <class Given>
  Complete(const Op& op, std::span<const Given> given) : Complete() {
    const std::vector<Param>& params = op.signature.params;
    DYAD_ASSERT(given.size() <= params.size() && params.size() <= kInlineArgs);
    for (const Given& arg : given) {
      const Param& param = params[count_];
      if (is_list(param.kind)) {
        new (args() + count_) Arg(fitted(param, whole(arg)));
      } else {
        new (args() + count_) Arg(whole(arg));
      }
      ++count_;
    }
    for (; count_ < params.size(); ++count_) new (args() + count_) Arg(default_of(op, params[count_]));
  }
  Complete(const Complete&) = delete;
  Complete& operator=(const Complete&) = delete;
  ~Complete() { std::destroy_n(args(), count_); }
  std::span<const Arg> span() { return {args(), count_}; }

 private:
  Complete() {}  // the memory stays as it is

  static const Arg& whole(const Arg& arg) { return arg; }
  static Arg whole(const ArgRef& arg) { return arg.get(); }
  static const Arg& default_of(const Op& op, const Param& param) {
    if (!param.has_default && !param.optional) {
      raise(ErrorKind::kInternal, cat("internal error: ", op.name, " is called without ", param.name));
    }
    return param.default_value;
  }
  Arg* args() { return std::launder(reinterpret_cast<Arg*>(memory_)); }

  size_t count_ = 0;
  alignas(Arg) std::byte memory_[kInlineArgs * sizeof(Arg)];
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

Value OpName::one(Builder* builder, std::initializer_list<ArgRef> given) const {
  const std::span<const ArgRef> args(given.begin(), given.size());
  Builder& with = builder ? *builder : builder_of(op(), args);
  return with.apply_one(op(), Complete(op(), args).span());
}

ValueList OpName::many(std::initializer_list<ArgRef> given) const {
  const std::span<const ArgRef> args(given.begin(), given.size());
  ValueList results;
  builder_of(op(), args).apply(op(), Complete(op(), args).span(), results);
  return results;
}

Arg ArgRef::get() const {
  switch (kind_) {
    case Kind::kArg:
      return as<Arg>();
    case Kind::kValue:
      return as<Value>();
    case Kind::kScalar:
      return as<Scalar>();
    case Kind::kBool:
      return integer_ != 0;
    case Kind::kInteger:
      return integer_;
    case Kind::kReal:
      return real_;
    case Kind::kDType:
      return static_cast<DType>(integer_);
    case Kind::kDims:
      return as<Dims>();
    case Kind::kLiteral:
      return static_cast<const char*>(at_);
    case Kind::kText:
      return as<std::string>();
    case Kind::kValues:
      return as<ValueList>();
    case Kind::kFloats:
      return as<Floats>();
    case Kind::kNone:
      break;
  }
  return nullptr;
}

const ValueImpl* ArgRef::first_value() const {
  const Arg* arg = kind_ == Kind::kArg ? &as<Arg>() : nullptr;
  const auto* value = arg ? arg->get<Value>() : kind_ == Kind::kValue ? &as<Value>() : nullptr;
  if (value) return value->get();
  const auto* list = arg ? arg->get<ValueList>() : kind_ == Kind::kValues ? &as<ValueList>() : nullptr;
  if (!list) return nullptr;
  const auto found = std::find_if(list->begin(), list->end(), [](const Value& v) { return bool(v); });
  return found == list->end() ? nullptr : found->get();
}

Value operator+(const Value& a, ArgRef b) { return kAdd(a, b); }
Value operator-(const Value& a, ArgRef b) { return kSub(a, b); }
Value operator*(const Value& a, ArgRef b) { return kMul(a, b); }
Value operator/(const Value& a, ArgRef b) { return kDiv(a, b); }
Value operator-(const Value& a) { return kNeg(a); }
Value operator-(double a, const Value& b) { return kSub(a, b); }
Value operator*(double a, const Value& b) { return kMul(a, b); }
Value operator/(double a, const Value& b) { return kDiv(a, b); }

}  // namespace dyad
