#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pushdown {

// Reads one JSON text that nobody vouches for. Throws Error, naming the field where the text
// breaks off or is not JSON; for a number that a double cannot hold, for a field given twice, and
// for arrays and objects nested deeper than any input of this library. Where the text has Infinity
// or NaN, which JSON does not know, `infinity_hint` ends the message.
// Not installed: the JSON library is not part of the public interface.
nlohmann::json ReadJson(std::string_view text, std::string_view infinity_hint = {});

}  // namespace pushdown
