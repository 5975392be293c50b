#include "pushdown/analysis/inspection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pushdown/analysis/transition_marginals.h"
#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/model/stack_rnn.h"
#include "tests/analysis/inspected_models.h"

namespace pushdown {
namespace {

using testing_analysis::ModelOfStrings;
using testing_analysis::ModelOfText;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
// Of what 32-bit floats compute, against doubles.
constexpr double kFloat = 1e-4;

void ExpectNear(std::span<const double> actual, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t n = 0; n < actual.size(); ++n) {
    EXPECT_NEAR(actual[n], expected[n], tolerance) << n;
  }
}

TEST(Inspection, PredictionsAndReadingsAreThoseOfTheModel) {
  for (const char* name : {"lstm", "sup-3-2", "sup-h", "rns-2-3", "vrns-1-2-3"}) {
    SCOPED_TRACE(name);
    const TrainedModel model = ModelOfStrings(name, 1);
    const std::vector<int> string = {0, 1, 2, 1, 0, 0};
    StackRnn<float> reference(model.spec, 6, /*gradients=*/false);
    std::vector<float> log_p(4);
    std::vector<double> expected;
    reference.Start(model.parameters.data(), log_p.data());
    for (const int symbol : string) {
      expected.push_back(static_cast<double>(log_p[static_cast<std::size_t>(symbol)]));
      reference.Step(model.parameters.data(), symbol, log_p.data());
    }
    expected.push_back(static_cast<double>(log_p[3]));

    const Inspection inspection = Inspector(model).Inspect(string);
    EXPECT_EQ(inspection.kind, InspectedKind::kStrings);
    EXPECT_EQ(inspection.model, name);
    EXPECT_EQ(inspection.string, "0 1 # 1 0 0");
    EXPECT_EQ(inspection.inputs, (std::vector<std::string>{"0", "1", "#", "1", "0", "0"}));
    EXPECT_EQ(inspection.steps(), 5);
    ASSERT_EQ(inspection.predictions.size(), expected.size());
    double sum = 0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      EXPECT_EQ(inspection.predictions[n].log_p, expected[n]) << n;
      EXPECT_EQ(inspection.predictions[n].symbol, n < 6 ? inspection.inputs[n] : "<eos>") << n;
      EXPECT_FALSE(inspection.predictions[n].optimum_log_p) << "the lengths are not known";
      sum += expected[n];
    }
    EXPECT_DOUBLE_EQ(inspection.log_p, sum);
    EXPECT_FALSE(inspection.optimum);

    if (!model.spec.stack) {
      EXPECT_TRUE(inspection.readings.empty());
      continue;
    }
    ASSERT_EQ(inspection.readings.size(), 6u);
    for (int t = 0; t < 6; ++t) {
      const std::span<const float> reading = reference.reading(t);
      EXPECT_EQ(inspection.readings[static_cast<std::size_t>(t)],
                std::vector<double>(reading.begin(), reading.end()));
    }
  }
}

TEST(Inspection, TopsAreTheReadingsOfAnRns) {
  const Inspection inspection = Inspector(ModelOfStrings("rns-2-3", 2)).Inspect("0 1 1 # 0");
  ASSERT_TRUE(inspection.automaton);
  ASSERT_EQ(inspection.automaton->tops.size(), 5u);
  for (std::size_t t = 0; t < 5; ++t) {
    ExpectNear(inspection.automaton->tops[t], inspection.readings[t], kFloat);
  }
}

TEST(Inspection, TopsOfSuperpositionStacksAreTheirReadings) {
  for (const char* name : {"sup-3-2", "sup-h"}) {
    SCOPED_TRACE(name);
    const Inspection inspection = Inspector(ModelOfStrings(name, 3)).Inspect("0 1 1 # 0");
    ASSERT_EQ(inspection.superposition.size(), std::string(name) == "sup-h" ? 1u : 2u);
    for (std::size_t t = 1; t < 5; ++t) {
      std::vector<double> tops;
      for (const InspectedSuperposition& stack : inspection.superposition) {
        tops.insert(tops.end(), stack.elements[t][0].begin(), stack.elements[t][0].end());
        const auto& [push, no_op, pop] = stack.actions[t - 1];
        EXPECT_NEAR(push + no_op + pop, 1, kFloat);
      }
      ExpectNear(tops, inspection.readings[t], kFloat);
    }
  }
}

// Without weights, all transitions are equally likely. With one state and symbol, two steps have
// five runs: the bottom cannot be popped.
TEST(Inspection, RunsOfAModelWithoutWeightsAreThoseByHand) {
  const Inspection inspection =
      Inspector(ModelOfStrings("rns-1-1", 0)).Inspect("0 1 #", {.runs = 10, .samples = 3});
  for (const InspectedPrediction& prediction : inspection.predictions) {
    EXPECT_NEAR(prediction.log_p, -std::log(4.0), 1e-6);
  }
  const InspectedAutomaton& automaton = *inspection.automaton;
  EXPECT_NEAR(automaton.log_weight, std::log(5.0), 1e-6);
  ASSERT_EQ(automaton.runs.size(), 5u);
  for (const AutomatonRun& run : automaton.runs) EXPECT_NEAR(run.probability, 0.2, 1e-6);
  ASSERT_EQ(automaton.samples.size(), 3u);
  EXPECT_EQ(automaton.samples[0].transitions.size(), 2u);
  const RunMarginals& marginals = automaton.marginals;
  EXPECT_EQ(marginals.steps, 2);
  // Push, replace and pop: pushes of the first step have three continuations, replacements two.
  ExpectNear(marginals.transitions, {0.6, 0.4, 0, 0.4, 0.4, 0.2}, 1e-6);
  ExpectNear(marginals.expected_heights, {0, 0.5, 0.8}, 1e-6);
  ExpectNear(marginals.expected_heights_given_all, {0, 0.6, 0.8}, 1e-6);
  // Push push, replace push: step 2; push replace: step 1; the others leave the bottom.
  ExpectNear(marginals.pushed_in[2], {0.4, 0.2, 0.4}, 1e-6);

  const auto transitions = TransitionMarginals(automaton.spec, marginals, 2, 0.3);
  ASSERT_EQ(transitions.size(), 2u);
  EXPECT_EQ(transitions[0].transition, (RunTransition{StackOperation::kPush, 0, 0}));
  EXPECT_EQ(transitions[1].transition, (RunTransition{StackOperation::kReplace, 0, 0}));
  EXPECT_EQ(TransitionMarginals(automaton.spec, marginals, 1, 0).size(), 2u) << "no pop";

  ExpectNear(OperationMarginals(automaton.spec, marginals, 1), {0.6, 0.4, 0}, 1e-6);
  ExpectNear(OperationMarginals(automaton.spec, marginals, 2), {0.4, 0.4, 0.2}, 1e-6);
  ExpectNear(PairMarginals(automaton.spec, marginals, 2), {1}, 1e-6);
}

TEST(Inspection, TransitionsAreNamedAsTheLogitsAreLaidOut) {
  const NondeterministicStackSpec spec = {.states = 2, .symbols = 3};
  RunMarginals marginals;
  marginals.steps = 1;
  marginals.transitions.resize(static_cast<std::size_t>(spec.logits_size()));
  // From (q1, s2), pair 5 of 6, with 14 logits each: push (q1, s0), replace (q0, s2) and pop q1.
  marginals.transitions[5 * 14 + 3] = 0.5;
  marginals.transitions[5 * 14 + 6 + 2] = 0.3;
  marginals.transitions[5 * 14 + 12 + 1] = 0.2;
  const auto transitions = TransitionMarginals(spec, marginals, 1, 0);
  ASSERT_EQ(transitions.size(), 3u);
  for (const TransitionMarginal& transition : transitions) {
    EXPECT_EQ(transition.state, 1);
    EXPECT_EQ(transition.symbol, 2);
  }
  EXPECT_EQ(transitions[0].transition, (RunTransition{StackOperation::kPush, 1, 0}));
  EXPECT_EQ(transitions[1].transition, (RunTransition{StackOperation::kReplace, 0, 2}));
  EXPECT_EQ(transitions[2].transition, (RunTransition{StackOperation::kPop, 1, -1}));
}

// All vectors are sigmoid(0), and make no difference to the runs.
TEST(Inspection, VectorsMakeNoDifferenceToRuns) {
  const Inspection inspection = Inspector(ModelOfStrings("vrns-1-1-2", 0)).Inspect("0 1 #");
  ExpectNear(inspection.automaton->marginals.expected_heights, {0, 0.5, 0.8}, 1e-6);
  ExpectNear(inspection.automaton->tops[2], {1}, 1e-6);
  ExpectNear(inspection.readings[2], {0.5, 0.5}, 1e-6);
}

// Of p_L over the lengths 1, 3 and 5: the strings are #, a#a (2 of them) and ab#ba (4), of each
// length a third.
TEST(Inspection, OptimaAreThoseByHand) {
  const Inspector inspector(ModelOfStrings("rns-1-2", 4), LengthRange{1, 5});
  EXPECT_EQ(inspector.optimum_fault(), "");
  const auto optima = [&](const char* string) {
    std::vector<double> result;
    for (const InspectedPrediction& prediction : inspector.Inspect(string).predictions) {
      result.push_back(prediction.optimum_log_p.value_or(1));  // 1: there is none
    }
    return result;
  };
  ExpectNear(optima("0 1 # 1 0"), {std::log(1.0 / 3), std::log(0.25), 0, 0, 0, 0}, 1e-12);
  ExpectNear(optima("1 # 1"), {std::log(1.0 / 3), std::log(0.5), 0, 0}, 1e-12);
  ExpectNear(optima("#"), {std::log(1.0 / 3), 0}, 1e-12);
  EXPECT_EQ(optima("0 # 1"),
            (std::vector<double>{optima("0 # 0")[0], optima("0 # 0")[1], kMinusInfinity, 1}));
  EXPECT_EQ(optima(""), std::vector<double>{kMinusInfinity});

  const Inspection member = inspector.Inspect("0 1 # 1 0");
  EXPECT_NEAR(*member.optimum->log_p, std::log(1.0 / 12), 1e-12);
  EXPECT_EQ(member.optimum->lengths.max, 5);
  EXPECT_EQ(member.optimum->member, true);
  EXPECT_EQ(member.optimum->objection, "");
  const Inspection other = inspector.Inspect("0 # 1");
  EXPECT_EQ(other.optimum->log_p, kMinusInfinity);
  EXPECT_EQ(other.optimum->member, false);
  EXPECT_EQ(other.optimum->objection, "position 3: found \"1\", expected \"0\"");
  const Inspection longer = inspector.Inspect("0 0 0 # 0 0 0");
  EXPECT_EQ(longer.optimum->log_p, kMinusInfinity);
  EXPECT_EQ(longer.optimum->member, true);
  EXPECT_EQ(longer.optimum->objection, "has 7 symbols, which is not in --lengths 1:5");
}

// As `score`: that may take the cube of the length.
TEST(Inspection, StringsThatAreMuchLongerThanThoseOfTheTrainingAreNotParsed) {
  TrainedModel model = ModelOfStrings("lstm", 4);
  model.longest_training_length = 4;
  const Inspector inspector(model, LengthRange{1, 5});
  const auto wrong = [](int length) { return std::vector<int>(static_cast<std::size_t>(length)); };
  EXPECT_EQ(inspector.Inspect(wrong(8)).optimum->member, false) << "twice as long";
  const Inspection inspection = inspector.Inspect(wrong(9));
  EXPECT_EQ(inspection.optimum->member, std::nullopt);
  EXPECT_EQ(inspection.optimum->log_p, kMinusInfinity);
  EXPECT_EQ(inspection.optimum->objection, "has 9 symbols, which is not in --lengths 1:5");
  EXPECT_NEAR(*inspection.predictions[0].optimum_log_p, std::log(1.0 / 3), 1e-12);
}

TEST(Inspection, OptimaOfEachPositionSumToThatOfTheString) {
  TrainedModel model = ModelOfStrings("lstm", 4);
  model.vocabulary = {};
  for (const char* symbol : {"0", "1"}) model.vocabulary.Add(symbol);
  model.spec.symbols = 2;
  model.parameters.resize(ParameterLayout(model.spec).size);
  const struct {
    const char* task;
    const char* string;
  } cases[] = {{"unmarked-reversal", "0 1 1 1 1 0"},
               {"unmarked-copy", "0 1 1 0 1 1"},
               {"padded-reversal", "1 0 1 1 1 0 1"}};
  for (const auto& [task, string] : cases) {
    SCOPED_TRACE(task);
    model.language = ChooseTask(task);
    const Inspection inspection = Inspector(model, LengthRange{2, 40}).Inspect(string);
    double sum = 0;
    for (const auto& prediction : inspection.predictions) sum += *prediction.optimum_log_p;
    EXPECT_NEAR(sum, *inspection.optimum->log_p, 1e-10);
  }
}

TEST(Inspection, TheEmptyStringHasAnEndAndTheInitialStack) {
  const Inspection inspection = Inspector(ModelOfStrings("rns-2-2", 1)).Inspect("");
  EXPECT_TRUE(inspection.inputs.empty());
  EXPECT_EQ(inspection.steps(), 0);
  EXPECT_EQ(inspection.predictions.size(), 1u);
  EXPECT_EQ(inspection.readings, (std::vector<std::vector<double>>{{1, 0, 0, 0}}));
  ASSERT_EQ(inspection.automaton->runs.size(), 1u);
  EXPECT_EQ(inspection.automaton->runs[0].Stack(), std::vector<int>{0});
}

TEST(Inspection, ASentenceIsTheFirstOneOfAText) {
  for (const char* name : {"rns-1-2", "vrns-1-2-2", "sup-2", "lstm"}) {
    SCOPED_TRACE(name);
    const TrainedModel model = ModelOfText(name, 5);
    const Inspection inspection = Inspector(model).Inspect("a b zebra c b a");
    EXPECT_EQ(inspection.kind, InspectedKind::kText);
    EXPECT_EQ(inspection.inputs,
              (std::vector<std::string>{"<eos>", "a", "b", "<unk>", "c", "b", "a"}));
    ASSERT_EQ(inspection.predictions.size(), 7u);
    EXPECT_EQ(inspection.predictions[6].symbol, "<eos>");
    const auto predictor = model.MakePredictor(10);
    predictor->Start();
    const int tokens[] = {0, 1, 3, 2, 1, 0, 4};
    for (std::size_t n = 0; n < 7; ++n) {
      EXPECT_EQ(
          inspection.predictions[n].log_p,
          static_cast<double>(predictor->log_probabilities()[static_cast<std::size_t>(tokens[n])]));
      predictor->Read(tokens[n]);
    }
    EXPECT_NEAR(inspection.log_p, model.LogProbability("a b zebra c b a\n"), kFloat);
    if (inspection.automaton) {
      EXPECT_EQ(inspection.automaton->spec.window, 3);
      EXPECT_EQ(inspection.automaton->marginals.steps, 6);
      const std::size_t size = inspection.automaton->tops[0].size();
      for (std::size_t t = 0; size == inspection.readings[0].size() && t <= 6; ++t) {
        ExpectNear(inspection.automaton->tops[t], inspection.readings[t], kFloat);
      }
    }
    EXPECT_EQ(Inspector(model).Inspect("").inputs, std::vector<std::string>{"<eos>"});
  }
}

CompiledRecognizer Compile(const std::string& file) {
  std::ifstream in(std::string(PUSHDOWN_EXAMPLES) + "/grammars/" + file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const LanguageSource sources[] = {
      {file, ParseGrammar(text, file, GrammarUse::kLanguage).grammar}};
  return CompileRecognizer(sources);
}

// The runs of a recognizer are those of its automaton, all with the same probability.
void ExpectRunsOfAutomaton(const CompiledRecognizer& recognizer, const std::string& string,
                           bool accepted) {
  const PushdownAutomaton& automaton = recognizer.automaton;
  const Inspection inspection = Inspector(recognizer).Inspect(string, {.runs = 100'000});
  EXPECT_EQ(inspection.kind, InspectedKind::kRecognizer);
  ASSERT_TRUE(inspection.recognition);
  EXPECT_EQ(inspection.recognition->accepted, accepted);
  EXPECT_TRUE(inspection.predictions.empty());
  EXPECT_EQ(inspection.automaton->state_names, automaton.states);
  const std::vector<AutomatonRun>& runs = inspection.automaton->runs;
  EXPECT_NEAR(std::log(static_cast<double>(runs.size())), inspection.recognition->log_runs, 1e-9);
  EXPECT_NEAR(inspection.automaton->log_weight, inspection.recognition->log_runs, 1e-9);
  const std::size_t length = inspection.inputs.size() - 1;
  EXPECT_EQ(inspection.inputs.back(), "<eos>");
  int accepting = 0;
  for (const AutomatonRun& run : runs) {
    ASSERT_EQ(run.transitions.size(), length);
    int from_state = 0;
    int from_top = 0;
    run.ForEachConfiguration([&](int t, int state, std::span<const int> stack) {
      if (t > 0) {
        const RunTransition& taken = run.transitions[static_cast<std::size_t>(t - 1)];
        std::vector<int> pushed;
        if (taken.operation == StackOperation::kPush) pushed = {from_top, taken.symbol};
        if (taken.operation == StackOperation::kReplace) pushed = {taken.symbol};
        const int input =
            *automaton.inputs.Find(inspection.inputs[static_cast<std::size_t>(t - 1)]);
        EXPECT_TRUE(std::any_of(automaton.transitions.begin(), automaton.transitions.end(),
                                [&](const AutomatonTransition& transition) {
                                  return transition.from == AutomatonHead{from_state, from_top} &&
                                         transition.input == input && transition.to == state &&
                                         transition.pushed == pushed;
                                }))
            << "step " << t;
      }
      from_state = state;
      from_top = stack.back();
    });
    const auto& heads = automaton.accepting[0];
    if (std::find(heads.begin(), heads.end(), AutomatonHead{from_state, from_top}) != heads.end()) {
      ++accepting;
    }
  }
  EXPECT_NEAR(inspection.recognition->acceptance[0],
              static_cast<double>(accepting) / static_cast<double>(runs.size()), 1e-12);
}

TEST(Inspection, RunsOfARecognizerAreThoseOfItsAutomaton) {
  const CompiledRecognizer ambiguous = Compile("ambiguous.cfg");
  for (const char* string : {"a", "a a a", "a a a a a a"}) {
    SCOPED_TRACE(string);
    ExpectRunsOfAutomaton(ambiguous, string, true);
  }
  const CompiledRecognizer palindromes = Compile("palindromes.cfg");
  ExpectRunsOfAutomaton(palindromes, "a b b a", true);
  ExpectRunsOfAutomaton(palindromes, "a b b", false);
  ExpectRunsOfAutomaton(Compile("brackets.cfg"), "( ( ) ) ( )", true);
}

TEST(Inspection, BadStringsAreRefused) {
  const Inspector strings(ModelOfStrings("lstm", 1));
  EXPECT_THROW(strings.Inspect("0 2"), Error);
  EXPECT_THROW(strings.Inspect("0\n1"), Error);
  EXPECT_THROW(strings.Inspect(std::vector<int>{3}), Error) << "the end is not a symbol";
  EXPECT_THROW(strings.Inspect(std::vector<int>{-1}), Error);
  const Inspector text(ModelOfText("lstm", 1));
  EXPECT_THROW(text.Inspect("a\nb"), Error);
  EXPECT_THROW(text.Inspect(std::vector<int>{}), Error);
  EXPECT_THROW(Inspector(ModelOfText("lstm", 1), LengthRange{1, 2}), Error);
  EXPECT_THROW(Inspector(ModelOfStrings("lstm", 1), LengthRange{2, 2}), Error) << "no such strings";
  TrainedModel renamed = ModelOfStrings("lstm", 1);
  renamed.vocabulary = {};
  for (const char* symbol : {"a", "b", "#"}) renamed.vocabulary.Add(symbol);
  EXPECT_THROW(Inspector(renamed, LengthRange{1, 5}), Error) << "not the symbols of its language";
  EXPECT_THROW(OpenInspector("/nonexistent"), Error);
}

TEST(Inspection, ParametersThatAreNotFiniteAreANumericError) {
  TrainedModel model = ModelOfStrings("rns-1-2", 1);
  model.parameters[0] = std::numeric_limits<float>::quiet_NaN();
  try {
    Inspector(model).Inspect("0 1 # 1 0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNumeric) << error.what();
  }
}

TEST(Inspection, LongStringsNeedMoreMemory) {
  const Inspector inspector(ModelOfStrings("rns-2-3", 1));
  EXPECT_GT(inspector.EstimateBytes(1000), inspector.EstimateBytes(100));
  EXPECT_GT(inspector.EstimateBytes(100, {.runs = 100'000}), inspector.EstimateBytes(100));
}

}  // namespace
}  // namespace pushdown
