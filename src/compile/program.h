#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/intrusive.h"
#include "ir/graph.h"
#include "types/arg.h"

namespace dyad::compile {

/// Carries out the host nodes of a program, in the order of the program.
class Host {
 public:
  virtual ~Host() = default;
  /// `args` and `results` leave the token out: tensors and numbers only. Tensors may be kept. It appends as
  /// many results as the node has besides the token.
  virtual void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) = 0;
  /// An exception leaves the step that stands for this place of the user's program; called once for each.
  virtual void failed_at(const ir::Location&) {}
};

struct Figures {
  size_t steps = 0;             ///< of all functions
  int64_t planned_bytes = 0;    ///< memory of intermediate results, as planned
  int64_t unplanned_bytes = 0;  ///< what they would take without reuse
};

class Code;
class Plan;

/// A compiled graph, ready to run; it never changes, and several threads may run it at once. Inputs are
/// tensors and numbers in the order of the main function's parameters, tokens left out. A tensor that the
/// graph consumes is written in place.
class Program final : public RefCounted {
 public:
  explicit Program(std::shared_ptr<const ir::Module> module, bool planned = true);
  ~Program() override;

  /// Appends the results of the main function, tokens left out. What fails raises what the dynamic graph
  /// raises and leaves what was written until then.
  void run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host) const;

  /// The graph as it is run.
  const ir::Module& module() const { return *module_; }
  size_t input_count() const { return inputs_; }
  size_t output_count() const { return outputs_; }
  const Figures& figures() const { return figures_; }

 private:
  std::shared_ptr<const ir::Module> module_;
  std::unique_ptr<Code> code_;
  std::unique_ptr<Plan> plan_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  Figures figures_;
};

struct Options {
  /// Checks the graph after every pass; debug builds always do.
  bool verify = false;
  /// Plans the memory where shapes are known; without it every step goes through dispatch.
  bool plan = true;
  /// Called with the text of the graph after each stage, the stage's number and its name.
  std::function<void(int number, const std::string& stage, const std::string& text)> dump;
};

/// What compiling did, for people.
struct Report {
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
