#include "testing/emulated_cuda/streams.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

namespace dyad::cuda::emulated {

namespace {

using Clock = std::chrono::steady_clock;

// Never destroyed: threads of streams run until the process ends.
std::mutex& lock = *new std::mutex;
std::condition_variable& changed = *new std::condition_variable;

Clock::duration delay() {
  static const char* text = std::getenv("DYAD_EMULATED_DELAY_US");
  return std::chrono::microseconds(text ? std::strtol(text, nullptr, 10) : 300);
}

}  // namespace

Stream::Stream(Memory& memory) : memory_(memory) {
  std::thread([this] { serve(); }).detach();
}

void Stream::serve() {
  std::unique_lock guard(lock);
  while (true) {
    changed.wait(guard, [this] { return !queue_.empty() || closing_; });
    if (queue_.empty()) break;
    while (!is_due()) changed.wait_until(guard, queue_.front().not_before);
    memory_.begin_work();
    bool more = true;
    while (more) {
      const Work work = std::move(queue_.front());
      queue_.pop_front();
      guard.unlock();
      work.run();
      guard.lock();
      ++done_;
      more = is_due();
      if (!more) memory_.end_work();  // before a host that waits goes on
      changed.notify_all();
    }
  }
  guard.unlock();
  delete this;
}

bool Stream::is_due() const {
  if (queue_.empty()) return false;
  return wanted_ > done_ || closing_ || Clock::now() >= queue_.front().not_before;
}

void Stream::close() {
  wait_until_empty();
  const std::lock_guard guard(lock);
  closing_ = true;
  changed.notify_all();
}

uint64_t Stream::put(std::unique_lock<std::mutex>&, std::function<void()> run) {
  queue_.push_back({std::move(run), Clock::now() + delay()});
  changed.notify_all();
  return ++added_;
}

void Stream::add(std::function<void()> work) {
  std::unique_lock guard(lock);
  put(guard, std::move(work));
}

void Stream::hurry(uint64_t number) {
  wanted_ = std::max(wanted_, number);
  changed.notify_all();
}

void Stream::wait_until_empty() {
  std::unique_lock guard(lock);
  const uint64_t last = added_;
  hurry(last);
  changed.wait(guard, [&] { return done_ >= last; });
}

bool Stream::is_empty() {
  const std::lock_guard guard(lock);
  return done_ == added_;
}

std::shared_ptr<Mark> Stream::record() {
  auto mark = std::make_shared<Mark>();
  std::unique_lock guard(lock);
  mark->stream = this;
  mark->number = put(guard, [mark] {
    const std::lock_guard inner(lock);
    mark->reached = Clock::now();
    mark->stream = nullptr;
  });
  return mark;
}

void Stream::wait_for(std::shared_ptr<Mark> mark) {
  add([mark] { wait_until_reached(*mark); });
}

bool Stream::is_reached(const Mark& mark) {
  const std::lock_guard guard(lock);
  return !mark.stream;
}

void Stream::wait_until_reached(Mark& mark) {
  std::unique_lock guard(lock);
  if (mark.stream) mark.stream->hurry(mark.number);
  changed.wait(guard, [&] { return !mark.stream; });
}

}  // namespace dyad::cuda::emulated
