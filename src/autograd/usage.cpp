#include "autograd/usage.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "autograd/rule.h"
#include "base/error.h"
#include "ops/placeholder.h"

namespace dyad::autograd {

namespace {

/// Infers like the builder of placeholders and notes which of the described values operators read.
class ReadTracker final : public Builder {
 public:
  Value describe(const ValueImpl& value) { return placeholder(value.dtype, value.shape, *this); }

  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override {
    for (size_t i = 0; i < args.size(); ++i) {
      if (op.reads_data(i)) note(args[i]);
    }
    infer_with(*this, op, args, results);
  }
  Value apply_one(const Op& op, std::span<const Arg> args) override {
    ValueList results;
    apply(op, args, results);
    return std::move(results.front());
  }

  void note(const Arg& arg) {
    if (auto* value = arg.get<Value>()) read_.push_back(value->get());
    if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) read_.push_back(value.get());
    }
  }
  bool read(const Value& value) const {
    return value && std::find(read_.begin(), read_.end(), value.get()) != read_.end();
  }
  bool read(const Arg& arg) const {
    if (auto* value = arg.get<Value>()) return read(*value);
    auto* list = arg.get<ValueList>();
    return list && std::any_of(list->begin(), list->end(), [&](const Value& v) { return read(v); });
  }

 private:
  std::vector<const ValueImpl*> read_;
};

Arg described(ReadTracker& reads, const Arg& arg) {
  if (auto* value = arg.get<Value>()) return reads.describe(**value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? reads.describe(*value) : Value());
    return members;
  }
  return arg;
}

Usage run_tracked(const Op& op, std::span<const Arg> args, std::span<const Value> results,
                  ArgumentMask needed) {
  ReadTracker reads;
  std::vector<Arg> seen;
  for (const Arg& arg : args) seen.push_back(described(reads, arg));
  ValueList outs;
  ValueList gradients;
  for (const Value& result : results) {
    outs.push_back(reads.describe(*result));
    gradients.push_back(reads.describe(*result));
  }
  // A rule may hand a value on as a gradient without any operator: that reads it too.
  for (const ArgumentGradient& gradient : run_gradient_rule(reads, op, seen, outs, gradients, needed)) {
    reads.note(gradient.value);
    reads.note(gradient.members);
  }
  Usage usage;
  for (size_t i = 0; i < seen.size(); ++i) usage.args |= ArgumentMask{reads.read(seen[i])} << i;
  for (size_t i = 0; i < outs.size(); ++i) usage.results |= ArgumentMask{reads.read(outs[i])} << i;
  return usage;
}

/// A rule may refuse the gradient of one of several results. It does so if that gradient arrives; until then
/// it may read anything.
Usage run_tracked_or_all(const Op& op, std::span<const Arg> args, std::span<const Value> results,
                         ArgumentMask needed) {
  try {
    return run_tracked(op, args, results, needed);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kValue) throw;
    return {kAllArguments, kAllArguments};
  }
}

class Digest {
 public:
  void add(uint64_t word) { state_ = (std::rotl(state_, 25) ^ word) * 0x9E3779B97F4A7C15u; }
  void add(const ValueImpl& value) {
    add(static_cast<uint64_t>(value.dtype) + 64 * value.shape.size());
    add_sizes(value.shape);
  }
  void add(const Arg& arg) {
    if (auto* value = arg.get<Value>()) {
      add(**value);
    } else if (auto* number = arg.get<Scalar>()) {
      add(static_cast<uint64_t>(number->kind()));
      add(std::bit_cast<uint64_t>(number->to_complex().real()));
    } else if (auto* dims = arg.get<Dims>()) {
      add_sizes(*dims);
    } else if (auto* dtype = arg.get<DType>()) {
      add(static_cast<uint64_t>(*dtype));
    } else if (auto* text = arg.get<std::string>()) {
      add(std::hash<std::string>()(*text));
    } else if (auto* list = arg.get<ValueList>()) {
      for (const Value& value : *list) value ? add(*value) : add(uint64_t{3});
    } else if (auto* numbers = arg.get<Floats>()) {
      for (double number : *numbers) add(std::bit_cast<uint64_t>(number));
    }
    add(uint64_t{7});
  }
  uint64_t value() const { return state_; }

 private:
  /// A symbol counts as what it is written as.
  void add_sizes(const Dims& dims) {
    for (size_t i = 0; i < dims.size(); ++i) add(static_cast<uint64_t>(sizes(dims)[i]));
  }

  uint64_t state_ = 0x243F6A8885A308D3u;
};

/// Calls with the same digest have rules that read the same. Programs whose shapes keep changing would fill
/// memory; then it starts anew.
constexpr size_t kMostKinds = 1 << 14;

}  // namespace

Usage usage_of(const Op& op, std::span<const Arg> args, std::span<const Value> results, ArgumentMask needed) {
  thread_local std::unordered_map<uint64_t, Usage> known;
  Digest digest;
  digest.add(static_cast<uint64_t>(op.id) << 32 | needed);
  for (const Arg& arg : args) digest.add(arg);
  for (const Value& result : results) digest.add(*result);
  if (auto found = known.find(digest.value()); found != known.end()) return found->second;
  if (known.size() >= kMostKinds) known.clear();
  return known[digest.value()] = run_tracked_or_all(op, args, results, needed);
}

}  // namespace dyad::autograd
