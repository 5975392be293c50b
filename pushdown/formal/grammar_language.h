#pragma once

#include <functional>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/inside_weights.h"
#include "pushdown/formal/language.h"
#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// The language of a grammar; the weight of a string is its probability under the grammar.
class GrammarLanguage : public Language {
 public:
  GrammarLanguage(Grammar grammar, int max_length,
                  const std::function<void(double)>& progress = {});

  const Grammar& grammar() const { return grammar_; }

 private:
  double DoLogWeightOfLength(int length) const override;
  double DoLogWeight(std::span<const int> string) const override;
  std::vector<std::vector<double>> DoLogPrefixWeights(std::span<const int> string,
                                                      int longest) const override;
  std::optional<Objection> DoFindObjection(std::span<const int> string) const override;
  std::vector<int> DoSample(int length, Random& random) const override;

  Grammar grammar_;
  NormalGrammar normal_;
  InsideWeights inside_;
};

}  // namespace pushdown
