# dyad_onednn: oneDNN from the PyPI packages onednn-devel-cpu-gomp (headers) and onednn-cpu-gomp (library).
#
# The packages install into the include and lib folders of the environment that builds. Python knows where that is, also
# in pip's isolated builds, where the environment is an overlay that no fixed path would find. Without Python, or with a
# oneDNN of one's own, CMAKE_PREFIX_PATH leads to it.
if(DYAD_PYTHON)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "from importlib.metadata import distribution as d
print(d('onednn-devel-cpu-gomp').locate_file('../../..').resolve())"
    OUTPUT_VARIABLE onednn_prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
# Not cached: pip's overlay is gone by the next build, and a remembered path would point into it.
find_path(ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp HINTS "${onednn_prefix}/include" NO_CACHE)
find_library(ONEDNN_LIBRARY NAMES libdnnl.so.3 dnnl HINTS "${onednn_prefix}/lib" NO_CACHE)
if(NOT ONEDNN_INCLUDE OR NOT ONEDNN_LIBRARY)
  message(FATAL_ERROR "oneDNN 3 was not found; pip install onednn-devel-cpu-gomp==2023.2.0, or set CMAKE_PREFIX_PATH")
endif()
add_library(dyad_onednn SHARED IMPORTED)
set_target_properties(dyad_onednn PROPERTIES
  IMPORTED_LOCATION "${ONEDNN_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${ONEDNN_INCLUDE}")
