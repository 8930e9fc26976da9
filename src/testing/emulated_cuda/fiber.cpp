#include "testing/emulated_cuda/fiber.h"

#include <sys/mman.h>

// Saves what a call must preserve on one stack and takes it from the other.
asm(R"(
.text
.type dyad_switch_stack, @function
dyad_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size dyad_switch_stack, .-dyad_switch_stack
)");
extern "C" void dyad_switch_stack(void** from, void* to) __attribute__((visibility("hidden")));

namespace dyad::cuda::emulated {

namespace {
constexpr size_t kStackBytes = 128 << 10;
constexpr size_t kGuardBytes = 4096;
constexpr size_t kSaved = 6;  ///< registers
}  // namespace

Fiber::Fiber(Body body) : body_(body) {
  void* place = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  stack_ = static_cast<char*>(place);
  mprotect(stack_, kGuardBytes, PROT_NONE);
  restart();
}

Fiber::~Fiber() {
  if (stack_) munmap(stack_, kStackBytes + kGuardBytes);
}

void Fiber::restart() {
  auto** top = reinterpret_cast<void**>(stack_ + kGuardBytes + kStackBytes);
  *--top = nullptr;  // where the body would return to; also aligns its frame
  *--top = reinterpret_cast<void*>(body_);
  for (size_t i = 0; i < kSaved; ++i) *--top = nullptr;
  top_ = top;
}

void Fiber::switch_to(Fiber& to) { dyad_switch_stack(&top_, to.top_); }

}  // namespace dyad::cuda::emulated
