#pragma once

#include <memory>

#include "cli/command.h"

namespace pushdown::cli {

// Each of these adds one command, and is in the file of its name: AddLmTrainCommand is in
// cli/lm_train.cpp. The command does its work while the command line is parsed (Program::Run), and
// throws UsageError, RunError, Error and Interrupted.
void AddTasksCommand(Command program);
void AddSampleCommand(Command program);
void AddDataCommand(Command program);
void AddScoreCommand(Command program);
void AddTrainCommand(Command program);
void AddEvaluateCommand(Command program);
void AddGenerateCommand(Command program);
void AddInspectCommand(Command program);
void AddAnalyzeCommand(Command program);
void AddParamsCommand(Command program);
void AddLmCommand(Command program);
void AddLmTrainCommand(Command lm);
void AddLmEvaluateCommand(Command lm);
void AddLmScoreCommand(Command lm);
void AddLmGenerateCommand(Command lm);
void AddExperimentCommand(Command program);
void AddCompareCommand(Command program);  // in cli/experiment_results.cpp
void AddReportCommand(Command program);
void AddCompileCommand(Command program);
void AddRecognizeCommand(Command program);
void AddStackCommand(Command program);
void AddBenchCommand(Command program);

// The program with all of these commands.
std::unique_ptr<Program> MakeProgram();

}  // namespace pushdown::cli
