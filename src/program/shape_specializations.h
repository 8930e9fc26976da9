#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "program/compiler.h"
#include "program/program.h"

namespace dyad::program {

/// Programs for the sizes that runs of a graph with symbolic dimensions have had: with its sizes known such a
/// graph is compiled like any other. The first few combinations of sizes get a program at once. Later ones
/// have to come again and again before they displace the one that was not used for the longest time, and more
/// often with each one displaced, so that sizes which never settle do not keep the compiler busy.
class ShapeSpecializations {
 public:
  /// `graph` belongs to this; null results of `find` send the run to the graph as it is.
  ShapeSpecializations(std::shared_ptr<const ir::Module> graph, std::shared_ptr<const Compiler> compiler);
  ~ShapeSpecializations();

  /// Whether the graph has symbolic dimensions, so that this class is of use.
  static bool has_symbolic_dims(const ir::Module& module);

  /// The program for inputs of these sizes, or null.
  Ref<Program> find(std::span<const Arg> inputs);

 private:
  using Sizes = std::vector<int64_t>;
  /// A size that the shape of an input tells.
  struct Open {
    uint32_t input;
    uint32_t axis;
  };
  /// The program for some sizes.
  struct Entry {
    Sizes sizes;
    Ref<Program> program;  ///< null if these sizes have none
    uint64_t last_used = 0;
  };
  /// Sizes that have no program yet, and how often they came.
  struct Candidate {
    Sizes sizes;
    unsigned times = 0;
  };

  void read_sizes(std::span<const Arg> inputs, Sizes& sizes) const;
  /// Whether the sizes have come often enough.
  bool deserves(const Sizes& sizes);
  Ref<Program> make(std::span<const Arg> inputs) const;
  void keep(Sizes sizes, Ref<Program> program);

  const std::shared_ptr<const ir::Module> graph_;
  const std::shared_ptr<const Compiler> compiler_;
  std::vector<Open> open_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Candidate> candidates_;
  unsigned patience_ = 2;
  uint64_t clock_ = 0;
};

}  // namespace dyad::program
