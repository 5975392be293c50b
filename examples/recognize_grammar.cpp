// Makes a network that recognises the language of a grammar, and asks it about strings. Nothing is
// trained.

#include <pushdown/formal/grammar_format.h>
#include <pushdown/recognizer/compile.h>

#include <cstdio>

int main() {
  using namespace pushdown;
  const LanguageSource source = {"a^n b^n", ParseGrammar("S -> a S b | eps").grammar};
  const CompiledRecognizer compiled = CompileRecognizer({&source, 1});
  Recognizer recognizer(compiled.automaton, compiled.network, /*max_length=*/100);
  const int a = *compiled.automaton.inputs.Find("a");
  const int b = *compiled.automaton.inputs.Find("b");
  for (const std::vector<int>& string : {std::vector<int>{a, a, b, b}, std::vector<int>{a, b, b}}) {
    std::printf("%s\n", recognizer.Recognize(string).accepted ? "accepted" : "rejected");
  }
}
