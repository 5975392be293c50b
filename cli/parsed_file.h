#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {

// parse(the text of a regular file); what it complains of is a UsageError with the name of the
// file.
template <typename Parse>
auto ParseFile(const std::string& path, double max_bytes, const Parse& parse) {
  const std::string text = ReadRegularText(path, max_bytes);
  try {
    return parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(InputName(path) + ": " + Printable(error.what(), 200));
  } catch (const Error& error) {
    throw UsageError(InputName(path) + ": " + MessageForUser(error));
  } catch (const UsageError& error) {
    throw UsageError(InputName(path) + ": " + error.what());
  }
}

}  // namespace pushdown::cli
