#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pushdown::cli {

// Fields keep their order. Numbers that JSON does not have, such as -infinity, are written as null.
using Json = nlohmann::ordered_json;

// One line, and its end. Bytes that are not UTF-8 cannot be in JSON and are replaced.
inline std::string JsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// With indentation, for people.
inline std::string JsonText(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace pushdown::cli
