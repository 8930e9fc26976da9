#pragma once

#include "capture/tracing/graph_tracer.h"

namespace dyad::tracing {

/// Begins a function and is where it is written; where something is raised before `end`, it is left again.
class FunctionScope {
 public:
  FunctionScope(GraphTracer& tracer, const std::string& name, std::span<const TypeSpec> specs)
      : tracer_(tracer), params_(tracer.begin(name, specs)) {}
  ~FunctionScope() {
    if (!ended_) tracer_.suspend();
  }
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;
  const std::vector<Item>& params() const { return params_; }
  Scope* end() {
    ended_ = true;
    return tracer_.suspend();
  }

 private:
  GraphTracer& tracer_;
  std::vector<Item> params_;
  bool ended_ = false;
};

/// Goes on with a function that was suspended, as long as it lives.
class ResumedFunctionScope {
 public:
  ResumedFunctionScope(GraphTracer& tracer, Scope& function) : tracer_(tracer) { tracer.resume(function); }
  ~ResumedFunctionScope() { tracer_.suspend(); }
  ResumedFunctionScope(const ResumedFunctionScope&) = delete;
  ResumedFunctionScope& operator=(const ResumedFunctionScope&) = delete;

 private:
  GraphTracer& tracer_;
};

/// The same as `FunctionScope` for a function that was declared.
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
