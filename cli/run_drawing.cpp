#include "cli/run_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/drawing.h"
#include "cli/terminal.h"

namespace pushdown::cli {
namespace {

constexpr std::size_t kMargin = 6;  // for what the rows are called

std::size_t WidestName(std::span<const std::string> names) {
  std::size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, Columns(name));
  return widest;
}

struct Configuration {
  int state = 0;
  std::vector<int> stack;
};

// The configurations of some times, next to each other.
std::string DrawPiece(std::span<const Configuration> piece, int first, std::size_t width,
                      const RunDrawing& drawing) {
  std::size_t highest = 0;
  std::size_t lowest = piece.front().stack.size();
  for (const Configuration& at : piece) {
    highest = std::max(highest, at.stack.size());
    lowest = std::min(lowest, at.stack.size());
  }
  const auto row = [&](const char* label, const auto& cell) {
    std::string line = Padded(label, kMargin);
    for (std::size_t n = 0; n < piece.size(); ++n) {
      line += Padded(NameText(cell(n), width - 1), width);
    }
    return LineText(std::move(line));
  };
  // What lies at the bottom of all stacks says little, and many rows of it say no more than one.
  constexpr std::size_t kShown = 3;
  const std::size_t hidden = lowest > kShown + 1 ? lowest - kShown : 0;
  std::string text;
  for (std::size_t height = highest; height-- > hidden;) {
    text += row(height + 1 == highest ? "stack" : "", [&](std::size_t n) {
      const std::vector<int>& stack = piece[n].stack;
      if (height >= stack.size()) return std::string();
      return drawing.symbols[static_cast<std::size_t>(stack[height])];
    });
  }
  if (hidden > 0) {
    text += fmt::format("{:<{}}({} more below)\n", "", kMargin, hidden);
  }
  text += row("state", [&](std::size_t n) {
    return drawing.states[static_cast<std::size_t>(piece[n].state)];
  });
  text += row("read", [&](std::size_t n) {
    const int t = first + static_cast<int>(n);
    return t == 0 ? std::string() : drawing.inputs[static_cast<std::size_t>(t - 1)];
  });
  return text +
         row("step", [&](std::size_t n) { return std::to_string(first + static_cast<int>(n)); });
}

}  // namespace

std::string DrawRun(const AutomatonRun& run, const RunDrawing& drawing) {
  constexpr std::size_t kWidest = 9;
  std::vector<Configuration> configurations;
  run.ForEachConfiguration([&](int t, int state, std::span<const int> stack) {
    if (t < drawing.first || t > drawing.last) return;
    configurations.push_back({state, {stack.begin(), stack.end()}});
  });
  const std::size_t widest_number = std::to_string(drawing.last).size();
  const std::size_t width =
      std::clamp<std::size_t>(1 + std::max({WidestName(drawing.states), WidestName(drawing.symbols),
                                            WidestName(drawing.inputs), widest_number}),
                              3, kWidest);
  const std::size_t most = (DrawingWidth() - kMargin) / width;
  std::string text;
  for (std::size_t begin = 0; begin < configurations.size(); begin += most) {
    const std::size_t size = std::min(most, configurations.size() - begin);
    if (begin > 0) text += "\n";
    text += DrawPiece(std::span<const Configuration>(configurations).subspan(begin, size),
                      drawing.first + static_cast<int>(begin), width, drawing);
  }
  return text;
}

std::string RunTable(const AutomatonRun& run, const RunDrawing& drawing) {
  using enum DrawingTable::Cells;
  DrawingTable table(
      {{"step", kNumbers}, {"read", kNames}, {"transition", kNames}, {"stack", kStacks}});
  // The top of a stack, as far as a line could have room for it.
  const auto stack_text = [&](std::span<const int> stack) {
    std::string text;
    for (std::size_t n = stack.size(); n-- > 0 && Columns(text) <= DrawingWidth();) {
      text.insert(0,
                  drawing.symbols[static_cast<std::size_t>(stack[n])] + (text.empty() ? "" : " "));
    }
    return text;
  };
  int last_state = 0;
  int last_top = 0;
  run.ForEachConfiguration([&](int t, int state, std::span<const int> stack) {
    if (t >= drawing.first && t <= drawing.last) {
      const auto step = static_cast<std::size_t>(t);
      table.Add({std::to_string(t), t == 0 ? "(start)" : drawing.inputs[step - 1],
                 t == 0 ? ""
                        : TransitionText(last_state, last_top, run.transitions[step - 1],
                                         drawing.states, drawing.symbols),
                 stack_text(stack)});
    }
    last_state = state;
    last_top = stack.back();
  });
  return table.Text();
}

std::string TransitionText(int state, int symbol, const RunTransition& transition,
                           std::span<const std::string> states,
                           std::span<const std::string> symbols) {
  const auto name = [](std::span<const std::string> names, int n) -> const std::string& {
    return names[static_cast<std::size_t>(n)];
  };
  std::string text = fmt::format("{} {} {}", name(states, state), name(symbols, symbol),
                                 OperationName(transition.operation));
  if (transition.operation != StackOperation::kPop) text += " " + name(symbols, transition.symbol);
  if (transition.state != state) text += " → " + name(states, transition.state);
  return text;
}

std::vector<int> DifferentSteps(const AutomatonRun& run, const AutomatonRun& other) {
  std::vector<int> steps;
  for (std::size_t t = 0; t < run.transitions.size(); ++t) {
    if (run.transitions[t] != other.transitions[t]) steps.push_back(static_cast<int>(t) + 1);
  }
  return steps;
}

}  // namespace pushdown::cli
