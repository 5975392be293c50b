#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"
#include "tests/formal/example_languages.h"
#include "tests/sanitized.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
using testing_oracle::IsBalanced;
using testing_oracle::IsPalindrome;
using Arguments = std::vector<std::string>;

const char* const kBrackets = "S -> \"(\" S \")\" S | eps\n";
const char* const kBracketsAutomaton =
    "bottom: $\naccept: q\nq \"(\" $ -> q $ X\nq \"(\" X -> q X X\nq \")\" X -> q eps\n";
const char* const kEqualStart = "S -> X C\nX -> a X b | eps\nC -> c C | eps\n";  // a^n b^n c^m
const char* const kEqualEnd = "S -> A Y\nA -> A a | eps\nY -> b Y c | eps\n";    // a^m b^n c^n

// All strings of characters up to a length, without spaces.
std::vector<std::string> AllStrings(const std::string& characters, std::size_t max_length) {
  std::vector<std::string> strings = {""};
  for (std::size_t n = 0; n < strings.size(); ++n) {
    if (strings[n].size() == max_length) break;
    for (char c : characters) strings.push_back(strings[n] + c);
  }
  return strings;
}

bool IsThreeTimes(const std::string& string) {
  const std::size_t n = string.size() / 3;
  return string == std::string(n, 'a') + std::string(n, 'b') + std::string(n, 'c');
}

class CompileTest : public ProgramTest {
 protected:
  ProgramResult Compile(Arguments files, const Arguments& more = {}) const {
    files.insert(files.begin(), "compile");
    files.insert(files.end(), more.begin(), more.end());
    return Run(files);
  }

  // Compiles files into a directory of this name.
  std::string Compiled(const Arguments& files, const std::string& name = "recognizer") const {
    const ProgramResult result = Compile(files, {"--out", Path(name)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path(name);
  }

  static std::string WithSpaces(const std::string& string) {
    std::string text;
    for (char c : string) text += (text.empty() ? "" : " ") + std::string(1, c);
    return text;
  }

  // What `recognize --json` says of strings of one-character symbols.
  std::vector<json> Recognized(const std::string& directory,
                               const std::vector<std::string>& strings) const {
    std::string input;
    for (const std::string& string : strings) input += WithSpaces(string) + "\n";
    const ProgramResult result = Run({"recognize", directory, "--json"}, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> values;
    for (const std::string& line : Lines(result.out)) values.push_back(json::parse(line));
    EXPECT_EQ(values.size(), strings.size());
    values.resize(strings.size());
    return values;
  }

  void ExpectLanguage(const std::string& directory, const std::string& characters,
                      std::size_t max_length,
                      const std::function<bool(const std::string&)>& has) const {
    const std::vector<std::string> strings = AllStrings(characters, max_length);
    const std::vector<json> values = Recognized(directory, strings);
    for (std::size_t n = 0; n < strings.size(); ++n) {
      const json& value = values[n];
      EXPECT_EQ(value["accepted"], has(strings[n])) << strings[n] << ": " << value;
      EXPECT_EQ(value["y"] > 0.5, has(strings[n])) << strings[n] << ": " << value;
      EXPECT_EQ(value["string"], WithSpaces(strings[n]));
      EXPECT_EQ(value["length"], strings[n].size());
      EXPECT_EQ(value["line"], n + 1);
      EXPECT_EQ(value["decision"], "output");
    }
  }

  void ExpectRefused(const Arguments& arguments, const std::string& message,
                     const std::string& input = "") const {
    const ProgramResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(Lines(result.err).size(), 1U) << result.err;
  }
};

TEST_F(CompileTest, AGrammarBecomesItsRecognizer) {
  const ProgramResult result =
      Compile({WriteFile("brackets.cfg", kBrackets)}, {"--out", Path("recognizer")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* stage : {"grammar ", "Greibach form", "2-Greibach form", "automaton ",
                            "restricted ", "recognizer ", "network "}) {
    EXPECT_NE(result.out.find(std::string("  ") + stage), std::string::npos) << result.out;
  }
  EXPECT_NE(result.out.find("2 rules, 1 nonterminal, 2 terminals\n"), std::string::npos);
  EXPECT_EQ(Contents("recognizer").size(), 2U);
  ExpectLanguage(Path("recognizer"), "()", 7, IsBalanced);
}

TEST_F(CompileTest, SizesAreThoseOfTheFiles) {
  const ProgramResult result =
      Compile({WriteFile("brackets.cfg", kBrackets)}, {"--out", Path("recognizer"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json sizes = json::parse(result.out);
  EXPECT_EQ(sizes["files"][0]["grammar"]["rules"], 2);
  const json config = json::parse(ReadText(Path("recognizer/config.json")));
  EXPECT_EQ(config["kind"], "recognizer");
  EXPECT_EQ(config["settings"]["model"], sizes["network"]["model"]);
  EXPECT_EQ(config["vocabulary"], json({"(", ")"}));
  // A header, and eight bytes a parameter.
  const std::size_t bytes = ReadText(Path("recognizer/model.safetensors")).size();
  const std::size_t parameters = sizes["network"]["parameters"];
  EXPECT_GT(bytes, 8 * parameters);
  EXPECT_LT(bytes, 8 * parameters + 4000);
}

TEST_F(CompileTest, SeveralLanguagesAreIntersected) {
  const std::string recognizer =
      Compiled({WriteFile("start.cfg", kEqualStart), WriteFile("end.cfg", kEqualEnd)});
  ExpectLanguage(recognizer, "abc", 6, IsThreeTimes);
}

TEST_F(CompileTest, AutomataByHand) {
  ExpectLanguage(Compiled({WriteFile("brackets.pda", kBracketsAutomaton)}), "()", 7, IsBalanced);
  // The middle is guessed without reading anything, and symbols are replaced below others.
  const std::string palindromes = WriteFile("palindromes.pda", R"(bottom: $
accept: second
first a $ -> first $ A
first a A -> first A A
first a B -> first B A
first b $ -> first $ B
first b A -> first A B
first b B -> first B B
first eps A -> second A | second eps
first eps B -> second B | second eps
first eps $ -> second Y Z
second eps Z -> second eps
second eps Y -> second $
second a A -> second eps
second b B -> second eps
)");
  ExpectLanguage(Compiled({palindromes}, "palindromes"), "ab", 6, IsPalindrome);
}

TEST_F(CompileTest, EmptyLanguagesAndEmptyStrings) {
  const ProgramResult result =
      Compile({WriteFile("empty.cfg", "S -> S a\n")}, {"--out", Path("empty")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("warning"), std::string::npos) << result.err;
  ExpectLanguage(Path("empty"), "a", 4, [](const std::string&) { return false; });
  const std::string epsilon = Compiled({WriteFile("epsilon.cfg", "S -> eps\n")}, "epsilon");
  EXPECT_EQ(Recognized(epsilon, {""})[0]["accepted"], true);
  // Symbols that the language does not have.
  EXPECT_EQ(Compile({Path("epsilon.cfg")}, {"--alphabet", "a b", "--out", Path("more")}).exit_code,
            0);
  ExpectLanguage(Path("more"), "ab", 3, [](const std::string& string) { return string.empty(); });
}

TEST_F(CompileTest, ShownStagesHaveTheSameLanguage) {
  const std::string grammar = WriteFile("brackets.cfg", kBrackets);
  for (const std::string stage : {"gnf", "2gnf", "pda", "restricted", "recognizer"}) {
    const ProgramResult result = Compile({grammar}, {"--show", stage});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const bool is_grammar = stage.ends_with("gnf");
    const std::string file = WriteFile(stage + (is_grammar ? ".cfg" : ".pda"), result.out);
    ExpectLanguage(Compiled({file}, stage), "()", 6, IsBalanced);
  }
  const ProgramResult dot = Compile({grammar}, {"--show", "dot"});
  EXPECT_EQ(dot.out.find("digraph"), 0U) << dot.out;
}

TEST_F(CompileTest, ShowAlsoWrites) {
  const ProgramResult result = Compile({WriteFile("brackets.cfg", kBrackets)},
                                       {"--show", "gnf", "--out", Path("recognizer")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("->"), std::string::npos);
  ExpectLanguage(Path("recognizer"), "()", 2, IsBalanced);
}

TEST_F(CompileTest, RunsAndMass) {
  // A run of a^n changes to r at one of the n symbols, or not at all.
  const std::string file =
      WriteFile("change.pda", "bottom: $\naccept: r\nq a $ -> q $ | r $\nr a $ -> r $\n");
  const std::string recognizer = Compiled({file});
  const ProgramResult result =
      Run({"recognize", recognizer, "--runs", "--mass"}, "a a a\n\na a a a a\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), 3U);
  const auto ends_with = [](const std::string& line, const std::string& end) {
    return line.size() >= end.size() && line.substr(line.size() - end.size()) == end;
  };
  EXPECT_EQ(lines[0].find("accept\t0.5"), 0U) << lines[0];
  EXPECT_TRUE(ends_with(lines[0], "\t4\t3\t0.6\ta a a")) << lines[0];
  EXPECT_TRUE(ends_with(lines[1], "\t1\t0\t0\t")) << lines[1];
  EXPECT_EQ(lines[1].find("reject\t0.5\t"), 0U) << lines[1];
  EXPECT_TRUE(ends_with(lines[2], "\t6\t5\t0.714286\ta a a a a")) << lines[2];
}

TEST_F(CompileTest, Trace) {
  const std::string recognizer = Compiled({WriteFile("brackets.pda", kBracketsAutomaton)});
  const ProgramResult drawn = Run({"recognize", recognizer, "--trace"}, "( )\n");
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("██████████ "), std::string::npos) << drawn.out;
  EXPECT_NE(drawn.out.find("accepting"), std::string::npos) << drawn.out;
  const json value = json::parse(Run({"recognize", recognizer, "--trace", "--json"}, "( )\n").out);
  ASSERT_EQ(value["readings"].size(), 3U);
  // The automaton's only run, and the one that `compile` adds.
  EXPECT_EQ(value["readings"][0].size(), 1U);
  for (std::size_t t : {1U, 2U}) {
    ASSERT_EQ(value["readings"][t].size(), 2U) << value;
    for (const json& probability : value["readings"][t]) EXPECT_NEAR(probability, 0.5, 1e-15);
  }
}

TEST_F(CompileTest, LongStrings) {
  // Beyond the length for which the output is exact, the readings decide.
  const std::string file = WriteFile("brackets.pda", kBracketsAutomaton);
  const ProgramResult result = Compile({file, file}, {"--out", Path("twice"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const int longest = json::parse(result.out)["network"]["longest_exact_length"];
  EXPECT_GT(longest, 50);
  ASSERT_LT(longest, 390);
  const std::string open(200, '(');
  const std::string close(200, ')');
  const std::vector<json> values =
      Recognized(Path("twice"), {open + close, open + close.substr(1)});
  EXPECT_EQ(values[0]["accepted"], true);
  EXPECT_EQ(values[0]["decision"], "reading");
  EXPECT_EQ(values[1]["accepted"], false);
  EXPECT_EQ(values[1]["decision"], "reading");
}

TEST_F(CompileTest, TooManyRunsAreUnknown) {
  if (kSanitized) GTEST_SKIP() << "takes a minute with sanitizers";
  // 8^n runs of a^n, none of which accepts; b a^n does.
  std::string text = "bottom: $\naccept: r\ns b $ -> r $\nr a $ -> r $\n";
  for (const char* from : {"s", "1", "2", "3", "4", "5", "6", "7", "8"}) {
    for (int to = 1; to <= 8; ++to) {
      text += from + std::string(" a $ -> ") + std::to_string(to) + " $\n";
    }
  }
  const std::string recognizer = Compiled({WriteFile("eight.pda", text)});
  // 8^30 runs are too many for the output, 8^350 for the readings.
  const std::vector<json> values =
      Recognized(recognizer, {std::string(30, 'a'), "b" + std::string(350, 'a')});
  EXPECT_EQ(values[0]["accepted"], false);
  EXPECT_EQ(values[0]["decision"], "reading");
  EXPECT_NEAR(values[0]["log_runs"], 30 * std::log(8.0), 1e-9);
  EXPECT_EQ(values[1]["accepted"], true);
  const std::string many = WithSpaces(std::string(350, 'a')) + "\n";
  const ProgramResult result = Run({"recognize", recognizer, "--json"}, many);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("1 of 1 string"), std::string::npos) << result.err;
  EXPECT_TRUE(json::parse(result.out)["accepted"].is_null()) << result.out;
  EXPECT_EQ(Run({"recognize", recognizer}, many).out.find("unknown\t"), 0U);
}

TEST_F(CompileTest, WrongUsage) {
  const std::string brackets = WriteFile("brackets.cfg", kBrackets);
  const std::string automaton = WriteFile("brackets.pda", kBracketsAutomaton);
  const std::string out = Path("out");
  ExpectRefused({"compile", brackets}, "--out DIR or --show STAGE");
  ExpectRefused({"compile"}, "FILE");
  ExpectRefused({"compile", automaton, "--show", "gnf"}, "not of automata");
  ExpectRefused({"compile", brackets, brackets, "--show", "gnf"}, "--show recognizer");
  ExpectRefused({"compile", brackets, "--show", "cnf"}, "--show");
  ExpectRefused({"compile", Path("no.cfg"), "--out", out}, "no.cfg");
  ExpectRefused({"compile", WriteFile("bad.cfg", "S -> a |\n"), "--out", out}, "bad.cfg:");
  ExpectRefused({"compile", WriteFile("bad.pda", "q a -> r\n"), "--out", out}, "bad.pda:1:");
  ExpectRefused({"compile", brackets, WriteFile("a.cfg", "S -> a\n"), "--out", out},
                "a.cfg has no symbol \"(\"");
  ExpectRefused({"compile", brackets, "--max-size", "30", "--out", out}, "more than 30 symbols");
  ExpectRefused({"compile", brackets, "--max-parameters", "1000", "--out", out},
                "parameters, more than 1000, which is the limit; --max-size and");
  ExpectRefused({"compile", brackets, "--max-parameters", "20", "--out", out},
                "more than 4, which is the limit; --max-size and");
  EXPECT_FALSE(std::filesystem::exists(out));
  WriteFile("file", "x");
  ExpectRefused({"compile", brackets, "--out", Path("file")}, "--out: ");
  EXPECT_EQ(ReadText(Path("file")), "x");
}

TEST_F(CompileTest, WrongStrings) {
  const std::string recognizer = Compiled({WriteFile("brackets.cfg", kBrackets)});
  ExpectRefused({"recognize", recognizer}, "line 2, position 3: \"x\"", "( )\n( ) x\n");
  ExpectRefused({"recognize", recognizer}, "the symbols are: ( )", "a\n");
  ExpectRefused({"recognize", recognizer, Path("none")}, "none");
  std::string many;
  for (int n = 0; n < 10000; ++n) many += "( ";
  ExpectRefused({"recognize", recognizer}, "of memory", many + "\n");
}

TEST_F(CompileTest, BrokenDirectories) {
  const std::string recognizer = Compiled({WriteFile("brackets.cfg", kBrackets)});
  const Arguments command = {"recognize", recognizer};
  for (const char* other : {"evaluate", "generate"}) {
    ExpectRefused({other, recognizer}, "use `pushdown recognize`");
  }
  ExpectRefused({"recognize", Path("none")}, "none: does not exist");
  const std::string config = ReadText(Path("recognizer/config.json"));
  const auto expect_refused = [&](const auto& edit, const std::string& message) {
    json value = json::parse(config);
    edit(value);
    WriteFile("recognizer/config.json", value.dump());
    ExpectRefused(command, message);
  };
  expect_refused([](json& value) { value["kind"] = "strings"; }, "is of a training");
  expect_refused([](json& value) { value["format"] = 2; }, "another version");
  expect_refused([](json& value) { value.erase("automaton"); }, "config.json: ");
  expect_refused([](json& value) { value["automaton"] = "bottom: $\n"; }, "config.json: ");
  expect_refused([](json& value) { value["automaton"] = kBracketsAutomaton; },
                 "model.safetensors: ");
  expect_refused(
      [](json& value) {
        std::string text = value["automaton"];
        value["automaton"] = text + "loop \"(\" $ -> loop $\n";
      },
      "which was changed");
  WriteFile("recognizer/config.json", config);
  const std::string model = ReadText(Path("recognizer/model.safetensors"));
  WriteFile("recognizer/model.safetensors", model.substr(0, model.size() - 8));
  ExpectRefused(command, "model.safetensors: ");
  std::string changed = model;
  changed[model.size() - 200] ^= 1;
  WriteFile("recognizer/model.safetensors", changed);
  ExpectRefused(command, "checksum");
  std::filesystem::remove(Path("recognizer/model.safetensors"));
  ExpectRefused(command, "model.safetensors");
  WriteFile("recognizer/model.safetensors", model);
  EXPECT_EQ(Run(command, "( )\n").exit_code, 0);
}

}  // namespace
}  // namespace pushdown::testing_cli
