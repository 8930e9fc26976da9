#pragma once

#include <atomic>

#include "program/derivation.h"

namespace dyad::program {

/// A program as a tape sees it: one step, with a backward that is a program too.
class Differentiable {
 public:
  /// Takes the captured graph over.
  Differentiable(std::shared_ptr<ir::Module> captured, std::shared_ptr<const Compiler> compiler);
  ~Differentiable();

  /// Runs the program and records it as one step that `orders` transforms may walk through, one recorded by
  /// the next. False, with nothing done, where each operator must be recorded by itself.
  bool run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host, size_t orders);

  /// Whether functions of the program bring a gradient of their own, which single operators do not have.
  bool custom() const { return program_outputs_->custom; }

  /// Whether it decides what to run when it runs, by branches and loops.
  bool decides() const { return decides_; }

  std::vector<DerivedFigures> figures() const;

 private:
  /// What was derived for a choice of inputs.
  struct Entry {
    std::vector<bool> wanted;
    Ref<Derivation> derivation;
    std::string refusal;  ///< of orders beyond those that are ready
    size_t ready = 0;     ///< orders up to this one can be run
  };
  void prepare(Entry& entry, size_t orders) const;
  std::string refusal_of(const std::vector<bool>& wanted) const;
  Ref<Derivation> derivation_for(const std::vector<bool>& wanted, size_t orders, Host& host);
  /// Whether a constant of the graph asks for a gradient: no step of the tape can give it one.
  bool meets_leaf(Host& host);
  /// Writes to inputs that gradients flow through.
  std::vector<ProgramOutputs::Write> recorded_writes(const Derivation::Level& level,
                                                     const std::vector<bool>& wanted) const;
  /// The results of the program, views made again, from its inputs and outputs.
  void give(std::span<const Arg> inputs, std::span<const Arg> made, std::vector<Arg>& outputs) const;

  const std::shared_ptr<const ProgramOutputs> program_outputs_;
  const std::shared_ptr<const Compiler> compiler_;  ///< of the programs that it derives
  const bool decides_;
  std::atomic<bool> met_leaf_{false};  ///< a constant of the graph asked for a gradient in some run
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  ///< the one used last at the end
};

}  // namespace dyad::program
