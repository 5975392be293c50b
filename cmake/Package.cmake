# Documents beside what is installed, and Debian packages of it, which `cpack` makes: pushdown is the
# program, libpushdown-dev the library.

set(documents ${CMAKE_INSTALL_DATADIR}/doc/pushdown)
install(FILES README.md CHANGELOG.md HACKING.md DESTINATION ${documents})
install(DIRECTORY docs experiments DESTINATION ${documents})
install(DIRECTORY examples DESTINATION ${documents} USE_SOURCE_PERMISSIONS
  PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)

# The page of `pushdown report` has D3 in it.
file(READ LICENSE licence)
set(copyright ${PROJECT_BINARY_DIR}/package/copyright)
if(D3_LICENCE)
  file(READ ${D3_LICENCE} d3_licence)
  string(APPEND licence "\nThe page of pushdown report contains D3, whose licence follows.\n\n${d3_licence}")
endif()
file(CONFIGURE OUTPUT ${copyright} CONTENT "@licence@" @ONLY)
install(FILES ${copyright} DESTINATION ${documents})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpushdown-dev RENAME copyright
  COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pushdown)
set(CPACK_PACKAGE_CONTACT "The Pushdown authors <authors@pushdown.invalid>")
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who makes the package is.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME pushdown)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS graphviz)
# Below the first line, which is the description of the project.
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Trains neural networks that drive a differentiable pushdown automaton, on
formal languages and on text, compares them with the exact optimum, shows what
happens inside them, and turns grammars into networks that recognise them.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpushdown-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libhwy-dev, libopenblas-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS pushdown)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "The library behind the program pushdown, with its headers and the files for
CMake's find_package(Pushdown).")
include(CPack)
