# dyad_llvm: src/codegen/llvm and LLVM in one shared library beside libdyad, which loads it when there is something to
# compile. Only what X86 code generation needs of LLVM is linked in, statically; the user needs no compiler.
#
# The scalar definitions are compiled to bitcode by the clang of the same release, once with fused multiply-add and once
# without, as the eager kernels of a machine with and without it compute.
set(DYAD_LLVM_VERSION 22)
find_program(DYAD_CLANG NAMES clang++-${DYAD_LLVM_VERSION} HINTS /usr/lib/llvm-${DYAD_LLVM_VERSION}/bin)
find_program(DYAD_LLVM_CONFIG NAMES llvm-config-${DYAD_LLVM_VERSION} HINTS /usr/lib/llvm-${DYAD_LLVM_VERSION}/bin)

function(dyad_bitcode name march)
  set(source "${CMAKE_SOURCE_DIR}/src/codegen/llvm/bitcode/definitions.cpp")
  set(target "${CMAKE_BINARY_DIR}/bitcode/${name}.bc")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/kernels/scalar/*.h")
  add_custom_command(
    OUTPUT "${target}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/bitcode"
    COMMAND "${DYAD_CLANG}" -std=c++20 -O2 -w -DNDEBUG "-I${CMAKE_SOURCE_DIR}/src" -march=${march}
      -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -ffp-contract=off -fno-math-errno -fno-trapping-math
      -fno-exceptions -fno-rtti -fno-stack-protector -fno-asynchronous-unwind-tables
      -emit-llvm -c "${source}" -o "${target}"
    DEPENDS "${source}" ${headers}
    COMMENT "Compiling scalar definitions to bitcode for ${march}"
    VERBATIM)
endfunction()

if(NOT DYAD_CLANG OR NOT DYAD_LLVM_CONFIG)
  message(WARNING "LLVM ${DYAD_LLVM_VERSION} was not found (Debian: llvm-${DYAD_LLVM_VERSION}-dev, "
    "clang-${DYAD_LLVM_VERSION}): static graphs will run operator by operator")
  return()
endif()

dyad_bitcode(definitions_plain x86-64-v2)
dyad_bitcode(definitions_fused x86-64-v3)

execute_process(COMMAND "${DYAD_LLVM_CONFIG}" --includedir
  OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${DYAD_LLVM_CONFIG}" --libdir
  OUTPUT_VARIABLE llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${DYAD_LLVM_CONFIG}" --link-static --libs x86codegen x86desc x86info bitreader linker asmprinter target
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives)

dyad_room_sources(codegen/llvm sources)
list(FILTER sources EXCLUDE REGEX "/bitcode/")
add_library(dyad_llvm SHARED ${sources})
set(bitcode "${CMAKE_BINARY_DIR}/bitcode/definitions_plain.bc" "${CMAKE_BINARY_DIR}/bitcode/definitions_fused.bc")
set_source_files_properties("${CMAKE_SOURCE_DIR}/src/codegen/llvm/definitions.cpp" PROPERTIES
  OBJECT_DEPENDS "${bitcode}"
  COMPILE_OPTIONS "-Wa,-I${CMAKE_BINARY_DIR}/bitcode")
set_target_properties(dyad_llvm PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${DYAD_PACKAGE_DIR}/lib"
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(dyad_llvm SYSTEM PRIVATE "${llvm_include}")
target_link_directories(dyad_llvm PRIVATE "${llvm_libraries}")
target_link_libraries(dyad_llvm PRIVATE dyad_flags ${llvm_archives} ${CMAKE_DL_LIBS})
# The build id tells builds of the library apart in the store of compiled loops.
target_link_options(dyad_llvm PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--build-id=sha1 -Wl,--as-needed
  -Wl,--no-undefined -Wl,--strip-all)
install(TARGETS dyad_llvm LIBRARY DESTINATION dyad/lib COMPONENT python)
install(TARGETS dyad_llvm LIBRARY DESTINATION lib COMPONENT cpp)
