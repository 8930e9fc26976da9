# The C++ side of the installation: `cmake --install build/release --component cpp --prefix <where>`.
include(CMakePackageConfigHelpers)

install(TARGETS dyad EXPORT dyad LIBRARY DESTINATION lib COMPONENT cpp)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/dyad" DESTINATION include COMPONENT cpp)
install(EXPORT dyad NAMESPACE dyad:: FILE dyad-config.cmake DESTINATION lib/cmake/dyad COMPONENT cpp)
write_basic_package_version_file(dyad-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/dyad-config-version.cmake" DESTINATION lib/cmake/dyad COMPONENT cpp)

if(DYAD_TESTS)
  # Each public header is compiled alone, without the inner headers in sight.
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/include/dyad/*.h")
  foreach(header IN LISTS headers)
    set(source "${CMAKE_BINARY_DIR}/public_headers/${header}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@header@\"\n" @ONLY)
    list(APPEND header_sources "${source}")
  endforeach()
  add_library(dyad_public_headers OBJECT ${header_sources})
  target_include_directories(dyad_public_headers PRIVATE "${CMAKE_SOURCE_DIR}/include")

  # The example is built against an installation, as a stranger would build it.
  set(prefix "${CMAKE_BINARY_DIR}/installed")
  add_test(NAME cpp_install
    COMMAND "${CMAKE_COMMAND}" --install "${CMAKE_BINARY_DIR}" --component cpp --prefix "${prefix}")
  set_tests_properties(cpp_install PROPERTIES FIXTURES_SETUP cpp_installation)
  add_test(NAME cpp_example
    COMMAND "${CMAKE_CTEST_COMMAND}"
      --build-and-test "${CMAKE_SOURCE_DIR}/examples/cpp" "${CMAKE_BINARY_DIR}/examples"
      --build-generator Ninja
      --build-options "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_FLAGS=${DYAD_SANITIZE_FLAGS}"
      --test-command classifier)
  set_tests_properties(cpp_example PROPERTIES
    FIXTURES_REQUIRED cpp_installation
    PASS_REGULAR_EXPRESSION "point 1: 0\\.[0-9]+ 0\\.[0-9]+ 0\\.[0-9]+")
endif()
