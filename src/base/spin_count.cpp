// A library of its own, libdyad_spin_count. libdyad links it after the OpenMP runtime, and so the dynamic
// linker initializes it before that one, which reads its environment then and never again.

#include <cstddef>
#include <cstdlib>

#include <unistd.h>

namespace {

// A thread that waits in GCC's runtime looks 300,000 times before it sleeps, for some ten milliseconds. If
// the thread that it waits for has lost its CPU to another process, it keeps a CPU from it all that time.
// 5,000 looks are longer than the threads of one region usually wait for each other.
char setting[] = "GOMP_SPINCOUNT=5000";

// Programs started later must not get the setting, and other threads may be reading the environment: it is
// not changed but replaced for a moment.
char** before = nullptr;
char** extended = nullptr;

[[gnu::constructor]] void begin() {
  if (environ == nullptr || std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  size_t count = 0;
  while (environ[count] != nullptr) ++count;
  extended =
      static_cast<char**>(std::malloc((count + 2) * sizeof(char*)));  // kept: somebody may still read it
  if (extended == nullptr) return;
  for (size_t i = 0; i < count; ++i) extended[i] = environ[i];
  extended[count] = setting;
  extended[count + 1] = nullptr;
  before = environ;
  environ = extended;
}

}  // namespace

/// Takes the setting back, when the runtime has read it.
extern "C" [[gnu::visibility("default")]] void dyad_restore_environment() {
  if (extended == nullptr) return;
  if (environ == extended) {
    environ = before;
  } else {
    unsetenv("GOMP_SPINCOUNT");  // somebody else has added a variable meanwhile
  }
  extended = nullptr;
}
