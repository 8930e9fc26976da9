#pragma once

#include <atomic>
#include <initializer_list>
#include <string_view>

#include "ops/op.h"

namespace dyad {

/// An argument that a call borrows. Rules and bodies call operators in many hundred places: there a borrowed
/// argument is two words to store, where an Arg would be a copy to make and to destroy.
class ArgRef {
 public:
  ArgRef(std::nullptr_t) : kind_(Kind::kNone), at_(nullptr) {}
  ArgRef(const Arg& arg) : kind_(Kind::kArg), at_(&arg) {}
  ArgRef(const Value& value) : kind_(Kind::kValue), at_(&value) {}
  ArgRef(const Scalar& number) : kind_(Kind::kScalar), at_(&number) {}
  ArgRef(bool flag) : kind_(Kind::kBool), integer_(flag) {}
  ArgRef(int number) : kind_(Kind::kInteger), integer_(number) {}
  ArgRef(int64_t number) : kind_(Kind::kInteger), integer_(number) {}
  ArgRef(double number) : kind_(Kind::kReal), real_(number) {}
  ArgRef(DType dtype) : kind_(Kind::kDType), integer_(static_cast<int>(dtype)) {}
  ArgRef(const Dims& dims) : kind_(Kind::kDims), at_(&dims) {}
  ArgRef(const char* text) : kind_(Kind::kLiteral), at_(text) {}
  ArgRef(const std::string& text) : kind_(Kind::kText), at_(&text) {}
  ArgRef(const ValueList& values) : kind_(Kind::kValues), at_(&values) {}
  ArgRef(const Floats& numbers) : kind_(Kind::kFloats), at_(&numbers) {}

  /// The argument itself.
  Arg get() const;
  /// The value, or the first one of a list; null if there is none.
  const ValueImpl* first_value() const;

 private:
  enum class Kind : uint8_t {
    kNone,
    kArg,
    kValue,
    kScalar,
    kBool,
    kInteger,
    kReal,
    kDType,
    kDims,
    kLiteral,
    kText,
    kValues,
    kFloats
  };
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(at_);
  }

  Kind kind_;
  union {
    const void* at_;
    int64_t integer_;
    double real_;
  };
};

/// An operator called by name from a body or a gradient rule: `sum(x, axis)`. Arguments are given in the
/// order of the signature, the rest takes its defaults. The builder is that of the first value among the
/// arguments; where there is none (`zeros`), it is given first: `zeros(call.builder(), shape)`.
class OpName {
 public:
  explicit constexpr OpName(std::string_view name) : name_(name) {}

  template <class... Args>
  Value operator()(const Args&... args) const {
    return one(nullptr, {ArgRef(args)...});
  }
  template <class... Args>
  Value operator()(Builder& builder, const Args&... args) const {
    return one(&builder, {ArgRef(args)...});
  }
  /// All results of an operator that has several.
  template <class... Args>
  ValueList all(const Args&... args) const {
    return many({ArgRef(args)...});
  }

 private:
  Value one(Builder* builder, std::initializer_list<ArgRef> given) const;
  ValueList many(std::initializer_list<ArgRef> given) const;
  const Op& op() const;

  std::string_view name_;
  mutable std::atomic<const Op*> op_{nullptr};
};

/// Applies `op` to arguments that may leave out trailing defaults.
Value apply_one(Builder& builder, const Op& op, std::span<const Arg> given);
ValueList apply(Builder& builder, const Op& op, std::span<const Arg> given);

Value operator+(const Value& a, ArgRef b);
Value operator-(const Value& a, ArgRef b);
Value operator*(const Value& a, ArgRef b);
Value operator/(const Value& a, ArgRef b);
Value operator-(const Value& a);
Value operator-(double a, const Value& b);
Value operator*(double a, const Value& b);
Value operator/(double a, const Value& b);

}  // namespace dyad

/// Makes operators callable in this file: `DYAD_USE(exp, reduce_sum);`, inside a namespace of the file. Up to
/// 64 names.
#define DYAD_USE(...) [[maybe_unused]] static const ::dyad::OpName DYAD_USE_RESCAN(DYAD_USE_EACH(__VA_ARGS__))
// The preprocessor does not expand a macro inside of itself: DYAD_USE_EACH leaves a name that becomes a call
// when the text is scanned again, once per operator.
#define DYAD_USE_EACH(name, ...) name{#name} __VA_OPT__(, DYAD_USE_AGAIN DYAD_USE_PARENTHESES(__VA_ARGS__))
#define DYAD_USE_AGAIN() DYAD_USE_EACH
#define DYAD_USE_PARENTHESES ()
#define DYAD_USE_RESCAN(...) \
  DYAD_USE_SCAN_16(DYAD_USE_SCAN_16(DYAD_USE_SCAN_16(DYAD_USE_SCAN_16(__VA_ARGS__))))
#define DYAD_USE_SCAN_16(...) DYAD_USE_SCAN_4(DYAD_USE_SCAN_4(DYAD_USE_SCAN_4(DYAD_USE_SCAN_4(__VA_ARGS__))))
#define DYAD_USE_SCAN_4(...) DYAD_USE_SCAN(DYAD_USE_SCAN(DYAD_USE_SCAN(DYAD_USE_SCAN(__VA_ARGS__))))
#define DYAD_USE_SCAN(...) __VA_ARGS__
