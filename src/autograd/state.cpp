#include "autograd/state.h"

#include <atomic>
#include <utility>

#include "autograd/node.h"
#include "base/error.h"
#include "eager/dispatch.h"

namespace dyad::autograd {

namespace {
std::atomic<uint64_t> recordings{0};
}

State& state() {
  thread_local State own;
  return own;
}

void enter_transform() {
  State& own = state();
  if (own.depth++ == 0) own.recording = recordings.fetch_add(1) + 1;
  eager::reasons_to_record.fetch_add(1);
}

void exit_transform(bool keep) {
  State& own = state();
  DYAD_ASSERT(own.depth > 0);
  eager::reasons_to_record.fetch_sub(1);
  if (--own.depth > 0) return;
  const uint64_t ended = std::exchange(own.recording, 0);
  if (!keep) close_recording(ended);
}

}  // namespace dyad::autograd
