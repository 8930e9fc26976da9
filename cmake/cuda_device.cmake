# Device code: src/kernels/cuda/device is compiled to PTX by the clang that compiles the scalar definitions, without
# anything of NVIDIA's, and embedded into libdyad kernel by kernel. A file named *_sm80.cpp is for devices of compute
# capability 8.0 on; all others run from 7.5 on. Where that clang is missing the build goes on without device code.
#
# dyad_emulated_cuda is the same code compiled for the host, inside of a driver that stands in for NVIDIA's: tests run
# kernels and what launches them on machines without a device.
set(DYAD_DEVICE_CLANG_VERSION 22)
find_program(DYAD_CLANG NAMES clang++-${DYAD_DEVICE_CLANG_VERSION}
  HINTS /usr/lib/llvm-${DYAD_DEVICE_CLANG_VERSION}/bin)
file(GLOB dyad_device_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/kernels/cuda/device/*.cpp")
if(NOT Python_EXECUTABLE)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
endif()

# The host's headers of the C++ library: device code uses those of its parts that are templates and constants.
set(device_includes "")
foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  if(NOT folder MATCHES "/lib/gcc/")
    list(APPEND device_includes -isystem "${folder}")
  endif()
endforeach()

# PTX 7.5 is understood by the drivers of CUDA 11.5 on. With -fmath-errno the C library's functions stay calls, of what
# device/math.h defines; the compiler would take its own for some, and those are inexact.
set(device_flags --target=nvptx64-nvidia-cuda --cuda-feature=+ptx75 -nogpulib -x c++ -std=c++20 -O3 -w -DNDEBUG
  -D__x86_64__ -D_GNU_SOURCE -D__linux__ -D__ELF__ -D__FMA__ "-I${CMAKE_SOURCE_DIR}/src" ${device_includes}
  -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffp-contract=off -fmath-errno -fno-trapping-math
  -fcomplex-arithmetic=improved)

# What device code reads; all of it is compiled again when one of them changes, which takes a minute.
file(GLOB_RECURSE device_headers CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/src/kernels/cuda/device/*.h" "${CMAKE_SOURCE_DIR}/src/kernels/cuda/params/*.h"
  "${CMAKE_SOURCE_DIR}/src/kernels/scalar/*.h" "${CMAKE_SOURCE_DIR}/src/kernels/cpu/draws.h"
  "${CMAKE_SOURCE_DIR}/src/runtime/philox.h" "${CMAKE_SOURCE_DIR}/src/runtime/cuda/fault.h")
set(device_code "${CMAKE_BINARY_DIR}/device_code")
set(ptx_files "")
if(DYAD_CLANG AND NOT DYAD_SANITIZE)  # what runs on a device is not instrumented
  foreach(source IN LISTS dyad_device_sources)
    cmake_path(GET source STEM name)
    set(architecture sm_75)
    if(name MATCHES "_sm80$")
      set(architecture sm_80)
    endif()
    set(target "${device_code}/${name}.ptx")
    add_custom_command(
      OUTPUT "${target}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${device_code}"
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${DYAD_CLANG}" ${device_flags} -march=${architecture} -S "${source}" -o "${target}"
      DEPENDS "${source}" ${device_headers}
      COMMENT "Compiling device code of ${name}"
      VERBATIM)
    list(APPEND ptx_files "${target}")
  endforeach()
elseif(NOT DYAD_CLANG)
  message(WARNING "clang ${DYAD_DEVICE_CLANG_VERSION} was not found (Debian: clang-${DYAD_DEVICE_CLANG_VERSION}): "
    "the library will have no kernels for NVIDIA's devices")
endif()

add_custom_command(
  OUTPUT "${device_code}/index.cpp" "${device_code}/code.bin"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${device_code}"
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/embed_ptx.py" "${device_code}" ${ptx_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed_ptx.py" ${ptx_files}
  COMMENT "Embedding device code"
  VERBATIM)
target_sources(dyad_runtime PRIVATE "${device_code}/index.cpp")
set_source_files_properties("${device_code}/index.cpp" PROPERTIES
  OBJECT_DEPENDS "${device_code}/code.bin"
  COMPILE_OPTIONS "-Wa,-I${device_code}"
  SKIP_PRECOMPILE_HEADERS ON)

# Its fibers switch stacks by hand, which the sanitizers do not follow.
if(DYAD_TESTS AND NOT DYAD_SANITIZE)
  file(GLOB emulated_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/testing/emulated_cuda/*.cpp")
  list(FILTER emulated_sources EXCLUDE REGEX "_test\\.cpp$")
  add_library(dyad_emulated_cuda SHARED ${emulated_sources} ${dyad_device_sources})
  target_include_directories(dyad_emulated_cuda PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_compile_definitions(dyad_emulated_cuda PRIVATE DYAD_EMULATED_CUDA="testing/emulated_cuda/block.h")
  # No sanitizers: threads of the emulated device change stacks. Warnings are those of clang's compilation, above.
  target_compile_options(dyad_emulated_cuda PRIVATE -w -O1 -march=x86-64-v3 -fwrapv -fno-strict-aliasing
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-exceptions -fno-threadsafe-statics
    -ftls-model=initial-exec)
  set_target_properties(dyad_emulated_cuda PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/emulated"
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  find_package(Threads REQUIRED)
  target_link_libraries(dyad_emulated_cuda PRIVATE Threads::Threads)
  target_link_options(dyad_emulated_cuda PRIVATE -Wl,--no-undefined)

  # NVIDIA's libraries as far as Dyad calls them, for the emulated device: `DYAD_CUDA_LIBRARIES` names their folder.
  set(emulated_libraries "${CMAKE_SOURCE_DIR}/src/testing/emulated_cuda/libraries")
  function(dyad_emulated_library name source)
    add_library(dyad_emulated_${name} SHARED "${emulated_libraries}/${source}" ${ARGN})
    target_link_libraries(dyad_emulated_${name} PRIVATE dyad_flags dyad_emulated_cuda)
    set_target_properties(dyad_emulated_${name} PROPERTIES
      OUTPUT_NAME "${name}"
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/emulated"
      BUILD_RPATH "$ORIGIN"
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
  endfunction()
  dyad_emulated_library(cublasLt cublas_lt.cpp)
  dyad_emulated_library(cublas cublas.cpp)
  dyad_emulated_library(cudnn cudnn.cpp)
  dyad_emulated_library(cufft cufft.cpp)
  dyad_emulated_library(cusolver cusolver.cpp
    "${CMAKE_SOURCE_DIR}/src/kernels/cpu/factorizations.cpp"
    "${CMAKE_SOURCE_DIR}/src/kernels/cpu/complex_factorizations.cpp")
endif()
