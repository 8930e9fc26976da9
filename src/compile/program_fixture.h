#pragma once

#include <string>

#include "compile/compile.h"
#include "passes/pass_fixture.h"

namespace dyad::compile {

using passes::copies;
using passes::failure_of;
using passes::read;
using passes::shown;
using passes::tensor;
using passes::vector;

/// Writes down what it is asked to do; `raise` does what its name says.
class Journal final : public program::Host {
 public:
  void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) override {
    if (node.host == "raise") value_error("raised by the host");
    std::string entry = node.host;
    for (const Arg& arg : args) entry += cat(" ", shown(arg));
    entries.push_back(std::move(entry));
    for (size_t i = 1; i < node.results.size(); ++i) results.push_back(args[i - 1]);
  }
  void failed_at(const ir::Location& location) override { places.push_back(location); }

  std::vector<std::string> entries;
  std::vector<ir::Location> places;
};

inline Ref<Program> compiled(std::string_view text, bool planned = true, Report* report = nullptr,
                             bool optimised = true) {
  std::shared_ptr<ir::Module> module = read(text);
  ir::verify(*module, ir::OldVersions::kUsed);
  Options options;
  options.verify = true;
  options.plan = planned;
  options.optimise = optimised;
  return compile(std::move(module), options, report);
}

/// Runs a program; its results as text, one after the other.
inline std::string run(const Program& program, const std::vector<Arg>& inputs, Journal& journal) {
  std::vector<Arg> outputs;
  program.run(inputs, outputs, journal);
  std::string out;
  for (const Arg& output : outputs) out += cat(out.empty() ? "" : " ", shown(output));
  return out;
}
inline std::string run(const Program& program, const std::vector<Arg>& inputs) {
  Journal journal;
  return run(program, inputs, journal);
}

/// Runs a program with and without planned memory, optimised and not, each twice, on copies of the inputs;
/// what it gives, and what the inputs are afterwards, must be the same every time. "results; inputs
/// afterwards".
inline std::string run(std::string_view text, const std::vector<Arg>& inputs) {
  std::string first;
  for (const int way : {0, 1, 2, 3}) {
    const bool planned = way & 1;
    const bool optimised = way & 2;
    const Ref<Program> program = compiled(text, planned, nullptr, optimised);
    for (int round = 0; round < 2; ++round) {
      const std::vector<Arg> own = copies(inputs);
      std::string seen = run(*program, own);
      std::string left;
      for (const Arg& input : own) left += cat(" ", shown(input));
      std::string before;
      for (const Arg& input : inputs) before += cat(" ", shown(input));
      if (left != before) seen += ";" + left;
      if (first.empty()) first = seen;
      EXPECT_EQ(seen, first) << (planned ? "planned" : "not planned") << (optimised ? ", optimised" : "")
                             << ", round " << round;
    }
  }
  return first;
}

}  // namespace dyad::compile
