#include "compile/program.h"

#include "base/error.h"
#include "compile/code.h"
#include "compile/interpreter.h"

namespace dyad::compile {

namespace {

size_t count_values(const std::vector<ir::GraphValueRef>& values) {
  size_t count = 0;
  for (const auto& value : values) count += value->kind != ir::GraphValue::Kind::kToken;
  return count;
}

}  // namespace

Program::Program(std::shared_ptr<const ir::Module> module)
    : module_(std::move(module)), code_(std::make_unique<Code>(*module_)) {
  for (const auto& function : code_->functions()) figures_.steps += function->steps.size();
}

Program::~Program() = default;

size_t Program::input_count() const { return count_values(module_->main().params); }
size_t Program::output_count() const { return count_values(module_->main().results); }

void Program::run(std::span<const Arg> inputs, std::vector<Arg>& outputs, Host& host) const {
  const FunctionCode& main = code_->main();
  std::vector<Arg> args;
  args.reserve(main.params.size());
  size_t given = 0;
  for (const Slot param : main.params) {
    if (param == kNoSlot) {
      args.emplace_back();
      continue;
    }
    DYAD_ASSERT(given < inputs.size());
    args.push_back(inputs[given++]);
  }
  DYAD_ASSERT(given == inputs.size());
  std::vector<Arg> results;
  Interpreter(host).run(main, std::move(args), results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (main.results[i] != kNoSlot) outputs.push_back(std::move(results[i]));
  }
}

}  // namespace dyad::compile
