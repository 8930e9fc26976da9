# libdyad as built elsewhere: nothing below bindings and capture is compiled again.
add_library(dyad SHARED IMPORTED)
set_target_properties(dyad PROPERTIES IMPORTED_LOCATION "${DYAD_PREBUILT_LIBRARY}")
target_link_libraries(dyad INTERFACE dyad_flags)
