#pragma once

#include <string>
#include <vector>

#include "base/intrusive.h"
#include "execute/host.h"

namespace dyad::program {

class Program;

/// Runs programs when the run that they follow from is over: gradients of what that one computed.
class Runner : public RefCounted {
 public:
  /// As `Program::run`; what only the inputs hold is let go as soon as it is not needed.
  virtual void run(const Program& program, std::vector<Arg> inputs, std::vector<Arg>& outputs,
                   int transforms);
  /// Whether it holds functions of the host, which may in turn hold what was computed.
  virtual bool holds_functions() const { return false; }
};

/// What a program asks of the language around it.
class Host : public execute::Host {
 public:
  /// A tape records each operator of the program of this name by itself, which is slower than one step.
  /// Called once for each choice of inputs to differentiate.
  virtual void records_each_operator(const std::string& /*name*/, const std::string& /*reason*/) {}
  /// Who runs the gradients of this run, with the same host functions.
  virtual Ref<Runner> runner() { return Ref<Runner>(new Runner); }
};

}  // namespace dyad::program
