# Writes the git revision of the source tree into a C++ file, which stays as it is if the revision has
# not changed: cmake -D SOURCE=DIR -D OUTPUT=FILE -P cmake/Revision.cmake
set(revision "")
find_program(git git)
# A directory inside of another project's repository has no revision of its own.
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(
    # Without locks: another process may be at work in the tree.
    COMMAND ${git} --no-optional-locks describe --always --dirty --abbrev=7 --exclude=*
    WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT revision MATCHES "^[0-9a-f]+(-dirty)?$")
  set(revision "")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
[[#include "pushdown/version.h"

namespace pushdown {

const char* Revision() { return "@revision@"; }

}  // namespace pushdown
]])
