// The C++ tests that need an interpreter, as a module that Python loads: `dyad_python_tests.run()`.

#include <gtest/gtest.h>
#include <nanobind/nanobind.h>

NB_MODULE(dyad_python_tests, module) {
  module.def("run", [] {
    int count = 1;
    char name[] = "dyad_python_tests";
    char* arguments[] = {name, nullptr};
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
  });
}
