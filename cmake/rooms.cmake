# dyad_room(<room>): one room of src/ as one target, dyad_<room with slashes as underscores>.
#
# A room with sources is an object library, so that the static registrars in it always reach the final library; a room
# with headers only (or nothing yet) is an interface library. Tests (*_test.cpp) belong to dyad_tests. The objects of
# all rooms are collected in the global property DYAD_ROOM_OBJECTS, in the order of the calls. PRECOMPILED is the set of
# precompiled headers that the files of the room read, `plain` unless another is named.
function(dyad_room room)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "PRECOMPILED" "LINK;EXCLUDE")
  string(REPLACE "/" "_" name "${room}")
  dyad_room_sources("${room}" sources)
  foreach(pattern IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()

  if(sources)
    add_library(dyad_${name} OBJECT ${sources})
    target_link_libraries(dyad_${name} PRIVATE dyad_flags ${ARG_LINK})
    if(ARG_PRECOMPILED)
      dyad_precompile(dyad_${name} ${ARG_PRECOMPILED} ${DYAD_PRECOMPILED_HEADERS_${ARG_PRECOMPILED}})
    elseif(NOT "OpenMP::OpenMP_CXX" IN_LIST ARG_LINK)  # its flags would need a set of their own, for a few files
      dyad_precompile(dyad_${name} plain)
    endif()
    set_property(GLOBAL APPEND PROPERTY DYAD_ROOM_OBJECTS $<TARGET_OBJECTS:dyad_${name}>)
  else()
    add_library(dyad_${name} INTERFACE)
    target_link_libraries(dyad_${name} INTERFACE dyad_flags ${ARG_LINK})
  endif()
endfunction()

# The .cpp files below src/<room> that are not tests.
function(dyad_room_sources room result)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${room}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()
