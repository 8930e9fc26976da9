#pragma once

#include "compile/code.h"
#include "compile/program.h"

namespace dyad::compile {

/// How deep functions may call each other; Python's own limit is of this size. Arms and loops do not count.
inline constexpr int kMostCalls = 1000;

/// Every so many rounds a loop notices an interrupt and lets the host's other threads run.
inline constexpr unsigned kBetweenChecks = 64;
void give_way();

/// One run of a program, step by step, through eager dispatch: memory is taken as it is needed, a tape or a
/// trace that is active sees every operator. It serves whatever the plan does not: sizes known only at run
/// time, recording, operands laid out in another way than was planned.
class Interpreter {
 public:
  /// Whether somebody must see each operator, or fused functions may run as machine code.
  enum class Sight : uint8_t { kResults, kEachOperator };

  explicit Interpreter(Host& host, Sight sight = Sight::kResults) : host_(host), sight_(sight) {}

  /// Runs a function: `args` one per parameter, those of tokens empty; `results` are appended likewise.
  void run(const FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results);

 private:
  struct Frame {
    std::vector<Arg> slots;
    std::vector<int64_t> symbols;
  };

  void call(const FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results,
            std::vector<int64_t> symbols);
  void carry_out(const Step& step, Frame& frame);
  void apply_operator(const Step& step, Frame& frame);
  void evaluate_number(const Step& step, Frame& frame);
  void run_intrinsic(const Step& step, Frame& frame);
  void call_function(const Step& step, Frame& frame, size_t function, size_t first_arg);
  bool call_fused(const Step& step, Frame& frame);
  void repeat(const Step& step, Frame& frame);
  void call_host(const Step& step, Frame& frame);
  void give(const Step& step, Frame& frame, std::vector<Arg>& results);

  Host& host_;
  const Sight sight_;
  int depth_ = 0;
  bool reported_ = false;  ///< the step that an exception came from was told to the host
};

}  // namespace dyad::compile
