# dyad_instruction_sets(<folder>): compiles each .cpp of src/<folder> once per instruction set.
#
# The sources see DYAD_ISA (baseline, avx2 or avx512) and must keep everything they define in a namespace of that name.
# The objects are linked in ascending order on purpose: an inline function of a shared header may be emitted by several
# of them, the linker keeps the first copy, and the first copy is then always one that the weaker machine can run.
function(dyad_instruction_sets folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()

  # Contraction stays off: a fused multiply-add would give results that differ between the instruction sets. Unswitching
  # too: it splits a loop on conditions of an operand that is one number, and what is left is no longer vectorised.
  set(arithmetic -fno-unswitch-loops -fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp-simd)
  set(flags_baseline -march=x86-64-v2)
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  string(REPLACE "/" "_" name "${folder}")
  foreach(isa baseline avx2 avx512)
    set(target dyad_${name}_${isa})
    add_library(${target} OBJECT ${sources})
    target_link_libraries(${target} PRIVATE dyad_flags)
    target_compile_definitions(${target} PRIVATE DYAD_ISA=${isa})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3> ${arithmetic} ${flags_${isa}})
    dyad_precompile(${target} ${isa})
    set_property(GLOBAL APPEND PROPERTY DYAD_ROOM_OBJECTS $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
