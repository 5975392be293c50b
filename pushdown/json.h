#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pushdown {

// Not installed: the JSON library is not part of the public interface.

// Fields keep their order. Numbers that JSON cannot represent, such as -infinity, become null.
using Json = nlohmann::ordered_json;

// The value as one line with a line end. JSON must be UTF-8; other bytes are replaced.
std::string JsonLine(const Json& value);
// The value with indentation, for people to read.
std::string IndentedJson(const Json& value);

// A number with so many significant digits, which takes less space in JSON: curves and charts need
// no more than five.
double Rounded(double value, int digits);

// Reads one JSON text, which is untrusted. Throws Error, naming the field where the text
// breaks off or is not JSON; for a number that a double cannot hold, for a field given twice, and
// for arrays and objects nested deeper than any input of this library. Where the text has Infinity
// or NaN, which JSON does not know, `infinity_hint` ends the message.
nlohmann::json ReadJson(std::string_view text, std::string_view infinity_hint = {});

// An untrusted value that is not what it should be, for messages: "an array of 3", or the value.
std::string FoundText(const nlohmann::json& value);

}  // namespace pushdown
