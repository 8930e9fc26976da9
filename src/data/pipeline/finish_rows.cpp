#include "data/pipeline/finish_rows.h"

namespace dyad::data {

namespace {

using Clock = std::chrono::steady_clock;

/// What a row must take for it to pay to wake another thread.
constexpr auto kLongRow = std::chrono::microseconds(100);

void finish_together(const Stage& stage, std::vector<Work>& rows, size_t first,
                     const std::function<void(Work&)>& take) {
  const auto shared = std::make_shared<SharedRows>(stage, rows, first);
  SpareThreads::mine->share(shared);
  shared->run();
  SpareThreads::mine->withdraw(shared);
  shared->wait();
  for (size_t i = first; i < rows.size(); ++i) {
    if (shared->error(i)) std::rethrow_exception(shared->error(i));
    take(rows[i]);
  }
}

}  // namespace

thread_local SpareThreads* SpareThreads::mine = nullptr;

SharedRows::SharedRows(const Stage& stage, std::vector<Work>& rows, size_t first)
    : stage_(stage),
      rows_(rows),
      count_(rows.size()),
      errors_(rows.size()),
      next_(first),
      left_(rows.size() - first) {}

void SharedRows::run() {
  while (true) {
    const size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= count_) return;
    try {
      stage_.finish(rows_[i]);
    } catch (...) {
      errors_[i] = std::current_exception();
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
  }
}

bool SharedRows::all_taken() const { return next_.load(std::memory_order_relaxed) >= count_; }

void SharedRows::wait() {
  while (const size_t left = left_.load(std::memory_order_acquire)) left_.wait(left);
}

void finish_rows(const Stage& stage, std::vector<Work>& rows, const std::function<void(Work&)>& take) {
  bool took_long = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool shares = took_long && i + 1 < rows.size() && SpareThreads::mine && SpareThreads::mine->any();
    if (shares) return finish_together(stage, rows, i, take);
    const auto start = Clock::now();
    stage.finish(rows[i]);
    took_long = Clock::now() - start > kLongRow;
    take(rows[i]);
  }
}

}  // namespace dyad::data
