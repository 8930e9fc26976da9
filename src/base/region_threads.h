#pragma once

namespace dyad {

/// How many threads share a parallel region that the calling thread opens next, a library's included.
int region_threads();
void set_region_threads(int threads);

/// While it lives, a library's call on this thread uses all threads or, where its work is not worth waking
/// them, this one alone. Nothing in between: the OpenMP runtime ends the threads that a smaller region leaves
/// over.
class LibraryThreads {
 public:
  /// `grains` as for `worthwhile_threads`.
  explicit LibraryThreads(double grains);
  ~LibraryThreads() { set_region_threads(before_); }
  LibraryThreads(const LibraryThreads&) = delete;
  LibraryThreads& operator=(const LibraryThreads&) = delete;

 private:
  int before_;
};

/// Limits a library's calls to `active_threads` while it lives. For calls whose results do not depend on the
/// number of threads.
class ActiveThreads {
 public:
  ActiveThreads();
  ~ActiveThreads() { set_region_threads(before_); }
  ActiveThreads(const ActiveThreads&) = delete;
  ActiveThreads& operator=(const ActiveThreads&) = delete;

  /// Whether these are fewer.
  bool fewer() const { return region_threads() < before_; }

 private:
  int before_;
};

/// Ends the region that the calling thread's own work may be in, so that others on it can open theirs.
void leave_region();

}  // namespace dyad
