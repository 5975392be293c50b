// A pushdown automaton that recognises even palindromes has to guess where the middle is. Here it
// is, written by hand as transition weights and driven through the differentiable stack, which
// follows all guesses at once; the reading at every step is drawn in the terminal.

#include <pushdown/kernels/nondeterministic_stack.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

enum State { kFirstHalf, kSecondHalf, kStates };
enum Symbol { kBottom, kZero, kOne, kSymbols };

constexpr pushdown::NondeterministicStackSpec kSpec{.states = kStates, .symbols = kSymbols};

int Pair(int state, int symbol) { return state * kSymbols + symbol; }

// Logits of the transitions on reading `symbol`: [pair][push pair | replace pair | pop state].
std::vector<double> Transitions(Symbol symbol) {
  std::vector<double> logits(kSpec.logits_size(), -std::numeric_limits<double>::infinity());
  const auto of = [&logits](int pair) { return logits.data() + pair * kSpec.logits_per_pair(); };
  const int pop = 2 * kSpec.pairs();
  // In the first half, push what is read, whatever is on top ...
  for (int top : {kBottom, kZero, kOne}) {
    of(Pair(kFirstHalf, top))[Pair(kFirstHalf, symbol)] = 0;
  }
  // ... or guess that the middle has just been passed, if what is read matches the top.
  of(Pair(kFirstHalf, symbol))[pop + kSecondHalf] = 0;
  // In the second half, everything has to match. A run that does not dies.
  of(Pair(kSecondHalf, symbol))[pop + kSecondHalf] = 0;
  return logits;
}

// A bar of `width` characters for a probability.
std::string Bar(double probability, int width) {
  static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto eighths = std::lround(probability * width * 8);
  if (probability > 0 && eighths == 0) eighths = 1;
  std::string bar;
  int drawn = 0;
  for (; eighths >= 8; eighths -= 8, ++drawn) bar += "█";
  if (eighths > 0) {
    bar += kEighths[eighths];
    ++drawn;
  }
  return bar + std::string(static_cast<std::size_t>(width - drawn), ' ');
}

void DrawReading(std::size_t t, char symbol, const std::vector<double>& reading) {
  std::printf(" %3zu   %c  ", t, symbol);
  for (std::size_t pair = 0; pair < reading.size(); ++pair) {
    if (pair % kSymbols == 0) std::printf("│ ");
    std::printf("%s", Bar(reading[pair], 7).c_str());
    if (reading[pair] > 0) {
      std::printf("%3.0f%% ", 100 * reading[pair]);
    } else {
      std::printf("  .  ");
    }
  }
  const bool accepts = reading[Pair(kSecondHalf, kBottom)] > 0;
  std::printf("│%s\n", accepts ? " palindrome" : "");
}

bool RunPalindrome(const std::string& input) {
  std::printf(
      "A pushdown automaton reads %s and guesses where the middle is: it pushes what it\n"
      "reads, until it guesses that the second half has begun, and then pops what matches.\n"
      "The stack follows all guesses at once. Its reading is the distribution over state\n"
      "and top of the stack (⊥ is the bottom); what has been read is an even palindrome\n"
      "exactly if some run is in the second half with ⊥ on top.\n\n",
      input.c_str());
  std::printf("          │ %-36s│ %-36s│\n", "in the first half", "in the second half");
  std::printf(
      "step input│ ⊥           0           1           │ ⊥           0           1           │\n");

  pushdown::NondeterministicStack<double> stack(kSpec, static_cast<int>(input.size()),
                                                /*gradients=*/false);
  std::vector<double> reading(kSpec.reading_size());
  stack.Start(nullptr, reading.data());
  DrawReading(0, ' ', reading);
  for (std::size_t t = 1; t <= input.size(); ++t) {
    const char symbol = input[t - 1];
    stack.Step(Transitions(symbol == '0' ? kZero : kOne).data(), nullptr, reading.data());
    DrawReading(t, symbol, reading);
  }
  return reading[Pair(kSecondHalf, kBottom)] > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string input = argc > 1 ? argv[1] : "0110100110010110";
  if (argc > 2 || input.empty() || input.size() > 500 ||
      input.find_first_not_of("01") != std::string::npos) {
    std::fprintf(stderr,
                 "palindrome: expected one string of 1 to 500 zeros and ones, such as 0110\n");
    return 2;
  }
  const bool accepted = RunPalindrome(input);
  std::printf("\n%s is %san even palindrome.\n", input.c_str(), accepted ? "" : "not ");
  return 0;
}
