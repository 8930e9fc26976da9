#pragma once

#include <unordered_map>

#include "passes/substitute.h"
#include "transforms/items.h"

namespace dyad::transforms {

/// Writes a function of a graph down again, as if a program had called it here: each operator goes through
/// dispatch, so that a tape that is active records it.
class Replay {
 public:
  explicit Replay(GraphTracer& tracer) : tracer_(tracer) {}
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// `args` and the results leave tokens out.
  std::vector<Item> run(const ir::Function& function, std::span<const Item> args);
  /// What a value of the function that was run is here.
  const Item& at(const ValueImpl& value) const { return items_.at(&value); }

 private:
  Replay(GraphTracer& tracer, passes::Substitution sizes) : tracer_(tracer), sizes_(std::move(sizes)) {}
  /// For a function that the one being run calls: it knows the same sizes.
  Replay inner() const { return {tracer_, sizes_}; }

  void carry_out(const ir::Node& node);
  void apply(const ir::Node& node);
  void apply_intrinsic(const ir::Node& node);
  void choose(const ir::Node& node);
  void repeat(const ir::Node& node);
  void call(const ir::Node& node);
  void call_custom(const ir::Node& node);
  Scope* written_part(const ir::Function& function, std::span<const Item> own, std::span<const Item> captured,
                      size_t given, std::vector<Item>& results) const;
  void call_host(const ir::Node& node);

  std::vector<Item> items_of(const ir::Node& node, size_t first, size_t last) const;
  Arg argument(const Arg& arg) const;
  Tensor constant(const Tensor& tensor) const;
  void find_last_uses(const ir::Function& function);
  void insert_copies(const Op& op, std::span<const Arg> args);
  void give(const ir::Node& node, std::span<const Item> results);
  void define(const ir::GraphValue& value, Item item);
  Scope* written(const ir::Function& function, std::span<const Item> args, std::vector<Item>& results) const;

  GraphTracer& tracer_;
  std::unordered_map<const ValueImpl*, Item> items_;
  std::unordered_map<const ValueImpl*, Item> places_;  ///< the same, in the memory that is written
  std::unordered_map<const ValueImpl*, size_t> last_use_;
  size_t position_ = 0;
  passes::Substitution sizes_;
};

}  // namespace dyad::transforms
