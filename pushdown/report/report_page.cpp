#include "pushdown/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"
#include "pushdown/report/report.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitleMarker = "PUSHDOWN-TITLE";
constexpr std::string_view kDataMarker = "PUSHDOWN-DATA";

std::string HtmlText(const std::string& text) {
  std::string escaped;
  for (const char c : Printable(text, 300)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// JSON that can stand in a script element. The characters that are written in another way are only
// in strings, where that means the same.
std::string ScriptText(const Json& data) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr std::string_view kSeparators = "\xe2\x80";  // U+2028 and U+2029 go on with a8 and a9
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (c == '<' || c == '>' || c == '&') {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (std::string_view(text).substr(n).starts_with(kSeparators) && n + 2 < text.size() &&
               (text[n + 2] == '\xa8' || text[n + 2] == '\xa9')) {
      escaped += text[n + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      n += 2;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Where a marker is in the template.
std::size_t PlaceOf(std::string_view page_template, std::string_view marker) {
  const std::size_t place = page_template.find(marker);
  if (place == page_template.npos || page_template.find(marker, place + 1) != page_template.npos) {
    throw Error(
        "pushdown::FillTemplate",
        fmt::format("the template of the page is broken: it does not have {} once", marker));
  }
  return place;
}

}  // namespace

std::string FillTemplate(std::string_view page_template, const std::string& title,
                         const Json& data) {
  struct Part {
    std::size_t place;
    std::size_t size;
    std::string text;
  };
  Part parts[] = {{PlaceOf(page_template, kTitleMarker), kTitleMarker.size(), HtmlText(title)},
                  {PlaceOf(page_template, kDataMarker), kDataMarker.size(), ScriptText(data)}};
  std::sort(std::begin(parts), std::end(parts),
            [](const Part& a, const Part& b) { return a.place < b.place; });
  // In one pass: what is put in may have a marker's name in it.
  std::string page;
  std::size_t copied = 0;
  for (const Part& part : parts) {
    page += page_template.substr(copied, part.place - copied);
    page += part.text;
    copied = part.place + part.size;
  }
  page += page_template.substr(copied);
  return page;
}

std::string ReportTemplatePath() {
  constexpr const char* kTemplateFile = "report.html";
  const char* share = std::getenv("PUSHDOWN_SHARE");
  if (share != nullptr && *share != '\0') return (fs::path(share) / kTemplateFile).string();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share" / "pushdown" / kTemplateFile).string();
}

std::string ReadReportTemplate() {
  const std::string path = ReportTemplatePath();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(
        ErrorKind::kSystem, "pushdown::ReadReportTemplate",
        fmt::format("the template of the page is missing, {}: the program was built without "
                    "D3 and esbuild (Debian: node-d3 and esbuild); build it again with them",
                    Printable(path, 300)));
  }
  return ReadRegularFile(path, 16e6);
}

}  // namespace pushdown
