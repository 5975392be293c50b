#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/setting_options.h"
#include "cli/standard_error.h"
#include "cli/text_table.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_format.h"
#include "pushdown/json.h"
#include "pushdown/model/parameters.h"
#include "pushdown/output_file.h"
#include "pushdown/run/model_file.h"
#include "pushdown/train/checkpoint.h"

namespace pushdown::cli {
namespace {

constexpr double kMaxVocabularyBytes = 256e6;

constexpr const char* kFooter =
    R"(Lists the parameters of a model. The number of symbols is that of --task or --grammar, or
--vocabulary. With --text, it is a model of `pushdown lm train`, and symbols are words, <eos>
included. A run's model.safetensors has them as 32-bit floats, under these names.

Output: a table whose last line is the total. Columns: name, shape, count, and how they start. With
--json, {"model": ..., "hidden_units": H, "vocabulary": V, "initialization": ..., "parameters":
total, "tensors": [{"name": ..., "shape": [...], "count": N, "bound": b}]}: they start uniform in
[-b, b], which is zero for b = 0. With --text, "embedding_size" in place of "initialization".

--import FILE makes a model file of weights that another program has made or changed, which all
commands take instead of a run: `pushdown evaluate MODEL --data DIR`, `pushdown generate MODEL`,
`pushdown train --start-from MODEL`. FILE has the tensors below, 32-bit floats, in the safetensors
format; names, shapes, types and values that are not finite are checked, and its metadata ignored.
Which model it is, --like RUN says, or --model and the options beside it, and its symbols are those
of --task, --grammar or --vocabulary-file.

With V symbols (in the order of the vocabulary in config.json, the end of a string not counted), H
hidden units, and for the stack P = states * symbols, Q states and vectors of size m. Readings have
size R: 0 for lstm, P for rns, P m for vrns, the sum of the sizes for sup, H for sup-h.
  controller.weights [V+R+H, 4H], controller.bias [4H]
      The LSTM. Its inputs are the symbol, one-hot, the stack's reading and the hidden state, in
      this order; its outputs the gates i, f, g, o before their activations. h_0 and c_0 are zero.
  output.weights [H, V+1], output.bias
      From the hidden state to the logits of the next symbol; the last one is the end of the string.
  stack.operations.weights [H, P(2P+Q)], .bias                     (rns, vrns)
      Logits of the transitions, [q,x][push (r,y) | replace (r,y) | pop r].
  stack.vector.weights [H, m], .bias, stack.bottom_vector [m]      (vrns)
      The pushed vector and the one at the bottom, before their sigmoids.
  stack.K.actions.weights [H, 3], .bias                            (sup)
      Logits of push, no-op and pop, for each stack K = 1, 2, ...
  stack.K.vector.weights [H, size], .bias                          (sup, but for sup-h)
      The pushed vector, before its sigmoid. sup-h pushes the hidden state.
Weights are [inputs, outputs], row-major: outputs = inputs * weights + bias. PyTorch has them the
other way round, with the gates in the same order, and two bias vectors that are added (below).
With --text, embeddings [V, E] come first, a row a word, and stand for the one-hot symbol: E is in
place of V in controller.weights and below. There is no end of a string: output.weights is [H, V].
All start uniform within --init-bound. Each word is predicted from the h of the word before it, the
first one from that of <eos>.
Otherwise, the first symbol is predicted from h_0. h_t is computed from symbol t and the reading of
the stack after t-1 steps, predicts symbol t+1, and drives step t of the stack.
  w = safetensors.torch.load_file("RUN/model.safetensors")
  lstm = torch.nn.LSTM(V + R, H)
  lstm.weight_ih_l0.data = w["controller.weights"][:V + R].T
  lstm.weight_hh_l0.data = w["controller.weights"][V + R:].T
  lstm.bias_ih_l0.data = w["controller.bias"]
  lstm.bias_hh_l0.data.zero_()
  output = torch.nn.Linear(H, V + 1)  # with --text: V
  output.weight.data = w["output.weights"].T
  output.bias.data = w["output.bias"]

Examples:
  pushdown params --model lstm
  pushdown params --model vrns-2-3-3 --task dyck --symbols 40
  pushdown params --model rns-3-3 --hidden-units 100 --vocabulary 50 --json
  pushdown params --model rns-4-5 --text --vocabulary 10000
  pushdown params --import edited.safetensors --like runs/dyck --out dyck.safetensors
  pushdown params --import torch.safetensors --model lstm --task dyck --out lstm.safetensors

Exit code: 0, 1 if the output cannot be written, 2 if the grammar or the command line is wrong.)";

struct ParamsCommand {
  Command options;
  GivenSettings given = {};
  LanguageArguments language = {};
  int vocabulary = 3;
  bool has_vocabulary = false;
  std::string vocabulary_file = {};
  std::string import = {};
  std::string like = {};
  std::string out = {};
  bool text = false;
  bool json = false;

  DataKind kind() const { return text ? DataKind::kText : DataKind::kStrings; }
};

// The settings of a model that options have in common with `pushdown train` and `lm train`.
constexpr std::array kModelSettings = {"model",          "hidden-units", "bottom",
                                       "initial-vector", "init",         "embedding-size",
                                       "init-bound",     "window",       "depth-limit"};

// What the options describe: a model, and how its parameters start.
RunSettings SettingsOf(const ParamsCommand& command) {
  SettingsDraft draft(command.kind());
  command.given.GiveTo(draft);
  RunSettings settings = draft.settings;
  settings.model = ChooseModel(settings.kind, draft.model);
  return settings;
}

// The symbols of the model, by name if they have names, and their language, if it is known.
void DescribeSymbols(const ParamsCommand& command, TrainedModel& model) {
  const LanguageArguments& language = command.language;
  for (const char* option : {"--task", "--grammar", "--symbols", "--param"}) {
    if (!command.text || !command.options.given(option)) continue;
    throw UsageError(std::string(option) + " is for models of strings, without --text");
  }
  if (language.any() + command.has_vocabulary + !command.vocabulary_file.empty() > 1) {
    throw UsageError(
        "--vocabulary is the number of symbols if there is no language; give either "
        "--vocabulary N, or --vocabulary-file FILE, or --task NAME or --grammar FILE");
  }
  if (!command.vocabulary_file.empty()) {
    const std::string text = ReadText(command.vocabulary_file, kMaxVocabularyBytes);
    model.vocabulary = ParseVocabulary(text, InputName(command.vocabulary_file));
  } else if (language.any()) {
    model.language = ChooseLanguage(language, PrintWarning);
    model.vocabulary = MakeLanguage(*model.language, 0)->alphabet();
  }
  model.spec.symbols = model.vocabulary.size() > 0 ? model.vocabulary.size() : command.vocabulary;
  Validate(model.spec);
}

// --import: makes a model file of weights that come from elsewhere.
void Import(const ParamsCommand& command, bool model_given) {
  if (command.out.empty()) throw UsageError("no model file is given; give --out MODEL");
  CheckKeepsInput(command.out, command.import);
  TrainedModel model;
  if (!command.like.empty()) {
    if (model_given) {
      throw UsageError("--like and --model do not go together: the model is that of --like");
    }
    model = OpenModel(command.like, PrintWarning);
  } else {
    model.kind = command.kind();
    model.spec = SettingsOf(command).model;
    DescribeSymbols(command, model);
    if (model.vocabulary.size() == 0) {
      throw UsageError(
          "the symbols of the model have no names; give --like RUN, --task NAME, --grammar FILE or "
          "--vocabulary-file FILE");
    }
    if (command.text && !model.vocabulary.Find(kEndOfSentence)) {
      throw UsageError(fmt::format("the vocabulary of a model of text must have {}; {} has none",
                                   kEndOfSentence, InputName(command.vocabulary_file)));
    }
  }
  const ParameterLayout layout(model.spec);
  const std::string bytes = ReadText(command.import, MaxFileBytes(layout, 2));
  try {
    model.parameters = ParseForeignParameters(bytes, layout);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), InputName(command.import) + ": " + error.message());
  }
  OutputFile out(command.out);
  out.Write(SerializeModel(model, std::nullopt));
  out.Commit();
}

double StartBound(const ParameterTensor& tensor, const RunSettings& settings) {
  if (settings.kind == DataKind::kText) return settings.init_bound;
  return settings.initialization == Initialization::kPaper ? tensor.bound : tensor.paper_code_bound;
}

std::string ParametersTable(const ParameterLayout& layout, const RunSettings& settings) {
  std::vector<std::vector<std::string>> rows;
  for (const ParameterTensor& tensor : layout.tensors) {
    const double bound = StartBound(tensor, settings);
    rows.push_back({tensor.name, fmt::format("[{}]", fmt::join(tensor.shape, ", ")),
                    std::to_string(tensor.size()),
                    bound > 0 ? fmt::format("uniform in [-{0:.4g}, {0:.4g}]", bound) : "zero"});
  }
  rows.push_back({"total", "", std::to_string(layout.size), ""});
  return TableText({{.heading = "name", .left = true},
                    {.heading = "shape", .rank = 2, .left = true},
                    {.heading = "count", .rank = 1},
                    {.heading = "starts", .rank = 3, .left = true}},
                   rows);
}

Json ParametersJson(const ModelSpec& spec, const ParameterLayout& layout,
                    const RunSettings& settings) {
  Json object = {{"model", ModelName(spec)},
                 {"hidden_units", spec.hidden_units},
                 {"vocabulary", spec.symbols}};
  if (spec.is_text()) {
    object["embedding_size"] = spec.embedding_size;
  } else {
    object["initialization"] =
        settings.initialization == Initialization::kPaper ? "paper" : "paper-code";
  }
  object["parameters"] = layout.size;
  object["tensors"] = Json::array();
  for (const ParameterTensor& tensor : layout.tensors) {
    object["tensors"].push_back({{"name", tensor.name},
                                 {"shape", tensor.shape},
                                 {"count", tensor.size()},
                                 {"bound", StartBound(tensor, settings)}});
  }
  return object;
}

void ShowParameters(const ParamsCommand& command) {
  if (!command.like.empty() || !command.out.empty()) {
    throw UsageError("--like and --out are for --import");
  }
  const RunSettings settings = SettingsOf(command);
  TrainedModel model;
  model.spec = settings.model;
  DescribeSymbols(command, model);
  const ParameterLayout layout(model.spec);
  OutputFile out("-");
  out.Write(command.json ? IndentedJson(ParametersJson(model.spec, layout, settings))
                         : ParametersTable(layout, settings));
  out.Commit();
}

}  // namespace

void AddParamsCommand(Command program) {
  const Command params =
      program.AddCommand("params", "List the parameters of a model, or import them");
  params.Footer(kFooter);
  auto command = std::make_shared<ParamsCommand>(ParamsCommand{.options = params});
  for (const char* name : kModelSettings) {
    // Both kinds have most of them, and describe them alike.
    const bool strings = FindSetting(DataKind::kStrings, name) != nullptr;
    const DataKind kind = strings ? DataKind::kStrings : DataKind::kText;
    command->given.AddOption(params, kind, *FindSetting(kind, name));
  }
  const Option model = params.option("--model");
  params.option("--hidden-units").Default("20, or 256 with --text");
  params.AddFlag("--text", command->text, "A model of running text, as `pushdown lm train` has");
  AddLanguageOptions(params, command->language);
  const Option vocabulary =
      AddIntegerOption(params, "--vocabulary", command->vocabulary,
                       "Number of symbols, if there is no language; marked-reversal has 3", 1);
  params
      .AddOption("--vocabulary-file", command->vocabulary_file,
                 "Names of the symbols or words, a line each")
      .TypeName("FILE");
  params.AddOption("--import", command->import, "Make a model file of these weights")
      .TypeName("FILE");
  params.AddOption("--like", command->like, "Of --import: the run or model whose weights they are")
      .TypeName("RUN");
  params.AddOption("--out", command->out, "Of --import: the model file").TypeName("MODEL");
  params.AddFlag("--json", command->json, "Print a JSON object");
  params.Callback([command, model, vocabulary] {
    command->has_vocabulary = vocabulary.given();
    if (!command->import.empty()) {
      Import(*command, model.given());
    } else {
      ShowParameters(*command);
    }
  });
}

}  // namespace pushdown::cli
