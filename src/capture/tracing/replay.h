#pragma once

#include <unordered_map>

#include "autograd/node.h"
#include "autograd/state.h"
#include "capture/tracing/graph_tracer.h"
#include "passes/substitute.h"

namespace dyad::tracing {

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
  void carry_out(const ir::Node& node);
  void apply(const ir::Node& node);
  void apply_intrinsic(const ir::Node& node);
  void choose(const ir::Node& node);
  void repeat(const ir::Node& node);
  void call(const ir::Node& node);
  void call_custom(const ir::Node& node);
  std::vector<Item> written_custom(const ir::Node& node, const std::vector<Item>& args, size_t own,
                                   size_t outputs);
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

/// While it lives, nodes come from this place of the program, and count as constants where the original does.
class NodeLocation {
 public:
  NodeLocation(GraphTracer& tracer, const ir::Node& node)
      : tracer_(tracer),
        location_(std::exchange(tracer.location, node.location)),
        called_(node.location.called),
        enabled_(autograd::state().enabled),
        constant_(autograd::state().constant) {
    if (!node.constant) return;
    autograd::state().enabled = false;
    autograd::state().constant = true;
  }
  ~NodeLocation() {
    tracer_.location = std::move(location_);
    autograd::state().enabled = enabled_;
    autograd::state().constant = constant_;
  }
  NodeLocation(const NodeLocation&) = delete;
  NodeLocation& operator=(const NodeLocation&) = delete;

 private:
  GraphTracer& tracer_;
  ir::Location location_;
  CalledAs called_;
  bool enabled_;
  bool constant_;
};

/// What a parameter or result of that type will be.
TypeSpec type_spec_of(const ir::GraphValue& value);
/// Opens a function; where something is raised before `end`, it is left again.
class FunctionScope {
 public:
  FunctionScope(GraphTracer& tracer, std::string name, std::span<const TypeSpec> specs);
  ~FunctionScope();
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;
  const std::vector<Item>& params() const { return params_; }
  Scope* end();

 private:
  GraphTracer& tracer_;
  std::vector<Item> params_;
  bool ended_ = false;
};

/// A transform on this thread's tape.
class Transform {
 public:
  Transform() : mark(autograd::next_sequence()) { autograd::enter_transform(); }
  ~Transform() { autograd::exit_transform(); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  const uint64_t mark;
};

/// The same for a function that was declared.
class DeclaredFunctionScope {
 public:
  DeclaredFunctionScope(GraphTracer& tracer, Scope& function)
      : tracer_(tracer), function_(function), params_(tracer.open(function)) {}
  ~DeclaredFunctionScope() {
    if (!closed_) tracer_.abandon(function_);
  }
  DeclaredFunctionScope(const DeclaredFunctionScope&) = delete;
  DeclaredFunctionScope& operator=(const DeclaredFunctionScope&) = delete;
  const std::vector<Item>& params() const { return params_; }
  void close(std::span<const Item> items) {
    tracer_.close(function_, items);
    closed_ = true;
  }

 private:
  GraphTracer& tracer_;
  Scope& function_;
  std::vector<Item> params_;
  bool closed_ = false;
};

}  // namespace dyad::tracing
