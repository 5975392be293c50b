#include "cli/params.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/text_table.h"
#include "cli/train_settings.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/output_file.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Lists the parameters of a model. The number of symbols is that of --task or --grammar, or
--vocabulary. With --text, it is a model of `pushdown lm train`, and symbols are words, <eos>
included. A run's model.safetensors has them as 32-bit floats, under these names.

Output: a table whose last line is the total. Columns: name, shape, count, and how they start. With
--json, {"model": ..., "hidden_units": H, "vocabulary": V, "initialization": ..., "parameters":
total, "tensors": [{"name": ..., "shape": [...], "count": N, "bound": b}]}: they start uniform in
[-b, b], which is zero for b = 0. With --text, "embedding_size" in place of "initialization".

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

Exit code: 0, 1 if the output cannot be written, 2 if the grammar or the command line is wrong.)";

struct ParamsCommand {
  ModelArguments model;
  LanguageArguments language;
  int vocabulary = 3;
  bool has_vocabulary = false;
  bool text = false;
  bool json = false;
};

// Options for models of the other kind are refused, not ignored.
void CheckKindOptions(const CLI::App& options, bool text) {
  const std::vector<std::string> strings_only = {"--init", "--task", "--grammar", "--symbols",
                                                 "--param"};
  const std::vector<std::string> text_only = {"--embedding-size", "--init-bound"};
  for (const std::string& option : text ? strings_only : text_only) {
    if (options.get_option(option)->count() == 0) continue;
    throw UsageError(fmt::format("{} is for models of {}, {} --text", option,
                                 text ? "strings" : "text", text ? "without" : "with"));
  }
}

int VocabularySize(const ParamsCommand& command) {
  const LanguageArguments& language = command.language;
  const bool has_language = !language.task.empty() || !language.grammar.empty() ||
                            language.symbols != 0 || !language.parameters.empty();
  if (!has_language) return command.vocabulary;
  if (command.has_vocabulary) {
    throw UsageError(
        "--vocabulary is the number of symbols if there is no language; give either "
        "--vocabulary N, or --task NAME or --grammar FILE");
  }
  return MakeLanguage(ChooseLanguage(language), 0)->alphabet().size();
}

double StartBound(const ParameterTensor& tensor, const ModelArguments& model) {
  if (model.kind == DataKind::kText) return model.init_bound;
  return MakeInitialization(model) == Initialization::kPaper ? tensor.bound
                                                             : tensor.paper_code_bound;
}

std::string ParametersTable(const ParameterLayout& layout, const ModelArguments& model) {
  std::vector<std::vector<std::string>> rows;
  for (const ParameterTensor& tensor : layout.tensors) {
    const double bound = StartBound(tensor, model);
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
                    const ModelArguments& model) {
  Json object = {{"model", ModelName(spec)},
                 {"hidden_units", spec.hidden_units},
                 {"vocabulary", spec.symbols}};
  if (spec.is_text()) {
    object["embedding_size"] = spec.embedding_size;
  } else {
    object["initialization"] = model.initialization;
  }
  object["parameters"] = layout.size;
  object["tensors"] = Json::array();
  for (const ParameterTensor& tensor : layout.tensors) {
    object["tensors"].push_back({{"name", tensor.name},
                                 {"shape", tensor.shape},
                                 {"count", tensor.size()},
                                 {"bound", StartBound(tensor, model)}});
  }
  return object;
}

void ShowParameters(const ParamsCommand& command) {
  const ModelSpec spec = MakeModelSpec(command.model, VocabularySize(command));
  const ParameterLayout layout(spec);
  OutputFile out("-");
  out.Write(command.json ? JsonText(ParametersJson(spec, layout, command.model))
                         : ParametersTable(layout, command.model));
  out.Commit();
}

}  // namespace

void AddParamsCommand(CLI::App& program) {
  CLI::App* params = program.add_subcommand("params", "List the parameters of a model");
  params->footer(kFooter);
  auto command = std::make_shared<ParamsCommand>();
  AddModelOptions(*params, command->model);
  AddInitializationOption(*params, command->model);
  AddTextModelOptions(*params, command->model);
  params->get_option("--model")->required();
  params->get_option("--hidden-units")->default_str("20, or 256 with --text");
  params->add_flag("--text", command->text, "A model of running text, as `pushdown lm train` has");
  AddLanguageOptions(*params, command->language);
  const CLI::Option* vocabulary =
      AddIntegerOption(*params, "--vocabulary", command->vocabulary,
                       "Number of symbols, if there is no language; marked-reversal has 3", 1);
  params->add_flag("--json", command->json, "Print a JSON object");
  params->callback([params, command, vocabulary] {
    command->has_vocabulary = vocabulary->count() > 0;
    CheckKindOptions(*params, command->text);
    command->model.kind = command->text ? DataKind::kText : DataKind::kStrings;
    ShowParameters(*command);
  });
}

}  // namespace pushdown::cli
