#include "pushdown/data/text_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/data/token_format.h"
#include "pushdown/error.h"
#include "tests/temporary_directory.h"

namespace pushdown {
namespace {

using std::literals::operator""s;
using testing_files::TemporaryDirectory;
using Names = std::vector<std::string>;
using Tokens = std::vector<int>;

constexpr double kEnough = 1e6;  // bytes
const std::string kMark = "\xEF\xBB\xBF";
const std::string kWanted =
    "either NAME.train.txt, NAME.valid.txt and NAME.test.txt (or all without NAME and its dot), or "
    "main.tok, datasets/validation/main.tok and datasets/test/main.tok";

// A training text as words.
Names Words(std::string_view text) {
  SymbolTable vocabulary;
  Names words;
  for (const int token : ParseTrainingText(text, "file", vocabulary)) {
    words.push_back(vocabulary.name(token));
  }
  return words;
}

SymbolTable Vocabulary(const Names& names) {
  SymbolTable vocabulary;
  for (const std::string& name : names) vocabulary.Add(name);
  return vocabulary;
}

template <typename Function>
std::string RefusalOf(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

std::string TrainingRefusal(std::string_view text) {
  SymbolTable vocabulary;
  return RefusalOf([&] { ParseTrainingText(text, "file", vocabulary); });
}

std::string Refusal(std::string_view text, const SymbolTable& vocabulary) {
  return RefusalOf([&] { ParseText(text, "file", vocabulary); });
}

std::string FileRefusal(const std::string& directory, TextSplit split = TextSplit::kTraining) {
  return RefusalOf([&] { TextFile(directory, split); });
}

std::string CorpusRefusal(const std::string& directory, double max_bytes = kEnough) {
  return RefusalOf([&] { ReadTextCorpus(directory, max_bytes); });
}

TEST(ParseTrainingText, EndsEachLine) {
  EXPECT_EQ(Words("a b\nc\n"), (Names{"a", "b", "<eos>", "c", "<eos>"}));
  EXPECT_EQ(Words("a b\nc"), (Names{"a", "b", "<eos>", "c", "<eos>"})) << "no end of the last line";
  EXPECT_EQ(Words("a b\r\nc\r\n"), (Names{"a", "b", "<eos>", "c", "<eos>"}));
  EXPECT_EQ(Words(kMark + "a\n"), (Names{"a", "<eos>"}));
  EXPECT_EQ(Words("\ta  b \t a \n"), (Names{"a", "b", "a", "<eos>"}));
  EXPECT_EQ(Words("\n\na\n \t\r\n"), (Names{"<eos>", "<eos>", "a", "<eos>", "<eos>"}));
}

TEST(ParseTrainingText, NumbersWordsAsTheyAppear) {
  SymbolTable vocabulary;
  EXPECT_EQ(ParseTrainingText("the cat <unk>\nthe N cat\n", "", vocabulary),
            (Tokens{0, 1, 2, 3, 0, 4, 1, 3}));
  EXPECT_EQ(vocabulary.names(), (Names{"the", "cat", "<unk>", "<eos>", "N"}));

  SymbolTable empty_line_first;
  EXPECT_EQ(ParseTrainingText("\na\n", "", empty_line_first), (Tokens{0, 1, 0}));
  EXPECT_EQ(empty_line_first.names(), (Names{"<eos>", "a"}));

  SymbolTable more = Vocabulary({"b", "<eos>"});
  EXPECT_EQ(ParseTrainingText("a b", "", more), (Tokens{2, 0, 1}));
  EXPECT_EQ(more.names(), (Names{"b", "<eos>", "a"}));
}

TEST(ParseTrainingText, TakesAnyUtf8) {
  EXPECT_EQ(Words("\u00e9 \u4e2d\U0001f600 \u00a0 a" + kMark),
            (Names{"\u00e9", "\u4e2d\U0001f600", "\u00a0", "a" + kMark, "<eos>"}));
}

TEST(ParseTrainingText, RefusesTextsWithoutWords) {
  EXPECT_EQ(TrainingRefusal(""), "[pushdown::ParseTrainingText] file: is empty");
  EXPECT_EQ(TrainingRefusal(kMark), "[pushdown::ParseTrainingText] file: is empty");
  for (const char* text : {"\n", " ", "\r\n\r\n", "\n\t\n \n"}) {
    EXPECT_EQ(TrainingRefusal(text),
              "[pushdown::ParseTrainingText] file: has no words, only empty lines");
  }
}

TEST(ParseTrainingText, RefusesEndOfSentence) {
  EXPECT_EQ(
      TrainingRefusal("a b\nb a <eos>\n"),
      "[pushdown::ParseTrainingText] file: line 2, position 3: \"<eos>\" is put at the end of "
      "each line by itself, and must not be there");
  EXPECT_EQ(Words("<eos a<eos> <EOS>"), (Names{"<eos", "a<eos>", "<EOS>", "<eos>"}));
}

TEST(ParseTrainingText, RefusesWhatIsNotText) {
  const std::string place = "[pushdown::ParseTrainingText] file: line 2, position 3: ";
  EXPECT_EQ(TrainingRefusal("a\nb c d\xff\n"), place + "\"d?\" is not UTF-8");
  EXPECT_EQ(TrainingRefusal("a\nb c \xc3\n"), place + "\"?\" is not UTF-8") << "cut off";
  for (const char control : "\x01\x08\x0b\x0c\x1f\x7f"s + '\0') {
    EXPECT_EQ(TrainingRefusal("a\nb c d"s + control + "\n"),
              place + "\"d?\" has a control character, and is not text");
  }
}

TEST(ParseTrainingText, RefusesWordsThatAreTooLong) {
  const std::string longest(kMaxWordBytes, 'a');
  EXPECT_EQ(Words("b " + longest + "\n"), (Names{"b", longest, "<eos>"}));
  EXPECT_EQ(TrainingRefusal("b " + longest + "a\n"),
            "[pushdown::ParseTrainingText] file: line 1, position 2: \"" + std::string(60, 'a') +
                "...\" is too long to be a word");
}

TEST(ParseTrainingText, LinesMayBeLong) {
  std::string text;
  for (int n = 0; n < 5'000'000; ++n) text += n % 2 == 0 ? "a " : "b ";
  SymbolTable vocabulary;
  const Tokens tokens = ParseTrainingText(text, "", vocabulary);
  ASSERT_EQ(tokens.size(), 5'000'001u);
  EXPECT_EQ(vocabulary.names(), (Names{"a", "b", "<eos>"}));
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), 1), 2'500'000);
  EXPECT_EQ(tokens.back(), 2);
}

TEST(ParseTrainingText, RefusesTooManyWords) {
  std::string text;
  for (int n = 0; n < kMaxVocabulary - 1; ++n) text += std::to_string(n) + '\n';
  SymbolTable vocabulary;
  EXPECT_EQ(ParseTrainingText(text, "", vocabulary).size(), 2u * 999'999);
  EXPECT_EQ(vocabulary.size(), 1'000'000);
  EXPECT_EQ(TrainingRefusal(text + "5 a"),
            "[pushdown::ParseTrainingText] file: line 1000000: there may be no more than 1000000 "
            "different words, <eos> included");
}

TEST(ParseText, NumbersWordsByTheVocabulary) {
  const SymbolTable vocabulary = Vocabulary({"b", "<eos>", "a"});
  EXPECT_EQ(ParseText(kMark + "a b\r\n\na", "", vocabulary), (Tokens{2, 0, 1, 1, 2, 1}));
  EXPECT_EQ(ParseText("\n\n", "", vocabulary), (Tokens{1, 1})) << "sentences may all be empty";
}

TEST(ParseText, UnknownWordsAreOneIfTheVocabularyHasIt) {
  const SymbolTable vocabulary = Vocabulary({"a", "<unk>", "<eos>"});
  EXPECT_EQ(ParseText("b a c\n<unk>\n", "", vocabulary), (Tokens{1, 0, 1, 2, 1, 2}));
}

TEST(ParseText, ListsUnknownWords) {
  const SymbolTable vocabulary = Vocabulary({"a", "<eos>"});
  const std::string advice =
      "; put <unk> into the training text in place of rare words, or check that the files belong "
      "together";
  EXPECT_EQ(Refusal("a\n\na c\n", vocabulary),
            "[pushdown::ParseText] file: has words that are not in the vocabulary of the training "
            "text, 1 in all and the first on line 3: \"c\"" +
                advice);
  EXPECT_EQ(Refusal("a c d\nc e a\nf g\n", vocabulary),
            "[pushdown::ParseText] file: has words that are not in the vocabulary of the training "
            "text, 5 in all and the first on line 1: \"c\", \"d\", \"e\", \"f\", \"g\"" +
                advice);
  EXPECT_EQ(Refusal("a c d\nc e a\nf g h\n<unk>\n", vocabulary),
            "[pushdown::ParseText] file: has words that are not in the vocabulary of the training "
            "text, 7 in all and the first on line 1: \"c\", \"d\", \"e\", \"f\", \"g\", ..." +
                advice);
}

TEST(ParseText, SuggestsWordsThatAreNearTheFirstUnknownOnes) {
  const SymbolTable vocabulary = Vocabulary({"a", "the", "cat", "mouse", "chase", "<eos>"});
  const std::string message = Refusal("a mosue\nshase teh cat\n", vocabulary);
  const std::string words =
      "\"mosue\" (did you mean mouse?), \"shase\" (did you mean chase?), \"teh\"; put";
  EXPECT_NE(message.find("the first on line 1: " + words), std::string::npos) << message;
}

TEST(ParseText, RefusesWhatTrainingTextsMayNotHave) {
  const SymbolTable vocabulary = Vocabulary({"a", "<unk>", "<eos>"});
  const std::string file = "[pushdown::ParseText] file: ";
  EXPECT_EQ(Refusal("", vocabulary), file + "is empty");
  EXPECT_EQ(Refusal("a <eos>\n", vocabulary),
            file +
                "line 1, position 2: \"<eos>\" is put at the end of each line by itself, and must "
                "not be there");
  EXPECT_EQ(Refusal("\n\xff", vocabulary), file + "line 2, position 1: \"?\" is not UTF-8");
  EXPECT_EQ(Refusal("\0"s, vocabulary),
            file + "line 1, position 1: \"?\" has a control character, and is not text");
  EXPECT_EQ(Refusal("a", Vocabulary({"a"})),
            file + "cannot be read with a vocabulary that lacks <eos>");
}

TEST(TextFile, FindsTheFilesOfAName) {
  for (const std::string name : {"ptb.", "", "a.b.", "my text.", "train.txt."}) {
    const TemporaryDirectory directory;
    directory.Write(name + "train.txt", "a\n");
    directory.Write(name + "valid.txt", "a\n");
    directory.Write("README", "");
    directory.Write("train.txt.bak", "");
    directory.Write("constrain.txt", "");  // ends with another word than train.txt
    directory.Write("._x.train.txt", "");  // hidden
    directory.Write("x/y.train.txt", "");  // deeper
    directory.Write("main.vocab", "a\n");
    const std::string start = directory.path() + "/" + name;
    EXPECT_EQ(TextFile(directory.path(), TextSplit::kTraining), start + "train.txt");
    EXPECT_EQ(TextFile(directory.path(), TextSplit::kValidation), start + "valid.txt");
    EXPECT_EQ(TextFile(directory.path(), TextSplit::kTest), "");
    directory.Write(name + "test.txt", "a\n");
    EXPECT_EQ(TextFile(directory.path() + "/", TextSplit::kTest), start + "test.txt");
  }
}

TEST(TextFile, FindsFilesOfADataDirectory) {
  const TemporaryDirectory directory;
  directory.Write("main.tok", "a\n");
  directory.Write("datasets/validation/main.tok", "a\n");
  EXPECT_EQ(TextFile(directory.path(), TextSplit::kTraining), directory.path() + "/main.tok");
  EXPECT_EQ(TextFile(directory.path(), TextSplit::kValidation),
            directory.path() + "/datasets/validation/main.tok");
  EXPECT_EQ(TextFile(directory.path(), TextSplit::kTest), "");
  directory.Write("datasets/test/main.tok", "a\n");
  EXPECT_EQ(TextFile(directory.path(), TextSplit::kTest),
            directory.path() + "/datasets/test/main.tok");
}

TEST(TextFile, NeedsOnlyTheFileThatIsAskedFor) {
  const TemporaryDirectory directory;
  directory.Write("ptb.test.txt", "a\n");
  EXPECT_EQ(TextFile(directory.path(), TextSplit::kTest), directory.path() + "/ptb.test.txt");
  EXPECT_EQ(FileRefusal(directory.path()),
            "[pushdown::TextFile] " + directory.path() + ": has no ptb.train.txt");
  EXPECT_EQ(FileRefusal(directory.path(), TextSplit::kValidation),
            "[pushdown::TextFile] " + directory.path() + ": has no ptb.valid.txt");

  const TemporaryDirectory main;
  main.Write("datasets/test/main.tok", "a\n");
  EXPECT_EQ(TextFile(main.path(), TextSplit::kTest), main.path() + "/datasets/test/main.tok");
  EXPECT_EQ(FileRefusal(main.path(), TextSplit::kValidation),
            "[pushdown::TextFile] " + main.path() + ": has no datasets/validation/main.tok");
}

TEST(TextFile, SaysWhatItLookedFor) {
  const TemporaryDirectory directory;
  EXPECT_EQ(FileRefusal(directory.path()), "[pushdown::TextFile] " + directory.path() +
                                               ": has no texts; it should have " + kWanted);
  const std::string missing = directory.path() + "/missing";
  EXPECT_EQ(FileRefusal(missing), "[pushdown::TextFile] " + missing +
                                      ": cannot be read: No such file or directory; it should be a "
                                      "directory with " +
                                      kWanted);
  directory.Write("file", "a\n");
  EXPECT_EQ(FileRefusal(directory.path() + "/file"),
            "[pushdown::TextFile] " + directory.path() +
                "/file: cannot be read: Not a directory; it should be a directory with " + kWanted);
  EXPECT_NE(FileRefusal(""), "read");
}

TEST(TextFile, RefusesSeveralNames) {
  const TemporaryDirectory directory;
  for (const char* file : {"ptb.train.txt", "ptb.valid.txt", "ptb.char.valid.txt", "test.txt"}) {
    directory.Write(file, "a\n");
  }
  for (const TextSplit split : {TextSplit::kTraining, TextSplit::kValidation, TextSplit::kTest}) {
    EXPECT_EQ(FileRefusal(directory.path(), split),
              "[pushdown::TextFile] " + directory.path() +
                  ": has texts of several names, such as \"test.txt\", \"ptb.train.txt\", "
                  "\"ptb.char.valid.txt\"; each name should have a directory of its own");
  }
  for (const char* name : {"a", "b", "c"}) directory.Write(name + ".train.txt"s, "a\n");
  EXPECT_EQ(FileRefusal(directory.path()),
            "[pushdown::TextFile] " + directory.path() +
                ": has texts of several names, such as \"test.txt\", \"a.train.txt\", "
                "\"b.train.txt\", \"c.train.txt\", \"ptb.train.txt\", ...; each name should "
                "have a directory of its own");
}

TEST(TextFile, RefusesTwoKinds) {
  const TemporaryDirectory directory;
  directory.Write("ptb.train.txt", "a\n");
  directory.Write("datasets/validation/main.tok", "a\n");
  EXPECT_EQ(FileRefusal(directory.path()),
            "[pushdown::TextFile] " + directory.path() +
                ": has texts of two kinds, such as \"ptb.train.txt\" and "
                "\"datasets/validation/main.tok\"; it should have " +
                kWanted);
}

void ExpectSmallCorpus(const TextCorpus& corpus) {
  EXPECT_EQ(corpus.vocabulary.names(), (Names{"a", "b", "<eos>", "<unk>"}));
  EXPECT_EQ(corpus.training, (Tokens{0, 1, 2, 2, 1, 3, 2}));
  EXPECT_EQ(corpus.validation, (Tokens{1, 3, 2}));
  EXPECT_EQ(corpus.test, (Tokens{0, 2}));
}

TEST(ReadTextCorpus, ReadsBothKindsOfDirectories) {
  const TemporaryDirectory named;
  named.Write("ptb.train.txt", "a b\n\nb <unk>\n");
  named.Write("ptb.valid.txt", "b c\n");
  named.Write("ptb.test.txt", "a\n");
  ExpectSmallCorpus(ReadTextCorpus(named.path(), kEnough));

  const TemporaryDirectory main;
  main.Write("main.tok", "a b\n\nb <unk>\n");
  main.Write("main.vocab", "is not read\n");
  main.Write("datasets/validation/main.tok", "b c\n");
  main.Write("datasets/test/main.tok", "a\n");
  ExpectSmallCorpus(ReadTextCorpus(main.path(), kEnough));
}

TEST(ReadTextCorpus, TestSetMayBeMissing) {
  const TemporaryDirectory directory;
  directory.Write("train.txt", "a\n");
  directory.Write("valid.txt", "a a\n");
  const TextCorpus corpus = ReadTextCorpus(directory.path(), kEnough);
  EXPECT_EQ(corpus.vocabulary.names(), (Names{"a", "<eos>"})) << "one word is enough";
  EXPECT_EQ(corpus.training, (Tokens{0, 1}));
  EXPECT_EQ(corpus.validation, (Tokens{0, 0, 1}));
  EXPECT_EQ(corpus.test, Tokens());
}

TEST(ReadTextCorpus, NamesTheFileThatIsWrong) {
  for (const std::string file : {"train.txt", "valid.txt", "test.txt"}) {
    const TemporaryDirectory directory;
    for (const char* each : {"train.txt", "valid.txt", "test.txt"}) directory.Write(each, "a\n");
    const std::string path = directory.path() + "/" + file;
    directory.Write(file, "");
    EXPECT_TRUE(CorpusRefusal(directory.path()).ends_with("] " + path + ": is empty")) << file;
    directory.Write(file, "a\na a\xff\n");
    EXPECT_TRUE(CorpusRefusal(directory.path())
                    .ends_with("] " + path + ": line 2, position 2: \"a?\" is not UTF-8"))
        << file;
    directory.Write(file, std::string(2'000'001, '\n'));
    EXPECT_EQ(CorpusRefusal(directory.path(), 2e6),
              "[pushdown::ReadFile] " + path + ": has more than 2 MB, which is too much to read");
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_EQ(CorpusRefusal(directory.path()),
              "[pushdown::ReadFile] " + path + ": cannot be read: Is a directory");
    std::filesystem::remove(path);
    EXPECT_EQ(CorpusRefusal(directory.path()),
              file == "test.txt" ? "read"
                                 : "[pushdown::TextFile] " + directory.path() + ": has no " + file);
  }
}

TEST(TextCorpus, WordsAreTextAndNoTerminalCommands) {
  for (const char* word : {"a", "<unk>", "N", "n't", "\u00e9t\u00e9", "\u00a0", "\u4e2d"}) {
    EXPECT_EQ(WordFault(word), nullptr) << word;
  }
  for (const char* word : {"\x1b[31m", "a\x7f", "\u009b31m", "\u0080", "\xff", "\xc2"}) {
    EXPECT_NE(WordFault(word), nullptr) << word;
  }
}

}  // namespace
}  // namespace pushdown
