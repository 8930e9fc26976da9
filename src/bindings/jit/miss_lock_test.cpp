#include "bindings/jit/miss_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "bindings/python.h"

namespace dyad::python {
namespace {

/// A thread with Python's global lock.
class PythonThread {
 public:
  explicit PythonThread(std::function<void()> body)
      : thread_([body = std::move(body)] {
          const PyGILState_STATE state = PyGILState_Ensure();
          body();
          PyGILState_Release(state);
        }) {}
  void join() {
    PyThreadState* state = PyEval_SaveThread();
    thread_.join();
    PyEval_RestoreThread(state);
  }

 private:
  std::thread thread_;
};

/// Lets other threads run until something has happened.
void wait_for(const std::atomic<bool>& happened) {
  PyThreadState* state = PyEval_SaveThread();
  while (!happened) std::this_thread::yield();
  PyEval_RestoreThread(state);
}

TEST(MissLock, MayBeEnteredAgainByItsThread) {
  MissLock lock;
  EXPECT_TRUE(lock.enter());
  EXPECT_TRUE(lock.enter());
  lock.leave();
  lock.leave();
  EXPECT_TRUE(lock.enter());
  lock.leave();
}

TEST(MissLock, WhoWaitedLooksAgainFirst) {
  MissLock lock;
  ASSERT_TRUE(lock.enter());
  std::atomic<bool> started = false;
  bool entered = true;
  PythonThread other([&] {
    started = true;
    entered = lock.enter();
  });
  wait_for(started);
  EXPECT_TRUE(entered);  // still waiting
  lock.leave();
  other.join();
  EXPECT_FALSE(entered);
  EXPECT_TRUE(lock.enter());  // it was not taken
  lock.leave();
}

TEST(MissLock, ThreadsThatWaitForEachOtherGoOn) {
  MissLock first;
  MissLock second;
  ASSERT_TRUE(first.enter());
  std::atomic<bool> holds_second = false;
  PythonThread other([&] {
    const bool entered = second.enter();
    EXPECT_TRUE(entered);
    holds_second = true;
    // Waits for this test's thread, or finds that it waits for `second`: either way it comes back.
    if (first.enter()) first.leave();
    second.leave();
  });
  wait_for(holds_second);
  if (second.enter()) second.leave();
  first.leave();
  other.join();
  EXPECT_TRUE(first.enter());
  first.leave();
  EXPECT_TRUE(second.enter());
  second.leave();
}

TEST(Object, OwnsOneReference) {
  PyObject* list = PyList_New(0);
  {
    const Object owner = Object::take(list);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Object shared = Object::share(list);
    EXPECT_EQ(Py_REFCNT(list), 2);
    const Object moved = std::move(shared);
    EXPECT_EQ(Py_REFCNT(list), 2);
    Object released = Object::share(list);
    EXPECT_EQ(released.release(), list);
    EXPECT_FALSE(released);
    EXPECT_EQ(Py_REFCNT(list), 3);
    Py_DECREF(list);
    EXPECT_EQ(Py_REFCNT(moved.get()), 2);
    Py_INCREF(list);
  }
  EXPECT_EQ(Py_REFCNT(list), 1);
  Py_DECREF(list);
}

TEST(Object, CheckThrowsWherePythonHasFailed) {
  EXPECT_THROW(check(PyObject_GetAttrString(Py_None, "no_such_name")), PythonError);
  EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_AttributeError));
  PyErr_Clear();
}

}  // namespace
}  // namespace dyad::python
