#pragma once

#include "ir/graph.h"
#include "ops/op.h"

namespace dyad::program {

/// A program seen as one step on a tape: what the step computes, and what of its results is nothing but
/// another look at an input or at another result. Those are looked at again after each run, so that writes
/// through one reach the other as they do in the dynamic graph.
struct ProgramOutputs {
  /// A view operator that is applied once more after a run.
  struct View {
    const Op* op;
    std::vector<Arg> args;  ///< the first one, the tensor looked at, is left out
  };
  /// How a result of the program comes about. Inputs and outputs leave tokens out.
  struct Result {
    bool of_input = false;
    uint32_t index = 0;  ///< of an input of the program, or of an output of `module`
    std::vector<View> views;
  };
  /// An input that is written in place ends as that output, and its gradient comes from there.
  struct Write {
    uint32_t input;
    uint32_t output;
  };

  /// The program with the outputs as its results, the token last.
  std::shared_ptr<ir::Module> module;
  size_t outputs = 0;
  std::vector<Result> results;
  std::vector<Write> writes;
  std::vector<uint32_t> states;  ///< inputs that are written as state, which has no gradient
  std::vector<Value> constants;  ///< tensors that are part of the graph
  bool custom = false;           ///< has functions that bring a gradient of their own
  std::string refusal;           ///< why the program cannot be one step; empty if it can
};

/// Takes the module over and changes its results.
ProgramOutputs program_outputs_of(std::shared_ptr<ir::Module> module);

}  // namespace dyad::program
