#include "eager/profile.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "ops/cost.h"

namespace dyad::eager {

std::atomic<bool> profiling{false};

namespace {

struct Runs {
  std::mutex mutex;
  std::vector<KernelRun> all;
};

Runs& runs() {
  static Runs runs;
  return runs;
}

HostLocation host_location = nullptr;
thread_local const ir::Location* current_place = nullptr;

ir::Location location_now() {
  if (current_place) return *current_place;
  return host_location ? host_location() : ir::Location{};
}

void add(KernelRun run) {
  run.thread = std::hash<std::thread::id>()(std::this_thread::get_id());
  const std::scoped_lock lock(runs().mutex);
  runs().all.push_back(std::move(run));
}

void describe(const ValueImpl& value, KernelRun& run) {
  if (!run.operands.empty()) run.operands += ", ";
  run.operands += operand_text(value);
}

}  // namespace

int64_t profile_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string operand_text(const ValueImpl& value) { return cat(value.dtype, " ", value.shape); }

void start_profile() {
  const std::scoped_lock lock(runs().mutex);
  runs().all.clear();
  profiling.store(true, std::memory_order_relaxed);
}

std::vector<KernelRun> stop_profile() {
  profiling.store(false, std::memory_order_relaxed);
  const std::scoped_lock lock(runs().mutex);
  return std::exchange(runs().all, {});
}

const ir::Location* line_of_graph() { return current_place; }

void set_host_location(HostLocation place) { host_location = place; }

void ProfiledLocation::enter(const ir::Location* location) {
  before_ = current_place;
  // What a pass has made without a place of its own belongs to what it is part of.
  if (location && location->line > 0) current_place = location;
}

void ProfiledLocation::leave() { current_place = before_; }

void ProfiledKernel::begin(const Op& op, std::span<const Arg> args, std::span<ValueImpl* const> results) {
  op_ = &op;
  args_ = args;
  results_ = results;
  place_ = location_now();
  start_ = profile_clock();
}

void ProfiledKernel::end() {
  KernelRun run;
  run.end = profile_clock();
  run.start = start_;
  run.name = op_->name;
  run.file = std::move(place_.file);
  run.line = place_.line;
  for (size_t i = 0; i < args_.size(); ++i) {
    if (!op_->reads_data(i)) continue;
    ir::for_each_value(args_[i], [&](const Value& value) {
      if (value) describe(*value, run);
    });
  }
  for (const ValueImpl* result : results_) {
    run.operands += run.operands.empty() ? "-> " : " -> ";
    run.operands += operand_text(*result);
  }
  const std::vector<const ValueImpl*> made(results_.begin(), results_.end());
  const Cost cost = cost_of(*op_, args_, made);
  run.flop = cost.flops;
  run.bytes = cost.bytes;
  add(std::move(run));
}

void add_to_profile(KernelRun run) {
  ir::Location place = location_now();
  run.file = std::move(place.file);
  run.line = place.line;
  add(std::move(run));
}

}  // namespace dyad::eager
