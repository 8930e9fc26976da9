#pragma once

#include <functional>
#include <memory>

#include "data/pipeline/stage.h"

namespace dyad::data {

/// Rows that several threads finish together: each takes the next one that nobody has taken.
class SharedRows {
 public:
  SharedRows(const Stage& stage, std::vector<Work>& rows, size_t first);

  /// Finishes rows until all are taken; after that the rows themselves are not touched.
  void run();
  bool all_taken() const;
  /// Waits until all are finished.
  void wait();
  /// What was raised for a row; none if it is there.
  const std::exception_ptr& error(size_t row) const { return errors_[row]; }

 private:
  const Stage& stage_;
  std::vector<Work>& rows_;
  const size_t count_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<size_t> next_;
  std::atomic<size_t> left_;
};

/// Threads of a ring, some of which may have nothing to do.
class SpareThreads {
 public:
  virtual ~SpareThreads() = default;
  virtual bool any() const = 0;
  /// Lets them take part in finishing rows, until these are withdrawn.
  virtual void share(std::shared_ptr<SharedRows> rows) = 0;
  virtual void withdraw(const std::shared_ptr<SharedRows>& rows) = 0;

  /// Those of the ring that this thread belongs to; none in any other thread.
  static thread_local SpareThreads* mine;
};

/// Finishes rows and hands each to `take`, in order, or raises what was raised for the first that failed.
/// Rows that take long are finished by spare threads as well, so that one large batch does not wait for one
/// thread.
void finish_rows(const Stage& stage, std::vector<Work>& rows, const std::function<void(Work&)>& take);

}  // namespace dyad::data
