#include "codegen/cpu/loop_code.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/parallel.h"
#include "base/progress.h"
#include "base/text.h"
#include "codegen/cpu/compiler_library.h"
#include "codegen/cpu/object.h"
#include "codegen/cpu/store.h"
#include "kernels/cpu/loops.h"

namespace dyad::codegen {

namespace {

/// All code of the process by the text of its loop (docs/design/0003: a table that only grows).
struct CodeTable {
  std::mutex compiling;  ///< held while code is made, so that no fork comes in between
  std::mutex guard;
  std::unordered_map<std::string, std::unique_ptr<LoadedCode>> loaded;  ///< null: it cannot be made
};
CodeTable& table() {
  static CodeTable& only = *new CodeTable;  // code may run until the very end of the process
  return only;
}

/// A child of fork() has none of the threads that hold locks at that moment, those of the compiler included:
/// fork waits until nothing is being made.
[[maybe_unused]] const int fork_waits = pthread_atfork(
    [] {
      table().compiling.lock();
      table().guard.lock();
    },
    [] {
      table().guard.unlock();
      table().compiling.unlock();
    },
    [] {
      table().guard.unlock();
      table().compiling.unlock();
    });

/// What the code of a loop depends on.
std::string store_key(const std::string& text) {
  return cat(compiler_library::identity(), " ", kernels::best_instruction_set(), "\n", text);
}

std::unique_ptr<LoadedCode> make_code(const Loop& loop, const std::string& text) {
  Store* store = compiler_library::identity().empty() ? nullptr : process_store();
  const std::string key = store_key(text);
  if (store) {
    if (const std::optional<std::string> object = store->find(key)) {
      if (auto code = load_object(*object, kLoopSymbol)) return code;
    }
  }
  const CompilerLibrary* library = compiler_library::load();
  std::string object;
  if (!library || !library->compile(loop, kernels::best_instruction_set(), object)) return nullptr;
  auto code = load_object(object, kLoopSymbol);
  if (code && store) store->add(key, object);
  return code;
}

/// Runs `body(i)` for every i below `count` on as many threads as parallel work may use. The threads are new
/// ones: those of OpenMP would each keep what the compiler leaves in thread-local memory. What one of them
/// raises ends the work of all, and is raised here.
template <class Body>
void on_all_cores(size_t count, const Body& body) {
  std::atomic<size_t> next{0};
  std::mutex guard;
  std::exception_ptr error;
  auto work = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(guard);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const size_t threads = std::min<size_t>(count, static_cast<size_t>(thread_count()));
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace

std::vector<LoopFunction> code_for(std::span<const Loop* const> loops) {
  std::vector<std::string> texts;
  for (const Loop* loop : loops) texts.push_back(loop->text());

  const auto missing = [&] {  // loops without code, each text once
    std::lock_guard lock(table().guard);
    std::unordered_map<std::string_view, size_t> seen;
    std::vector<size_t> found;
    for (size_t i = 0; i < loops.size(); ++i) {
      if (!table().loaded.count(texts[i]) && seen.try_emplace(texts[i], i).second) found.push_back(i);
    }
    return found;
  };
  std::unique_lock compiling(table().compiling, std::defer_lock);
  std::vector<size_t> wanted = missing();
  if (!wanted.empty()) {
    compiling.lock();
    wanted = missing();  // another thread may have made some of them
  }
  std::vector<std::unique_ptr<LoadedCode>> made(wanted.size());
  on_all_cores(wanted.size(), [&, caller = std::this_thread::get_id()](size_t i) {
    if (std::this_thread::get_id() == caller) note_progress("generate_code");
    made[i] = make_code(*loops[wanted[i]], texts[wanted[i]]);
  });

  std::lock_guard lock(table().guard);
  for (size_t i = 0; i < wanted.size(); ++i) table().loaded.try_emplace(texts[wanted[i]], std::move(made[i]));
  std::vector<LoopFunction> code;
  for (const std::string& text : texts) {
    const auto& found = table().loaded[text];
    code.push_back(found ? found->entry() : nullptr);
  }
  return code;
}

}  // namespace dyad::codegen
