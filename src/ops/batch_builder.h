#pragma once

#include "ops/op.h"

namespace dyad {

/// A value of many slices at once. A rule that computes with it sees one slice: its shape lacks the axis
/// along which the slices lie.
class BatchedValue final : public ValueImpl {
 public:
  BatchedValue(Builder& builder, Value whole, bool mapped);
  Builder& builder() const override { return builder_; }

  const Value whole;  ///< all slices, along the first axis; or what they have in common
  const bool mapped;  ///< whether the slices differ

 private:
  Builder& builder_;
};

/// Whether the slices of a value differ. A value that is not batched is common to all of them.
bool is_mapped(const Value& value);
/// All slices, or what they have in common.
const Value& unbatched(const Value& value);

/// Carries out operators on many slices at once with the operators of another builder: `vmap`. What it is
/// asked to do is written for one slice. The way is that of the operator's entry: its batching rule, for an
/// elementwise operator broadcasting, for a composition its body; an operator that has none of these is
/// applied slice by slice and its results are stacked.
class BatchBuilder final : public Builder {
 public:
  BatchBuilder(Builder& inner, Dim count, bool draws_alike)
      : inner_(inner), count_(count), draws_alike_(draws_alike) {}

  Value mapped(Value whole) { return Value(new BatchedValue(*this, std::move(whole), true)); }
  Value common(Value whole) { return Value(new BatchedValue(*this, std::move(whole), false)); }
  Dim count() const { return count_; }
  /// All slices of a value, along the first axis.
  Value whole(const Value& value);

  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override;
  Value apply_one(const Op& op, std::span<const Arg> args) override;
  /// Applies the operator slice by slice and gives all slices of each result.
  void apply_slices(const Op& op, std::span<const Arg> args, ValueList& results);

 private:
  void apply_updates(const Op& op, std::span<const Arg> args, ValueList& results);
  void apply_write(const Op& op, std::span<const Arg> args, ValueList& results);
  ValueList apply_slice(const Op& op, std::span<const Arg> args, int64_t slice);

  Builder& inner_;
  Dim count_;
  bool draws_alike_;
};

}  // namespace dyad
