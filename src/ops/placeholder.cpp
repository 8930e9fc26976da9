#include "ops/placeholder.h"

#include "base/error.h"
#include "ir/graph.h"

namespace dyad {

namespace {

class Placeholder final : public ValueImpl {
 public:
  explicit Placeholder(Builder& builder) : builder_(builder) {}
  Builder& builder() const override { return builder_; }

 private:
  Builder& builder_;
};

class InferringBuilder final : public Builder {
 public:
  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override {
    infer_with(*this, op, args, results);
  }
  Value apply_one(const Op& op, std::span<const Arg> args) override {
    ValueList results;
    apply(op, args, results);
    return std::move(results.front());
  }
};

}  // namespace

void infer_with(Builder& builder, const Op& op, std::span<const Arg> args, ValueList& results) {
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
    return op.body(Call(arguments, builder), results);
  }
  Results inferred;
  op.infer(arguments, inferred);
  for (size_t i = 0; i < inferred.size(); ++i) {
    results.push_back(placeholder(inferred[i].dtype, std::move(inferred[i].shape), builder));
  }
}

std::vector<ResultSpec> Op::infer_results(std::span<const Arg> args) const {
  ValueList results;
  infer_with(inferring_builder(), *this, args, results);
  std::vector<ResultSpec> specs;
  for (const Value& result : results) specs.push_back({result->dtype, result->shape});
  for (int i : updates) {
    const auto add = [&](const Value& updated) { specs.push_back({updated->dtype, updated->shape}); };
    ir::for_each_value(args[static_cast<size_t>(i)], add);
  }
  return specs;
}

Value placeholder(DType dtype, Shape shape, Builder& builder) {
  Value value(new Placeholder(builder));
  value->dtype = dtype;
  value->shape = std::move(shape);
  return value;
}

Value placeholder(DType dtype, Shape shape) {
  return placeholder(dtype, std::move(shape), inferring_builder());
}

Builder& inferring_builder() {
  static InferringBuilder builder;
  return builder;
}

}  // namespace dyad
