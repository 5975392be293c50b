#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"

namespace pushdown {

// Returns parse(text), where the text is that of a regular file. The message of any error begins
// with the name of the file.
template <typename Parse>
auto ParseFile(const std::string& path, double max_bytes, const Parse& parse) {
  const std::string text = ReadRegularFile(path, max_bytes);
  try {
    return parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw Error("pushdown::ParseFile", InputName(path) + ": " + Printable(error.what(), 200));
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), InputName(path) + ": " + error.message());
  }
}

}  // namespace pushdown
