# The library as a target, for this project and for those that use what it has installed: each finds it
# where it is on its machine. (OpenBLAS has CMake files of its own, but not every package of it.)
find_library(PUSHDOWN_OPENBLAS_LIBRARY openblas REQUIRED)
mark_as_advanced(PUSHDOWN_OPENBLAS_LIBRARY)
if(NOT TARGET Pushdown::OpenBLAS)
  add_library(Pushdown::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(Pushdown::OpenBLAS PROPERTIES IMPORTED_LOCATION ${PUSHDOWN_OPENBLAS_LIBRARY})
endif()
