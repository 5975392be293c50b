// Whatever the texts of a page are, they stay in the element that they belong to.

#include "pushdown/report/report_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "pushdown/report/report.h"
#include "tests/experiment/checks.h"
#include "tests/temporary_directory.h"

namespace pushdown {
namespace {

using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_files::TemporaryDirectory;

constexpr const char* kTemplate =
    "<title>PUSHDOWN-TITLE</title>\n<script id=\"data\">PUSHDOWN-DATA</script>\n";

TEST(ReportPage, TheTemplateGetsATitleAndData) {
  EXPECT_EQ(FillTemplate(kTemplate, "A title", {{"x", {1, 2.5, nullptr}}}),
            "<title>A title</title>\n<script id=\"data\">{\"x\":[1,2.5,null]}</script>\n");
  EXPECT_EQ(FillTemplate("PUSHDOWN-DATA|PUSHDOWN-TITLE", "t", 7), "7|t");
}

TEST(ReportPage, NoTextEndsItsElement) {
  const std::string script = "</script><script>alert(1)</script>";
  EXPECT_EQ(FillTemplate(kTemplate, script, script),
            "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>\n"
            "<script id=\"data\">\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"
            "\\u003c/script\\u003e\"</script>\n");
  EXPECT_EQ(FillTemplate("PUSHDOWN-DATAPUSHDOWN-TITLE", "", "<!-- & \"' \\"),
            "\"\\u003c!-- \\u0026 \\\"' \\\\\"");
  EXPECT_EQ(FillTemplate("PUSHDOWN-DATA PUSHDOWN-TITLE", "&amp; \"'", ""), "\"\" &amp;amp; \"'");
}

TEST(ReportPage, LineSeparatorsAreEscaped) {
  const std::string text = "a\u2028b\u2029c\u2027d\xe2\x80";
  EXPECT_EQ(FillTemplate("PUSHDOWN-DATA PUSHDOWN-TITLE", "", text),
            "\"a\\u2028b\\u2029c\u2027d\ufffd\" ");
}

TEST(ReportPage, BytesThatAreNotUtf8AreReplaced) {
  const std::string page = FillTemplate("PUSHDOWN-DATA PUSHDOWN-TITLE", "a\xff\n", "a\xff");
  EXPECT_EQ(page.substr(0, 6), "\"a\ufffd\"");
  EXPECT_EQ(page.find('\n'), page.npos);
  EXPECT_EQ(page.find('\xff'), page.npos);
}

TEST(ReportPage, NamesOfMarkersMayBeInTheTexts) {
  EXPECT_EQ(FillTemplate("PUSHDOWN-TITLE PUSHDOWN-DATA", "PUSHDOWN-DATA", "PUSHDOWN-TITLE"),
            "PUSHDOWN-DATA \"PUSHDOWN-TITLE\"");
}

TEST(ReportPage, ATemplateWithoutMarkersIsAnError) {
  for (const char* broken :
       {"", "PUSHDOWN-TITLE", "PUSHDOWN-DATA", "PUSHDOWN-DATA PUSHDOWN-TITLE PUSHDOWN-DATA"}) {
    ExpectContains(ErrorMessage([&] { FillTemplate(broken, "", ""); }), "once");
  }
}

TEST(ReportTemplate, IsLookedForBesideTheProgram) {
  unsetenv("PUSHDOWN_SHARE");
  const auto program = std::filesystem::canonical("/proc/self/exe");
  EXPECT_EQ(ReportTemplatePath(),
            program.parent_path().parent_path() / "share/pushdown/report.html");
  const TemporaryDirectory directory;
  setenv("PUSHDOWN_SHARE", directory.path().c_str(), 1);
  EXPECT_EQ(ReportTemplatePath(), directory.path() + "/report.html");
  const std::string missing = ErrorMessage([] { ReadReportTemplate(); });
  for (const char* part : {"report.html", "node-d3", "esbuild"}) ExpectContains(missing, part);
  directory.Write("report.html", kTemplate);
  EXPECT_EQ(ReadReportTemplate(), kTemplate);
  unsetenv("PUSHDOWN_SHARE");
}

}  // namespace
}  // namespace pushdown
