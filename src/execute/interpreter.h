#pragma once

#include "execute/executable.h"

namespace dyad::execute {

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
  using Sight = Executable::Sight;

  Interpreter(const Executable& executable, Host& host, Sight sight)
      : executable_(executable), host_(host), sight_(sight) {}

  /// Runs a function: `args` one per parameter, those of tokens empty; `results` are appended likewise.
  void run(const plan::FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results);

 private:
  struct Frame {
    std::vector<Arg> slots;
    std::vector<int64_t> symbols;
  };

  void call(const plan::FunctionCode& code, std::vector<Arg> args, std::vector<Arg>& results,
            std::vector<int64_t> symbols);
  void carry_out(const plan::Step& step, Frame& frame);
  void apply_operator(const plan::Step& step, Frame& frame);
  void evaluate_number(const plan::Step& step, Frame& frame);
  void run_intrinsic(const plan::Step& step, Frame& frame);
  void call_function(const plan::Step& step, Frame& frame, size_t function, size_t first_arg);
  bool call_fused(const plan::Step& step, Frame& frame);
  void repeat(const plan::Step& step, Frame& frame);
  void call_host(const plan::Step& step, Frame& frame);
  void give(const plan::Step& step, Frame& frame, std::vector<Arg>& results);

  const Executable& executable_;
  Host& host_;
  const Sight sight_;
  int depth_ = 0;
  bool reported_ = false;  ///< the step that an exception came from was told to the host
};

}  // namespace dyad::execute
