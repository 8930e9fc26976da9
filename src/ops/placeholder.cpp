#include "ops/placeholder.h"

#include "base/error.h"

namespace dyad {

namespace {

class Placeholder final : public ValueImpl {
 public:
  Builder& builder() const override { return inferring_builder(); }
};

class InferringBuilder final : public Builder {
 public:
  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override {
    const Arguments arguments(op.name, args);
    if (op.writes >= 0) {
      if (op.infer) {
        Results checked;
        op.infer(arguments, checked);
      }
      results.push_back(arguments.value(static_cast<size_t>(op.writes)));
      return;
    }
    if (!op.infer) {
      DYAD_ASSERT(op.body);
      return op.body(Call(arguments, *this), results);
    }
    Results inferred;
    op.infer(arguments, inferred);
    for (size_t i = 0; i < inferred.size(); ++i) {
      results.push_back(placeholder(inferred[i].dtype, std::move(inferred[i].shape)));
    }
  }

  Value apply_one(const Op& op, std::span<const Arg> args) override {
    ValueList results;
    apply(op, args, results);
    return std::move(results.front());
  }
};

}  // namespace

Value placeholder(DType dtype, Shape shape) {
  Value value(new Placeholder);
  value->dtype = dtype;
  value->shape = std::move(shape);
  return value;
}

Builder& inferring_builder() {
  static InferringBuilder builder;
  return builder;
}

}  // namespace dyad
