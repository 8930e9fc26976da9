#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "ops/op.h"

namespace dyad {

/// An operator called by name from a body or a gradient rule: `sum(x, axis)`. Arguments are given in the
/// order of the signature, the rest takes its defaults. The builder is that of the first value among the
/// arguments; where there is none (`zeros`), it is given first: `zeros(call.builder(), shape)`.
class OpName {
 public:
  explicit constexpr OpName(std::string_view name) : name_(name) {}

  template <class... Args>
  Value operator()(const Args&... args) const {
    const Arg given[] = {Arg(args)...};
    return one(nullptr, given);
  }
  template <class... Args>
  Value operator()(Builder& builder, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> given{Arg(args)...};
    return one(&builder, given);
  }
  /// All results of an operator that has several.
  template <class... Args>
  ValueList all(const Args&... args) const {
    const Arg given[] = {Arg(args)...};
    return many(given);
  }

 private:
  Value one(Builder* builder, std::span<const Arg> given) const;
  ValueList many(std::span<const Arg> given) const;
  const Op& op() const;

  std::string_view name_;
  mutable std::atomic<const Op*> op_{nullptr};
};

/// Applies `op` to arguments that may leave out trailing defaults.
Value apply_one(Builder& builder, const Op& op, std::span<const Arg> given);
ValueList apply(Builder& builder, const Op& op, std::span<const Arg> given);

Value operator+(const Value& a, const Arg& b);
Value operator-(const Value& a, const Arg& b);
Value operator*(const Value& a, const Arg& b);
Value operator/(const Value& a, const Arg& b);
Value operator-(const Value& a);
Value operator-(double a, const Value& b);
Value operator*(double a, const Value& b);
Value operator/(double a, const Value& b);

}  // namespace dyad

#define DYAD_USE_1(a) [[maybe_unused]] static const ::dyad::OpName a{#a};
/// Makes operators callable in this file: `DYAD_USE(exp) DYAD_USE(reduce_sum)`, inside a namespace of the
/// file.
#define DYAD_USE(name) DYAD_USE_1(name)
