#include "data/pipeline/pipeline.h"

#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace dyad::data {

namespace {

constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

/// Whether an error of a row stays what it is; the others are what the data did, at run time.
bool keeps_kind(ErrorKind kind) {
  return kind == ErrorKind::kMemory || kind == ErrorKind::kInterrupted || kind == ErrorKind::kUnsupported ||
         kind == ErrorKind::kInternal;
}

void add_statistics(const Stage& stage, std::vector<Pipeline::StageStatistics>& all) {
  Pipeline::StageStatistics entry{
      std::string(stage.name()), stage.number(), {}, stage.rows(), stage.seconds()};
  for (const Stage* child : stage.children()) entry.children.push_back(child->number());
  all.push_back(std::move(entry));
  for (const Stage* child : stage.children()) add_statistics(*child, all);
}

}  // namespace

Pipeline::Pipeline(StageRef root, uint64_t seed, int workers, int prefetch, int64_t epochs, bool seed_is_set)
    : root_(std::move(root)), workers_(workers), consumers_(std::make_unique<Consumers>()) {
  if (workers < 1) value_error("dataset: the number of workers is ", workers, "; need at least 1");
  if (prefetch < 1) value_error("dataset: the prefetch size is ", prefetch, "; need at least 1");
  if (epochs < 1 && epochs != -1)
    value_error("dataset: num_epochs is ", epochs, "; need at least 1, or -1 for no end");
  Run run{.seed = seed, .seed_is_set = seed_is_set, .workers = workers, .prefetch = prefetch};
  root_->join(run);
  ring_ = std::make_unique<Ring>(root_, workers, prefetch);
  ring_->start(0, epochs);
}

Pipeline::~Pipeline() {
  // A child of fork() must not destroy what threads wait on that are not there.
  if (ring_ && ring_->forked()) consumers_.release();
  close();
}

void Pipeline::close() {
  if (closed_.exchange(true)) return;
  ring_->stop();
  root_->stop();
  ring_->join();
}

Pipeline::Turn::Turn(Consumers& consumers, bool wait) : consumers_(consumers) {
  std::unique_lock lock(consumers.guard);
  while (wait && consumers.taking) {
    if (consumers.free.wait_for(lock, kInterruptInterval) == std::cv_status::no_timeout) continue;
    lock.unlock();
    check_interrupt();
    lock.lock();
  }
  mine_ = !std::exchange(consumers.taking, true);
}

Pipeline::Turn::~Turn() {
  if (!mine_) return;
  const std::lock_guard lock(consumers_.guard);
  consumers_.taking = false;
  consumers_.free.notify_one();
}

Pipeline::Step Pipeline::take(Row& row) {
  if (ended_) return Step::kEnd;
  if (closed_) runtime_error("dataset: the iterator is closed; make a new one");
  Work work;
  switch (ring_->take(work, true)) {
    case Ring::Taken::kRow:
      row = std::move(work.row);
      rows_.fetch_add(1, std::memory_order_relaxed);
      return Step::kRow;
    case Ring::Taken::kEpochEnd:
      return Step::kEpochEnd;
    case Ring::Taken::kNothing:
      break;
  }
  ended_ = true;
  close();
  return Step::kEnd;
}

Pipeline::Step Pipeline::next(Row& row) {
  ring_->require_same_process();
  const Turn turn(*consumers_, true);
  try {
    return take(row);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    close();
    if (keeps_kind(error.kind())) throw;
    raise(ErrorKind::kRuntime, error.message());
  } catch (...) {
    close();
    throw;
  }
}

bool Pipeline::next_if_there(Row& row) {
  const Turn turn(*consumers_, false);
  if (!turn.mine() || closed_ || !ring_->has_row()) return false;
  return take(row) == Step::kRow;
}

bool Pipeline::next_if_ready(Row& row) {
  const Turn turn(*consumers_, false);
  if (!turn.mine() || closed_ || !ring_->has_ready_row()) return false;
  return take(row) == Step::kRow;
}

Pipeline::Statistics Pipeline::statistics() const {
  Statistics all;
  add_statistics(*root_, all.stages);
  all.workers = workers_;
  all.rows = rows_.load(std::memory_order_relaxed);
  all.ring = ring_->usage();
  return all;
}

}  // namespace dyad::data
