#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pushdown/run/setting_fields.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// One cell of an experiment: runs that differ only in what is drawn for each restart.
struct Cell {
  // What distinguishes the cell from the others, such as "task=dyck,symbols=2,model=lstm". It is
  // also the name of the cell's directory.
  std::string name;
  std::vector<NamedSetting> keys;  // the same, one by one
  RunSettings settings;            // before anything is drawn, see SettingsOfRestart
};

inline constexpr int kMostRestarts = 10000;

// All runs of an experiment: the restarts of its cells.
struct ExperimentPlan {
  std::string name = {};
  std::string title = {};
  DataKind kind = DataKind::kStrings;
  std::uint64_t seed = 1;
  int restarts = 1;         // of each cell
  bool test = true;         // whether runs are evaluated on their test sets, too
  double solved = 0.01;     // a run whose difference is below it has solved its task
  std::string source = {};  // the text of the experiment's file
  std::vector<Cell> cells = {};
};

// One run of a plan.
struct RunId {
  std::size_t cell = 0;
  int restart = 1;  // from 1

  bool operator==(const RunId&) const = default;
};

// "task=dyck,model=lstm/restart-1", the name of the run and of its directory in that of the
// experiment.
std::string RunName(const ExperimentPlan& plan, const RunId& run);
// Everything that determines the result of a run. It follows from the seed of the experiment, the
// name of the cell and the number of the restart, and from nothing else of the plan.
RunSettings SettingsOfRun(const ExperimentPlan& plan, const RunId& run);

// Chooses cells by their settings: "task=dyck,symbols=2" chooses the cells that have both, and
// "model=lstm|rns-3-3" those that have either.
class CellSelector {
 public:
  CellSelector() = default;  // chooses all cells
  // Throws Error if the text is not of this form.
  explicit CellSelector(const std::string& text);

  bool Chooses(const Cell& cell) const;
  // Throws Error if the plan has no such setting, or no cell with one of the values.
  void Check(const std::vector<Cell>& cells) const;

 private:
  struct Condition {
    std::string key;
    std::set<std::string> values;
  };
  std::vector<Condition> conditions_;
};

// The runs of the cells that are chosen, up to a number of restarts, in the order in which they are
// trained: the first restart of every cell before the second of any, and cheap cells first, so that
// a part of an experiment already shows what the whole is about.
std::vector<RunId> OrderedRuns(const ExperimentPlan& plan, int restarts,
                               const CellSelector& selector = {});

// What is different in another plan, so that it cannot go on with the runs of this one; empty if it
// can. It may have more cells, more restarts and a higher limit of epochs, and its data may have
// been moved.
std::string DifferenceFrom(const ExperimentPlan& plan, const ExperimentPlan& other);

}  // namespace pushdown
