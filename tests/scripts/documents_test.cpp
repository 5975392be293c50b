// What documents show is what there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pushdown/version.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream in(fs::path(PUSHDOWN_SOURCES) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// They are compiled and run by tests/consumer/.
TEST(Documents, TheReadmeShowsTheExamplesAsTheyAre) {
  const std::string readme = TextOf("README.md");
  for (const char* example : {"examples/use_model.cpp", "examples/train_model.cpp"}) {
    const std::string program = TextOf(example);
    ASSERT_FALSE(program.empty()) << example;
    EXPECT_NE(readme.find("```cpp\n" + program + "```"), std::string::npos) << example;
  }
}

TEST(Documents, LinksLeadToFiles) {
  std::vector<fs::path> documents = {"README.md", "HACKING.md"};
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(PUSHDOWN_SOURCES) / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back("docs" / entry.path().filename());
  }
  ASSERT_GT(documents.size(), 10u);
  for (const fs::path& document : documents) {
    const std::string text = TextOf(document);
    ASSERT_FALSE(text.empty()) << document;
    for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 1)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      const bool lambda = at > 0 && text[at - 1] == '[';  // of a program
      if (lambda || target.empty() || target.find("://") != target.npos) continue;
      const fs::path path = fs::path(PUSHDOWN_SOURCES) / document.parent_path() / target;
      EXPECT_TRUE(fs::exists(path)) << document << ": " << target;
    }
  }
}

TEST(Documents, TheCitationHasTheVersion) {
  const std::string line = "\nversion: " + std::string(kVersion) + "\n";
  EXPECT_NE(TextOf("CITATION.cff").find(line), std::string::npos);
}

TEST(Documents, TheMapIsShort) {
  const std::string map = TextOf("HACKING.md");
  EXPECT_LE(std::count(map.begin(), map.end(), '\n'), 120);
}

}  // namespace
}  // namespace pushdown
