#include "base/progress.h"

#include <atomic>

namespace dyad {

namespace {

constexpr auto kLookInterval = std::chrono::milliseconds(50);

std::atomic<const ProgressNotice*> progress_notice{nullptr};
thread_local std::chrono::steady_clock::time_point last_look{};

}  // namespace

void set_progress_notice(const ProgressNotice* notice) { progress_notice.store(notice); }

void note_progress(const char* stage) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look < kLookInterval) return;
  last_look = now;
  if (const ProgressNotice* notice = progress_notice.load()) notice->look(stage);
}

CompilationInProgress::CompilationInProgress(const std::string& name, const std::string& purpose) {
  if (const ProgressNotice* notice = progress_notice.load()) notice->begin(name, purpose);
}

CompilationInProgress::~CompilationInProgress() {
  if (const ProgressNotice* notice = progress_notice.load()) notice->end();
}

}  // namespace dyad
