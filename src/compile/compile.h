#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/program.h"

namespace dyad::program {
class Preparations;
}

namespace dyad::compile {

using program::Program;

/// How a graph is compiled.
struct Options {
  /// Checks the graph after every pass; debug builds always do.
  bool verify = false;
  /// Optimises the graph as a whole and generates code for what is computed together; without it only what
  /// running needs is done, kernel by kernel.
  bool optimise = true;
  /// Plans the memory where shapes are known; without it every step goes through dispatch.
  bool plan = true;
  /// A tape may record runs as one step: the captured graph is kept for it.
  bool differentiable = true;
  /// What programs of one graph prepare, for those that prepare the same; null for a program by itself.
  std::shared_ptr<program::Preparations> preparations;
  /// Called with the text of the graph after each stage, the stage's number and its name.
  std::function<void(int number, const std::string& stage, const std::string& text)> dump;
};

/// What compiling did, for people.
struct Report {
  /// A pass, or something that is put by for later.
  struct Stage {
    std::string name;
    double milliseconds = 0;
    size_t nodes = 0;  ///< after it
  };
  size_t nodes_before = 0;
  size_t nodes_after = 0;
  std::vector<Stage> stages;
};

/// Passes and plan. The module is changed and then belongs to the program.
Ref<Program> compile(std::shared_ptr<ir::Module> module, const Options& options = {},
                     Report* report = nullptr);

}  // namespace dyad::compile
