#include "cli/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cli/counted.h"
#include "cli/drawing.h"
#include "cli/run_drawing.h"
#include "cli/terminal.h"
#include "pushdown/analysis/transition_marginals.h"
#include "pushdown/printable.h"
#include "pushdown/run/setting_values.h"

namespace pushdown::cli {
namespace {

std::string LogText(double log_p) {
  return std::isfinite(log_p) ? fmt::format("{:.3f}", log_p) : std::string("-inf");
}

// "1" only if it is.
std::string ProbabilityText(double probability) {
  const std::string text = fmt::format("{:.2f}", probability);
  return text == "1.00" && probability < 1 - 1e-6 ? ">.99" : text;
}

// exp(log_count), of which a double knows all digits or none.
std::string CountText(double log_count) {
  constexpr double kLogOfExact = 25;
  return log_count < kLogOfExact ? fmt::format("{:.0f}", std::exp(log_count))
                                 : fmt::format("e^{:.2f}", log_count);
}

class Printer {
 public:
  Printer(const Inspection& inspection, const InspectionTextOptions& options)
      : inspection_(inspection), options_(options) {}

  std::string Heading(const std::string& optimum_fault) const;
  std::string Steps() const;
  std::string Runs() const;
  std::string Samples() const;
  std::string Tops() const;

 private:
  // The cells of each table's beginning: step, symbol, log p and optimum.
  std::vector<std::string> StepCells(int t) const;
  std::vector<std::string> EndCells() const;
  bool HasOptimum() const { return inspection_.optimum.has_value(); }
  std::string PredictionCell(std::size_t n) const;
  std::string OptimumCell(std::size_t n) const;
  std::string HeadText(int state, int symbol) const;
  // The most probable tops of the stack after t steps: probability, bar and name.
  std::vector<std::vector<std::string>> TopCells(int t) const;
  void AddAutomatonSteps(DrawingTable& table) const;
  void AddSuperpositionSteps(DrawingTable& table) const;
  std::string RunText(const AutomatonRun& run) const;

  int steps() const { return inspection_.steps(); }
  int inputs() const { return static_cast<int>(inspection_.inputs.size()); }
  bool Shows(int t) const { return options_.first <= t && t <= options_.last; }

  const Inspection& inspection_;
  const InspectionTextOptions& options_;
};

std::string Printer::Heading(const std::string& optimum_fault) const {
  constexpr std::size_t kMostBytes = 300;
  std::string text = Wrapped(inspection_.string.empty() ? "(the empty string)"
                                                        : Printable(inspection_.string, kMostBytes),
                             DrawingWidth()) +
                     "\n";
  std::string facts =
      fmt::format("{}, {}", inspection_.model, Counted(inspection_.hidden_units, "hidden unit"));
  if (const auto& recognition = inspection_.recognition) {
    facts += recognition->accepted ? *recognition->accepted ? ": accepted" : ": not accepted"
                                   : ": unknown, since numbers are not precise enough";
    facts += fmt::format(", y = {:.6g}; {} runs, with the one that `compile` adds", recognition->y,
                         CountText(recognition->log_runs));
    for (const double mass : recognition->acceptance) {
      facts += fmt::format("; share of accepting runs {:.4g}", mass);
    }
  } else {
    facts += fmt::format(": log p {} nats", LogText(inspection_.log_p));
    if (const auto& optimum = inspection_.optimum) {
      const std::string objection = Printable(optimum->objection, kMostBytes);
      if (optimum->log_p) {
        facts += fmt::format("; optimum {}, of p_L with lengths {}", LogText(*optimum->log_p),
                             RangeText(optimum->lengths));
        if (!objection.empty()) {
          const char* which = !optimum->member   ? "the string"
                              : *optimum->member ? "in the language, but it"
                                                 : "not in the language:";
          facts += fmt::format("; {} {}", which, objection);
        }
      } else {
        facts += "; optimum unknown: " + objection;
      }
    } else if (inspection_.kind == InspectedKind::kStrings) {
      facts += "; no optimum: " + optimum_fault;
    }
  }
  text += Wrapped(facts, DrawingWidth()) + "\n";
  if (inspection_.automaton) {
    if (inspection_.kind != InspectedKind::kRecognizer) {
      text += Wrapped("States are q0, q1, ...; stack symbols are ⊥, the bottom symbol, 0, 1, ...",
                      DrawingWidth()) +
              "\n";
    }
  } else if (inspection_.superposition.empty()) {
    text += "The model has no stack.\n";
  }
  return text;
}

std::string Printer::PredictionCell(std::size_t n) const {
  return LogText(inspection_.predictions[n].log_p);
}

std::string Printer::OptimumCell(std::size_t n) const {
  if (!HasOptimum()) return {};
  const std::optional<double>& log_p = inspection_.predictions[n].optimum_log_p;
  return log_p ? LogText(*log_p) : std::string("-");
}

std::vector<std::string> Printer::StepCells(int t) const {
  if (t == 0) return {"0", "(start)", "", ""};
  std::vector<std::string> cells = {std::to_string(t),
                                    inspection_.inputs[static_cast<std::size_t>(t - 1)]};
  // A text begins with an <eos> that nothing predicts.
  const int prediction = inspection_.kind == InspectedKind::kText ? t - 2 : t - 1;
  const bool predicted =
      prediction >= 0 && prediction < static_cast<int>(inspection_.predictions.size());
  const auto n = static_cast<std::size_t>(prediction);
  cells.push_back(predicted ? PredictionCell(n) : "");
  cells.push_back(predicted ? OptimumCell(n) : "");
  return cells;
}

std::vector<std::string> Printer::EndCells() const {
  const std::size_t last = inspection_.predictions.size() - 1;
  return {"", inspection_.predictions[last].symbol, PredictionCell(last), OptimumCell(last)};
}

std::string Printer::HeadText(int state, int symbol) const {
  const InspectedAutomaton& automaton = *inspection_.automaton;
  return automaton.state_names[static_cast<std::size_t>(state)] + " " +
         automaton.symbol_names[static_cast<std::size_t>(symbol)];
}

// The most probable pairs of state and top symbol, each with a bar or, if there are vectors, with
// what the vectors are on average.
std::vector<std::vector<std::string>> Printer::TopCells(int t) const {
  constexpr std::size_t kBar = 6;
  constexpr std::size_t kMostComponents = 8;
  const InspectedAutomaton& automaton = *inspection_.automaton;
  const std::vector<double>& tops = automaton.tops[static_cast<std::size_t>(t)];
  const std::vector<double>& reading = inspection_.readings[static_cast<std::size_t>(t)];
  std::vector<std::size_t> pairs;
  for (std::size_t pair = 0; pair < tops.size(); ++pair) {
    if (tops[pair] >= options_.min_probability) pairs.push_back(pair);
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](std::size_t a, std::size_t b) { return tops[a] > tops[b]; });
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(options_.top)));
  std::vector<std::vector<std::string>> cells;
  const auto vector_size = static_cast<std::size_t>(automaton.spec.vector_size);
  for (const std::size_t pair : pairs) {
    const int state = static_cast<int>(pair) / automaton.spec.symbols;
    const int symbol = static_cast<int>(pair) % automaton.spec.symbols;
    std::string shape;
    if (vector_size == 0) {
      shape = BarText(tops[pair], kBar);
    } else {
      for (std::size_t n = 0; n < std::min(vector_size, kMostComponents); ++n) {
        shape += BlockText(reading[pair * vector_size + n] / tops[pair]);
      }
      if (vector_size > kMostComponents) shape += "…";
    }
    cells.push_back({ProbabilityText(tops[pair]), shape, HeadText(state, symbol)});
  }
  return cells;
}

void Printer::AddAutomatonSteps(DrawingTable& table) const {
  const InspectedAutomaton& automaton = *inspection_.automaton;
  for (int t = options_.first; t <= std::min(options_.last, inputs()); ++t) {
    std::vector<std::vector<std::string>> transitions;
    if (t >= 1 && t <= steps()) {
      for (const TransitionMarginal& marginal :
           TransitionMarginals(automaton.spec, automaton.marginals, t, options_.min_probability)) {
        if (transitions.size() == static_cast<std::size_t>(options_.top)) break;
        transitions.push_back({ProbabilityText(marginal.probability),
                               TransitionText(marginal.state, marginal.symbol, marginal.transition,
                                              automaton.state_names, automaton.symbol_names)});
      }
    }
    std::vector<std::vector<std::string>> tops;
    if (t <= steps()) tops = TopCells(t);
    const std::size_t lines = std::max({transitions.size(), tops.size(), std::size_t{1}});
    for (std::size_t n = 0; n < lines; ++n) {
      std::vector<std::string> cells = n == 0 ? StepCells(t) : std::vector<std::string>(4);
      const std::vector<std::string> transition =
          n < transitions.size() ? transitions[n] : std::vector<std::string>(2);
      const std::vector<std::string> top = n < tops.size() ? tops[n] : std::vector<std::string>(3);
      cells.insert(cells.end(), transition.begin(), transition.end());
      cells.insert(cells.end(), top.begin(), top.end());
      table.Add(std::move(cells));
    }
  }
}

void Printer::AddSuperpositionSteps(DrawingTable& table) const {
  for (int t = options_.first; t <= std::min(options_.last, inputs()); ++t) {
    if (t > steps()) {
      table.Add(StepCells(t));
      continue;
    }
    const auto step = static_cast<std::size_t>(t);
    for (std::size_t k = 0; k < inspection_.superposition.size(); ++k) {
      const InspectedSuperposition& stack = inspection_.superposition[k];
      std::vector<std::string> cells = k == 0 ? StepCells(t) : std::vector<std::string>(4);
      cells.push_back(std::to_string(k + 1));
      for (std::size_t n = 0; n < 3; ++n) {
        cells.push_back(t >= 1 ? ProbabilityText(stack.actions[step - 1][n]) : "");
      }
      std::string weights;
      std::string norms;
      for (std::size_t depth = 0; depth < stack.weights[step].size(); ++depth) {
        weights += BlockText(stack.weights[step][depth]);
        norms += BlockText(stack.norms[step][depth] / std::sqrt(static_cast<double>(stack.size)));
      }
      cells.push_back(weights);
      cells.push_back(norms);
      table.Add(std::move(cells));
    }
  }
}

std::string Printer::Steps() const {
  using enum DrawingTable::Cells;
  const bool predicts = !inspection_.predictions.empty();
  std::vector<std::pair<std::string, DrawingTable::Cells>> headings = {
      {"step", kNumbers},
      {"read", kNames},
      {predicts ? "log p" : "", kNumbers},
      {HasOptimum() ? "optimum" : "", kNumbers}};
  const bool stacks = !inspection_.superposition.empty();
  if (inspection_.automaton) {
    headings.insert(
        headings.end(),
        {{"", kNumbers}, {"transition", kNames}, {"", kNumbers}, {"", kNumbers}, {"top", kNames}});
  } else if (stacks) {
    // There may be many depths.
    headings.insert(headings.end(), {{"stack", kNumbers},
                                     {"push", kNumbers},
                                     {"no-op", kNumbers},
                                     {"pop", kNumbers},
                                     {"weights", kNames},
                                     {"norms", kNames}});
  }
  DrawingTable table(headings);
  if (inspection_.automaton) {
    AddAutomatonSteps(table);
  } else if (stacks) {
    AddSuperpositionSteps(table);
  } else {
    for (int t = std::max(1, options_.first); t <= std::min(options_.last, inputs()); ++t) {
      table.Add(StepCells(t));
    }
  }
  if (predicts && options_.last >= inputs()) table.Add(EndCells());
  return table.Text();
}

std::string Printer::RunText(const AutomatonRun& run) const {
  const InspectedAutomaton& automaton = *inspection_.automaton;
  const RunDrawing drawing = {.inputs = inspection_.inputs,
                              .states = automaton.state_names,
                              .symbols = automaton.symbol_names,
                              .first = options_.first,
                              .last = std::min(options_.last, steps())};
  return options_.table ? RunTable(run, drawing) : DrawRun(run, drawing);
}

std::string Printer::Runs() const {
  const std::vector<AutomatonRun>& runs = inspection_.automaton->runs;
  std::string text;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    std::string heading = fmt::format("Run {}: probability {:.4g}, log weight {:.4f}", n + 1,
                                      runs[n].probability, runs[n].log_weight);
    if (n > 0) {
      heading += fmt::format("; differs from run 1 in step {}",
                             fmt::join(DifferentSteps(runs[n], runs[0]), ", "));
    }
    text += "\n" + Wrapped(heading, DrawingWidth()) + "\n" + RunText(runs[n]);
  }
  return text;
}

std::string Printer::Samples() const {
  const std::vector<AutomatonRun>& samples = inspection_.automaton->samples;
  const std::vector<AutomatonRun>& runs = inspection_.automaton->runs;
  // Those that are equal are shown once, the most frequent first.
  struct Distinct {
    const AutomatonRun* run = nullptr;
    std::size_t count = 0;
  };
  std::vector<Distinct> distinct;
  std::map<std::vector<int>, std::size_t> numbers;
  for (const AutomatonRun& sample : samples) {
    std::vector<int> key;
    for (const RunTransition& transition : sample.transitions) {
      key.insert(key.end(),
                 {static_cast<int>(transition.operation), transition.state, transition.symbol});
    }
    const auto [place, added] = numbers.try_emplace(std::move(key), distinct.size());
    if (added) distinct.push_back({&sample});
    ++distinct[place->second].count;
  }
  std::stable_sort(distinct.begin(), distinct.end(),
                   [](const Distinct& a, const Distinct& b) { return a.count > b.count; });
  std::string text;
  for (const Distinct& sample : distinct) {
    text += fmt::format("\nSampled {} of {} times: probability {:.4g}", sample.count,
                        samples.size(), sample.run->probability);
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const AutomatonRun& run) {
      return run.transitions == sample.run->transitions;
    });
    text += same == runs.end() ? "\n" + RunText(*sample.run)
                               : fmt::format(", the same as run {}\n", same - runs.begin() + 1);
  }
  return text;
}

// Who is on top when, a triangle of blocks.
std::string Printer::Tops() const {
  // Beside step, symbol and heights.
  const int most_columns = std::max(10, static_cast<int>(DrawingWidth()) - 40);
  const RunMarginals& marginals = inspection_.automaton->marginals;
  const int last = std::min(options_.last, steps());
  if (last == 0) return {};
  // Only the newest ones have room.
  const int first_column = std::max(0, last + 1 - most_columns);
  using enum DrawingTable::Cells;
  DrawingTable table(
      {{"step", kNumbers},
       {"read", kNames},
       {"so far", kNumbers},
       {"given all", kNumbers},
       {fmt::format("pushed in step {}, {}, ...", first_column, first_column + 1), kNumbers}});
  for (int t = options_.first; t <= last; ++t) {
    const auto step = static_cast<std::size_t>(t);
    std::string blocks;
    for (int i = first_column; i <= t; ++i) {
      const double probability = marginals.pushed_in[step][static_cast<std::size_t>(i)];
      blocks += probability < options_.min_probability ? "·" : BlockText(probability);
    }
    table.Add({std::to_string(t), t == 0 ? "(start)" : inspection_.inputs[step - 1],
               fmt::format("{:.2f}", marginals.expected_heights[step]),
               fmt::format("{:.2f}", marginals.expected_heights_given_all[step]), blocks});
  }
  return "\n" +
         Wrapped(
             "The expected height of the stack, by what has been read so far and given the "
             "whole string; and when its top was pushed, by what has been read so far:",
             DrawingWidth()) +
         "\n" + table.Text();
}

}  // namespace

std::string InspectionText(const Inspection& inspection, const InspectionTextOptions& options,
                           const std::string& optimum_fault) {
  const Printer printer(inspection, options);
  std::string text = printer.Heading(optimum_fault) + "\n" + printer.Steps();
  if (inspection.automaton) text += printer.Runs() + printer.Samples() + printer.Tops();
  return text;
}

}  // namespace pushdown::cli
