#include "pushdown/analysis/position_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

using Kind = PositionRule::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 3> kNames = {
    {{"all", Kind::kAll}, {"first-half", Kind::kFirstHalf}, {"second-half", Kind::kSecondHalf}}};
constexpr std::array<std::pair<std::string_view, Kind>, 2> kPrefixes = {
    {{"until:", Kind::kUntil}, {"after:", Kind::kAfter}}};

// Tasks whose strings have two halves, the second of which says the first one again.
constexpr std::array<std::string_view, 6> kTasksOfHalves = {
    "marked-copy",   "marked-reversal", "unmarked-copy-different-alphabets",
    "unmarked-copy", "padded-reversal", "unmarked-reversal"};

}  // namespace

PositionRule ParsePositionRule(std::string_view text, const SymbolTable& vocabulary) {
  for (const auto& [name, kind] : kNames) {
    if (text == name) return {kind};
  }
  for (const auto& [prefix, kind] : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const std::string_view name = text.substr(prefix.size());
    if (const std::optional<int> symbol = vocabulary.Find(name)) return {kind, *symbol};
    throw Error("pushdown::ParsePositionRule",
                fmt::format("{} is not a symbol of the model", Quoted(name)));
  }
  throw Error("pushdown::ParsePositionRule",
              fmt::format("expected all, first-half, second-half, until:SYMBOL or after:SYMBOL, "
                          "found {}",
                          Quoted(text)));
}

std::string PositionRuleText(const PositionRule& rule, const SymbolTable& vocabulary) {
  for (const auto& [name, kind] : kNames) {
    if (rule.kind == kind) return std::string(name);
  }
  return (rule.kind == Kind::kUntil ? "until:" : "after:") + vocabulary.name(rule.symbol);
}

PositionRule DefaultPositionRule(const TrainedModel& model) {
  const LanguageInfo* task = model.language ? model.language->info : nullptr;
  if (task != nullptr &&
      std::find(kTasksOfHalves.begin(), kTasksOfHalves.end(), task->name) != kTasksOfHalves.end()) {
    return {Kind::kSecondHalf};
  }
  const std::optional<int> marker = model.vocabulary.Find("#");
  if (model.kind == DataKind::kStrings && marker) return {Kind::kAfter, *marker};
  return {Kind::kAll};
}

PositionRule OtherPositions(const PositionRule& rule) {
  switch (rule.kind) {
    case Kind::kAll:
      return rule;
    case Kind::kFirstHalf:
      return {Kind::kSecondHalf};
    case Kind::kSecondHalf:
      return {Kind::kFirstHalf};
    case Kind::kUntil:
      return {Kind::kAfter, rule.symbol};
    case Kind::kAfter:
      return {Kind::kUntil, rule.symbol};
  }
  return rule;
}

PositionRange SelectPositions(const PositionRule& rule, std::span<const int> string) {
  const int length = static_cast<int>(string.size());
  const int half = (length + 1) / 2;
  const auto until = [&] {
    const auto found = std::find(string.begin(), string.end(), rule.symbol);
    return found == string.end() ? length : static_cast<int>(found - string.begin()) + 1;
  };
  switch (rule.kind) {
    case Kind::kAll:
      break;
    case Kind::kFirstHalf:
      return {1, half};
    case Kind::kSecondHalf:
      return {half + 1, length};
    case Kind::kUntil:
      return {1, until()};
    case Kind::kAfter:
      return {until() + 1, length};
  }
  return {1, length};
}

}  // namespace pushdown
