#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// Far beyond what can be trained, and small enough that products fit an int.
inline constexpr int kMaxHiddenUnits = 1 << 14;

// A language model: an LSTM that drives a stack, or none. Symbols are numbered 0 .. symbols-1.
// A model of strings has one-hot input, and the end of a string is the output after the symbols. A
// model of running text has embeddings, and the end of a sentence is one of the symbols.
struct ModelSpec {
  std::optional<StackSpec> stack = {};  // nothing: the LSTM alone
  bool push_hidden = false;             // "sup-h": the hidden state itself is pushed
  int hidden_units = 20;
  int symbols = 1;
  int embedding_size = 0;  // 0: a model of strings

  bool is_text() const { return embedding_size > 0; }
  // What stands for a symbol in the controller's input.
  int input_size() const { return is_text() ? embedding_size : symbols; }
  int outputs() const { return is_text() ? symbols : symbols + 1; }
  int end() const { return symbols; }  // of a string
  int reading_size() const;
  // The null pointer if the stack is of the other kind.
  const SuperpositionStackSpec* superposition() const;
  const NondeterministicStackSpec* nondeterministic() const;
};

// Reads "lstm", "sup-h" or the name of a stack; "lstm-256" and "sup-h-247" have the number of
// hidden units in their name, which goes before. Throws Error.
ModelSpec ParseModelSpec(std::string_view name, int hidden_units, int symbols);
// The same for a model of running text, whose stacks must not grow without end. The numbers are
// those of the paper's section 6.
struct TextModelOptions {
  int embedding_size = 0;  // 0: as many as hidden units
  int window = 35;         // of rns and vrns
  int depth_limit = 10;    // of sup
};
ModelSpec ParseTextModelSpec(std::string_view name, int hidden_units, int words,
                             const TextModelOptions& options = {});
// The canonical name; hidden units and options of the stack are not part of it.
std::string ModelName(const ModelSpec& spec);
// Throws Error if a size is out of range or options do not go together.
void Validate(const ModelSpec& spec);

}  // namespace pushdown
