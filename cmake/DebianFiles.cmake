# What Debian wants otherwise than an installation elsewhere has it. cpack calls this before it packs
# the files.
set(share ${CPACK_TEMPORARY_DIRECTORY}/program/usr/share)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
file(GLOB compressed ${share}/man/man1/*.1)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component program development)
  string(TOUPPER CPACK_DEBIAN_${component}_PACKAGE_NAME name)
  set(changelog ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${${name}}/changelog)
  file(WRITE ${changelog}
    "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * CHANGELOG.md of the package pushdown says what is new.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  list(APPEND compressed ${changelog})
endforeach()

find_program(gzip gzip REQUIRED)
execute_process(COMMAND ${gzip} -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
