# dyad_flags: what every target of the tree is compiled with.
add_library(dyad_flags INTERFACE)

target_include_directories(dyad_flags INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
target_compile_options(dyad_flags INTERFACE -Wall -Wextra -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 raises these on code that it has itself specialised for cases that cannot occur; the debug build's
  # sanitizers check the same at run time.
  target_compile_options(dyad_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# The oldest machine that runs Dyad. A global flag, since those come first and a target's own -march must win.
string(APPEND CMAKE_CXX_FLAGS " -march=x86-64-v2")
if(DYAD_WERROR)
  target_compile_options(dyad_flags INTERFACE -Werror)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -DDYAD_DEBUG")

if(DYAD_SANITIZE)
  if(DYAD_SANITIZE STREQUAL "address")
    set(DYAD_SANITIZE_FLAGS "-fsanitize=address,undefined")
  elseif(DYAD_SANITIZE STREQUAL "thread")
    set(DYAD_SANITIZE_FLAGS "-fsanitize=thread")
    target_compile_options(dyad_flags INTERFACE -Wno-tsan)  # it does not see fences
  else()
    message(FATAL_ERROR "DYAD_SANITIZE is ${DYAD_SANITIZE}; need address or thread")
  endif()
  # The instrumented code confuses GCC's flow analysis, hence -Wno-maybe-uninitialized.
  target_compile_options(dyad_flags INTERFACE
    ${DYAD_SANITIZE_FLAGS} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_link_options(dyad_flags INTERFACE ${DYAD_SANITIZE_FLAGS})
endif()
