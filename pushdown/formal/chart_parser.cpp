#include "pushdown/formal/chart_parser.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

struct Entry {
  int symbol;
  Weight weight;
};

// Sorted by symbol; each symbol is there once.
using Cell = std::vector<Entry>;

void Add(Cell& cell, int symbol, const Weight& weight) {
  const auto place =
      std::lower_bound(cell.begin(), cell.end(), symbol,
                       [](const Entry& entry, int other) { return entry.symbol < other; });
  if (place != cell.end() && place->symbol == symbol) {
    place->weight += weight;
  } else {
    cell.insert(place, {symbol, weight});
  }
}

// By symbol, the constituents that end at a position and can be the left part of a larger one.
struct Column {
  struct Group {  // items [begin, end) of one symbol
    int symbol;
    int begin;
    int end;
  };
  std::vector<Constituent> items;
  std::vector<Group> groups;

  void BuildGroups() {
    std::stable_sort(items.begin(), items.end(), [](const Constituent& a, const Constituent& b) {
      return a.symbol < b.symbol;
    });
    for (int n = 0; n < static_cast<int>(items.size()); ++n) {
      if (groups.empty() || groups.back().symbol != items[n].symbol) {
        groups.push_back({items[n].symbol, n, n});
      }
      groups.back().end = n + 1;
    }
  }
};

// Calls visit(partner, group) for each partner and group of the column with the same left symbol.
// Looks up each entry of the shorter list in the longer one.
template <typename Visit>
void ForEachMatch(std::span<const NormalGrammar::Partner> partners, const Column& column,
                  const Visit& visit) {
  if (partners.size() < column.groups.size()) {
    for (const NormalGrammar::Partner& partner : partners) {
      const auto group =
          std::lower_bound(column.groups.begin(), column.groups.end(), partner.left,
                           [](const Column::Group& a, int symbol) { return a.symbol < symbol; });
      if (group != column.groups.end() && group->symbol == partner.left) visit(partner, *group);
    }
  } else {
    for (const Column::Group& group : column.groups) {
      const auto partner = std::lower_bound(
          partners.begin(), partners.end(), group.symbol,
          [](const NormalGrammar::Partner& a, int symbol) { return a.left < symbol; });
      if (partner != partners.end() && partner->left == group.symbol) visit(*partner, group);
    }
  }
}

// Fills the columns, one for each end; returns the weight of the string, which is not empty.
Weight Parse(const NormalGrammar& grammar, std::span<const int> string,
             std::vector<Column>& columns) {
  const int length = static_cast<int>(string.size());
  columns.resize(string.size() + 1);
  std::vector<Cell> cells(string.size());  // of the current column, by start
  std::size_t item_count = 0;
  for (int end = 1; end <= length; ++end) {
    const int terminal = string[end - 1];
    Add(cells[end - 1], terminal, 1);
    for (const auto& parent : grammar.TerminalParents(terminal)) {
      Add(cells[end - 1], parent.symbol, parent.weight);
    }
    // Later starts first: every constituent ends with a shorter one that starts later.
    for (int middle = end - 1; middle >= 0; --middle) {
      CheckInterruption();
      for (const Entry& right : cells[middle]) {
        const NormalGrammar::PairRange pairs = grammar.PairsWithLeft(right.symbol);
        if (pairs.first < pairs.last) {
          columns[end].items.push_back({right.symbol, middle, right.weight});
        }
        const Column& before = columns[middle];
        ForEachMatch(grammar.Partners(right.symbol), before,
                     [&](const NormalGrammar::Partner& partner, const Column::Group& group) {
                       for (int n = group.begin; n < group.end; ++n) {
                         const Weight weight = before.items[n].weight * right.weight;
                         for (const auto& parent : grammar.PairParents(partner.pair)) {
                           Add(cells[before.items[n].start], parent.symbol, parent.weight * weight);
                         }
                       }
                     });
      }
      if (end == length && middle == 0) break;
      cells[middle].clear();
    }
    columns[end].BuildGroups();
    item_count += columns[end].items.size();
    if (item_count > kMaxChartItems) {
      throw Error(ErrorKind::kLimit, "pushdown::StringWeight",
                  "a string of " + std::to_string(length) +
                      " symbols has too many constituents to be parsed");
    }
  }
  for (const Entry& entry : cells[0]) {
    if (entry.symbol == grammar.start()) return entry.weight;
  }
  return 0;
}

}  // namespace

Weight StringWeight(const NormalGrammar& grammar, std::span<const int> string) {
  if (string.empty()) return grammar.epsilon_weight();
  std::vector<Column> columns;
  return Parse(grammar, string, columns);
}

std::vector<std::vector<Constituent>> LeftConstituents(const NormalGrammar& grammar,
                                                       std::span<const int> string) {
  std::vector<Column> columns(1);
  if (!string.empty()) Parse(grammar, string, columns);
  std::vector<std::vector<Constituent>> constituents;
  for (Column& column : columns) constituents.push_back(std::move(column.items));
  return constituents;
}

}  // namespace pushdown
