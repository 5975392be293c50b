#include "pushdown/analysis/best_runs.h"

#include <algorithm>

namespace pushdown {
namespace {

// In place of the time k of a pop.
constexpr int kReplacement = -1;

}  // namespace

std::size_t BestRuns::ItemHash::operator()(const Item& item) const {
  std::uint64_t hash = static_cast<std::uint64_t>(item.kind);
  for (const int part : {item.i, item.t, item.source, item.target}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

BestRuns::BestRuns(const BestWeights& weights, std::optional<int> last_pair)
    : weights_(weights), last_pair_(last_pair) {}

double BestRuns::BestOf(const Item& item) const {
  switch (item.kind) {
    case Item::Kind::kAlpha:
      return weights_.Alpha(item.t, item.target);
    case Item::Kind::kGamma:
      return weights_.Gamma(item.i, item.t, item.source, item.target);
    case Item::Kind::kPopped:
      return weights_.Popped(item.i, item.t, item.source, item.target);
    case Item::Kind::kGoal:
      break;
  }
  return BestWeights::kImpossible;  // nothing has the goal as a part
}

template <typename Visit>
void BestRuns::ForEachTerm(const Item& item, const Visit& visit) const {
  const int pairs = weights_.spec().pairs();
  switch (item.kind) {
    case Item::Kind::kGoal:
      for (int target = 0; target < pairs; ++target) {
        if (!last_pair_ || *last_pair_ == target) visit(Term{target, 0});
      }
      return;
    case Item::Kind::kAlpha:
      if (item.t == 0) return visit(Term{});
      for (int i = weights_.low(item.t); i < item.t; ++i) {
        const int sources = i < 0 ? 1 : pairs;  // under row -1 there is only the start
        for (int source = 0; source < sources; ++source) visit(Term{i, source});
      }
      return;
    case Item::Kind::kGamma:
      if (item.i == item.t - 1) return visit(Term{});
      for (int from = 0; from < pairs; ++from) visit(Term{kReplacement, from});
      for (int k = item.i + 1; k <= item.t - 2; ++k) {
        for (int u = 0; u < weights_.spec().states; ++u) visit(Term{k, u});
      }
      return;
    case Item::Kind::kPopped:
      for (int from = 0; from < pairs; ++from) visit(Term{from, 0});
      return;
  }
}

BestRuns::Tails BestRuns::TailsOf(const Item& item, const Term& term) const {
  const StepLogits& logits = weights_.logits();
  const int symbols = weights_.spec().symbols;
  const auto alpha = [](int t, int target) { return Item{Item::Kind::kAlpha, 0, t, 0, target}; };
  const auto gamma = [](int i, int t, int source, int target) {
    return Item{Item::Kind::kGamma, i, t, source, target};
  };
  switch (item.kind) {
    case Item::Kind::kGoal:
      return {1, {alpha(logits.steps(), term.first)}};
    case Item::Kind::kAlpha: {
      if (item.t == 0) return {};
      const Item top = gamma(term.first, item.t, term.second, item.target);
      if (term.first < 0) return {1, {top}};
      return {2, {alpha(term.first, term.second), top}};
    }
    case Item::Kind::kGamma: {
      if (item.t == 0) return {};
      if (item.i == item.t - 1) {
        return {0, {}, logits.Push(item.t, item.source, item.target)};
      }
      if (term.first == kReplacement) {
        return {1,
                {gamma(item.i, item.t - 1, item.source, term.second)},
                logits.Replace(item.t, term.second, item.target)};
      }
      const int uncovered = term.second * symbols + item.target % symbols;
      return {2,
              {gamma(item.i, term.first, item.source, uncovered),
               Item{Item::Kind::kPopped, term.first, item.t, uncovered, item.target / symbols}}};
    }
    case Item::Kind::kPopped:
      return {1,
              {gamma(item.i, item.t - 1, item.source, term.first)},
              logits.Pop(item.t, term.first, item.target)};
  }
  return {};
}

BestRuns::Known& BestRuns::Find(const Item& item) {
  const auto [place, is_new] = known_.try_emplace(item);
  Known& known = place->second;
  if (!is_new) return known;
  ForEachTerm(item, [&](const Term& term) {
    const Tails tails = TailsOf(item, term);
    double log_weight = tails.log_weight;
    for (int n = 0; n < tails.count; ++n) log_weight += BestOf(tails.items[n]);
    if (log_weight > BestWeights::kImpossible) known.candidates.push_back({log_weight, term});
  });
  std::make_heap(known.candidates.begin(), known.candidates.end());
  known.exhausted = known.candidates.empty();
  return known;
}

void BestRuns::Ensure(const Item& item, int rank) {
  // Derivations are as deep as the sequence is long: too deep for recursion.
  std::vector<std::pair<Item, int>> needed = {{item, rank}};
  while (!needed.empty()) {
    const auto [each, its_rank] = needed.back();
    if (const auto before = Advance(each, its_rank)) {
      needed.push_back(*before);
    } else {
      needed.pop_back();
    }
  }
}

std::optional<std::pair<BestRuns::Item, int>> BestRuns::Advance(const Item& item, int rank) {
  Known& known = Find(item);
  while (!known.exhausted && known.best.size() <= static_cast<std::size_t>(rank)) {
    if (!known.best.empty()) {
      // The successors of ranks (a, b) are (a, b + 1) and, if b is 0, (a + 1, b): so every pair of
      // ranks is the successor of one other only.
      const Derivation newest = known.best.back();
      const Tails tails = TailsOf(item, newest.term);
      const int successors = tails.count == 2 && newest.ranks[1] > 0 ? 1 : tails.count;
      while (known.successors < successors) {
        const int tail = tails.count - 1 - known.successors;
        Derivation next = newest;
        const int next_rank = ++next.ranks[tail];
        const Known& part = Find(tails.items[tail]);
        if (part.best.size() > static_cast<std::size_t>(next_rank)) {
          next.log_weight = tails.log_weight;
          for (int n = 0; n < tails.count; ++n) {
            next.log_weight += next.ranks[n] == 0
                                   ? BestOf(tails.items[n])
                                   : DerivationOf(tails.items[n], next.ranks[n]).log_weight;
          }
          known.candidates.push_back(next);
          std::push_heap(known.candidates.begin(), known.candidates.end());
        } else if (!part.exhausted) {
          return std::pair(tails.items[tail], next_rank);
        }
        ++known.successors;
      }
    }
    if (known.candidates.empty()) {
      known.exhausted = true;
      break;
    }
    std::pop_heap(known.candidates.begin(), known.candidates.end());
    known.best.push_back(known.candidates.back());
    known.candidates.pop_back();
    known.successors = 0;
  }
  return {};
}

BestRuns::Derivation BestRuns::DerivationOf(const Item& item, int rank) const {
  const auto place = known_.find(item);
  if (place != known_.end() && place->second.best.size() > static_cast<std::size_t>(rank)) {
    return place->second.best[static_cast<std::size_t>(rank)];
  }
  // The best one can be found without the others.
  Derivation best = {.log_weight = BestWeights::kImpossible};
  ForEachTerm(item, [&](const Term& term) {
    const Tails tails = TailsOf(item, term);
    Derivation derivation = {tails.log_weight, term};
    for (int n = 0; n < tails.count; ++n) derivation.log_weight += BestOf(tails.items[n]);
    if (best < derivation) best = derivation;
  });
  return best;
}

void BestRuns::Write(const Item& item, int rank, std::vector<RunTransition>& transitions) const {
  const int symbols = weights_.spec().symbols;
  std::vector<std::pair<Item, int>> parts = {{item, rank}};
  while (!parts.empty()) {
    const auto [part, part_rank] = parts.back();
    parts.pop_back();
    const Derivation derivation = DerivationOf(part, part_rank);
    if (part.kind == Item::Kind::kGamma && part.t > 0) {
      RunTransition& transition = transitions[static_cast<std::size_t>(part.t - 1)];
      transition = {part.i == part.t - 1                    ? StackOperation::kPush
                    : derivation.term.first == kReplacement ? StackOperation::kReplace
                                                            : StackOperation::kPop,
                    part.target / symbols, part.target % symbols};
      if (transition.operation == StackOperation::kPop) transition.symbol = -1;
    }
    const Tails tails = TailsOf(part, derivation.term);
    for (int n = 0; n < tails.count; ++n) parts.emplace_back(tails.items[n], derivation.ranks[n]);
  }
}

std::optional<AutomatonRun> BestRuns::Next() {
  const Item goal;
  Ensure(goal, next_);
  if (Find(goal).best.size() <= static_cast<std::size_t>(next_)) return {};
  AutomatonRun run;
  run.log_weight = DerivationOf(goal, next_).log_weight;
  run.transitions.resize(static_cast<std::size_t>(weights_.logits().steps()));
  Write(goal, next_, run.transitions);
  ++next_;
  return run;
}

}  // namespace pushdown
