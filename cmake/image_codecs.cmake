# dyad_image_codecs: libjpeg-turbo, libpng and zlib, inside of libdyad and seen by nobody else.
#
# Debian's archives are compiled for executables, whose own names lie at a fixed distance: that holds in a shared library
# too if they are hidden (--exclude-libs). `stderr` alone is not their own; they are given one of ours, which is never
# written to, since our readers handle every message of theirs.
set(archives "")
foreach(codec jpeg png16 z)
  find_library(DYAD_CODEC_${codec} NAMES lib${codec}.a REQUIRED)
  set(archive "${CMAKE_BINARY_DIR}/codecs/lib${codec}.a")
  add_custom_command(
    OUTPUT "${archive}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/codecs"
    COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stderr=dyad_codec_messages "${DYAD_CODEC_${codec}}" "${archive}"
    DEPENDS "${DYAD_CODEC_${codec}}"
    VERBATIM)
  list(APPEND archives "${archive}")
endforeach()
add_custom_target(dyad_codec_archives DEPENDS ${archives})

add_library(dyad_image_codecs INTERFACE)
add_dependencies(dyad_image_codecs dyad_codec_archives)
target_link_libraries(dyad_image_codecs INTERFACE ${archives})
target_link_options(dyad_image_codecs INTERFACE -Wl,--exclude-libs,libjpeg.a:libpng16.a:libz.a)
