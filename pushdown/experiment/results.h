#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/experiment/experiment.h"
#include "pushdown/experiment/run_record.h"

namespace pushdown {

// All results of an experiment, or of runs that belong to none: what tables and pages are made of.

struct CellResults {
  std::string name;
  std::vector<NamedSetting> keys;                    // what distinguishes the cell from the others
  std::vector<RunRecord> runs;                       // one for each restart
  std::optional<LengthRange> training_lengths = {};  // of strings, if they were sampled
};

struct ExperimentResults {
  std::string name = {};
  std::string title = {};
  std::string version = {};  // of the program that wrote the results
  DataKind kind = DataKind::kStrings;
  Measure measure = Measure::kDifference;
  double solved = 0.01;
  std::string source = {};                // the file of the experiment
  std::vector<NamedSetting> common = {};  // of runs that belong to no experiment: what all have
  std::vector<CellResults> cells = {};
};

// The name of a run, from 0: "CELL/restart-1" for the first one, or its directory if it belongs to
// no experiment.
std::string RunNameOf(const CellResults& cell, std::size_t run);

// Whether curves and all else that ReadRunDetails adds is read, which takes longer.
enum class Curves { kLeftOut, kIncluded };

// Throws Error, naming the file, if one of the runs has a broken file.
ExperimentResults ReadResults(const Experiment& experiment, Curves curves = Curves::kLeftOut);
// Of the directory of an experiment, or of an export.
ExperimentResults OpenResults(const std::string& path, Curves curves = Curves::kLeftOut);
// Of runs that belong to no experiment. Restarts of a run, and runs that differ in nothing but what
// is drawn for a restart, are runs of one cell; cells are named by the settings that differ. A run
// that is given twice counts once.
ExperimentResults ResultsOfRuns(std::span<const std::string> paths,
                                Curves curves = Curves::kLeftOut);

// An export is one JSON file with everything that tables and pages need, curves included.
std::string SerializeResults(const ExperimentResults& results);
ExperimentResults ParseResults(const std::string& text);  // throws Error

}  // namespace pushdown
