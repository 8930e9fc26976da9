# dyad_precompile(<target> <set> [<header>...]): compiles the headers of the standard library that most files read, and
# those named, once instead of once per file. Targets that name the same set have the same flags and share it.
#
# Every file still includes what it uses: the preset threads and the lint do without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
# Headers of the tree belong in a set only where nearly all files of the target read them, since a change of one compiles
# all of it again.
function(dyad_precompile target set)
  get_property(owner GLOBAL PROPERTY DYAD_PRECOMPILED_${set})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <limits> <memory> <mutex> <numeric> <optional>
    <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> ${ARGN})
  set_property(GLOBAL PROPERTY DYAD_PRECOMPILED_${set} ${target})
endfunction()
