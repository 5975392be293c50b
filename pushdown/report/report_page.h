#pragma once

#include <string>
#include <string_view>

#include "pushdown/json.h"

namespace pushdown {

// The template with the title and the data in the places of PUSHDOWN-TITLE and PUSHDOWN-DATA, both
// of which it must have once. Neither can end the element that it stands in, whatever its texts
// are. Throws Error.
std::string FillTemplate(std::string_view page_template, const std::string& title,
                         const Json& data);

}  // namespace pushdown
