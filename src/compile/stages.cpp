#include "compile/stages.h"

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/progress.h"
#include "ir/printer.h"

namespace dyad::compile {

namespace {

/// Debug builds check the graph after every stage; others do where `DYAD_VERIFY=1` asks for it, as the tests
/// do.
bool always_verifies() {
#ifdef NDEBUG
  static const bool asked = [] {
    const char* wanted = std::getenv("DYAD_VERIFY");
    return wanted && std::string_view(wanted) == "1";
  }();
  return asked;
#else
  return true;
#endif
}

size_t count_nodes(const ir::Module& module) {
  size_t count = 0;
  for (const auto& function : module.functions) count += function->nodes.size();
  return count;
}

}  // namespace

Stages::Stages(ir::Module& module, const Options& options, Report& report)
    : module_(module), options_(options), report_(report) {
  report_.nodes_before = count_nodes(module);
  show("captured");
}

void Stages::operator()(const char* name, const std::function<void()>& action) {
  note_progress(name);
  const auto start = std::chrono::steady_clock::now();
  action();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  report_.nodes_after = count_nodes(module_);
  report_.stages.push_back({name, took.count(), report_.nodes_after});
  if (always_verifies() || options_.verify) ir::verify(module_, old_versions);
  show(name);
}

void Stages::show(const char* name) {
  if (options_.dump) options_.dump(number_++, name, ir::print(module_));
}

}  // namespace dyad::compile
