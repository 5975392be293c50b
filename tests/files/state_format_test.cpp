#include "pushdown/train/state_format.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "pushdown/error.h"
#include "tests/files/training_state.h"

namespace pushdown {
namespace {

using nlohmann::json;
using testing_state::RandomState;

TEST(SerializeState, IsAsDocumented) {
  TrainingState state;
  state.optimizer.steps = 7;
  state.learning_rate = 0.001;
  state.epochs = {{.epoch = 1,
                   .training_cross_entropy = 0.5,
                   .validation_cross_entropy = 0.25,
                   .learning_rate = 0.1,
                   .largest_gradient_norm = 3,
                   .best = true}};
  state.plateau = {.any = true, .best = 1.5, .bad_epochs = 2};
  state.early_stopping = {.any = true, .best = 0.25, .best_epoch = 1, .bad_epochs = 4};
  state.batches = 5;
  state.loss = 6.5;
  state.largest_gradient_norm = 8;
  EXPECT_EQ(json::parse(SerializeState(state)), json::parse(R"({
    "adam_steps": 7, "learning_rate": 0.001,
    "plateau": {"any": true, "best": 1.5, "bad_epochs": 2},
    "early_stopping": {"any": true, "best": 0.25, "best_epoch": 1, "bad_epochs": 4},
    "epochs": [{"epoch": 1, "training_cross_entropy": 0.5, "validation_cross_entropy": 0.25,
                "learning_rate": 0.1, "largest_gradient_norm": 3.0, "best": true}],
    "batches": 5, "loss": 6.5, "largest_gradient_norm": 8.0})"));
}

TEST(SerializeState, ExtremeNumbersSurvive) {
  using Limits = std::numeric_limits<double>;
  TrainingState state;
  state.optimizer.steps = std::numeric_limits<long long>::max();
  state.batches = std::numeric_limits<int>::max();
  state.learning_rate = Limits::denorm_min();
  state.loss = Limits::lowest();
  state.largest_gradient_norm = Limits::max();
  state.plateau.best = -0.0;
  state.early_stopping.best = 0.1 + 0.2;
  const TrainingState again = ParseState(SerializeState(state));
  EXPECT_EQ(again.optimizer.steps, state.optimizer.steps);
  EXPECT_EQ(again.batches, state.batches);
  EXPECT_EQ(again.learning_rate, Limits::denorm_min());
  EXPECT_EQ(again.loss, Limits::lowest());
  EXPECT_EQ(again.largest_gradient_norm, Limits::max());
  EXPECT_TRUE(std::signbit(again.plateau.best));
  EXPECT_EQ(again.early_stopping.best, 0.1 + 0.2);
}

// A change of a good text, and the message that it must lead to.
struct Change {
  std::function<void(json&)> change;
  std::string message;
};

TEST(ParseState, NamesTheFieldThatIsWrong) {
  Random random(1);
  const json good = json::parse(SerializeState(RandomState(0, 3, random)));
  const Change changes[] = {
      {[](json& s) { s.erase("loss"); }, "state.loss: missing"},
      {[](json& s) { s["plateau"].erase("any"); }, "state.plateau.any: missing"},
      {[](json& s) { s["epochs"][1].erase("best"); }, "state.epochs[1].best: missing"},
      {[](json& s) { s["Loss"] = 1; }, "state.Loss: unknown field"},
      {[](json& s) { s["early_stopping"]["x"] = 1; }, "state.early_stopping.x: unknown field"},
      {[](json& s) { s["epochs"][2]["x"] = 1; }, "state.epochs[2].x: unknown field"},
      {[](json& s) { s["loss"] = "1"; }, "state.loss: expected a number"},
      {[](json& s) { s["loss"] = nullptr; }, "state.loss: expected a number"},
      {[](json& s) { s["plateau"] = json::array(); }, "state.plateau: expected an object"},
      {[](json& s) { s["epochs"] = json::object(); }, "state.epochs: expected an array"},
      {[](json& s) { s["epochs"][0] = 1; }, "state.epochs[0]: expected an object"},
      {[](json& s) { s["plateau"]["any"] = 1; }, "state.plateau.any: expected true or false"},
      {[](json& s) { s["batches"] = 1.5; }, "state.batches: expected an integer"},
      {[](json& s) { s["batches"] = 2147483648; }, "state.batches: expected an integer"},
      {[](json& s) { s["batches"] = -2147483649; }, "state.batches: expected an integer"},
      {[](json& s) { s["batches"] = -1; }, "state.batches: -1 is negative"},
      {[](json& s) { s["adam_steps"] = 9223372036854775808u; }, "state.adam_steps: expected an"},
      {[](json& s) { s["adam_steps"] = -1; }, "state.adam_steps: -1 is negative"},
      {[](json& s) { s["learning_rate"] = 0; }, "state.learning_rate: 0 is not positive"},
      {[](json& s) { s["learning_rate"] = -0.5; }, "state.learning_rate: -0.5 is not positive"},
      {[](json& s) { s["plateau"]["bad_epochs"] = -1; }, "state.plateau.bad_epochs: -1 is neg"},
      {[](json& s) { s["early_stopping"]["bad_epochs"] = -1; }, "early_stopping.bad_epochs: -1"},
      {[](json& s) { s["early_stopping"]["best_epoch"] = 0; }, "best_epoch: 0 is not from 1 to 3"},
      {[](json& s) { s["early_stopping"]["best_epoch"] = 4; }, "best_epoch: 4 is not from 1 to 3"},
      {[](json& s) { s["early_stopping"]["any"] = false; }, "is not from 0 to 0"},
      {[](json& s) { s["epochs"][0]["epoch"] = 0; }, "state.epochs[0].epoch: expected 1, found 0"},
      {[](json& s) { s["epochs"][1]["epoch"] = 3; }, "state.epochs[1].epoch: expected 2, found 3"},
      {[](json& s) { s["epochs"][1]["learning_rate"] = 0; }, "epochs[1].learning_rate: 0 is not"},
      {[](json& s) { s["epochs"][1]["largest_gradient_norm"] = -1; }, "epochs[1].largest_gradient"},
      {[](json& s) { s["largest_gradient_norm"] = -1; }, "state.largest_gradient_norm: -1 is neg"},
      {[](json& s) { s = json::array(); }, "state: expected an object"}};
  EXPECT_NO_THROW(ParseState(good.dump()));
  for (const Change& change : changes) {
    json bad = good;
    change.change(bad);
    try {
      ParseState(bad.dump());
      ADD_FAILURE() << change.message;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(change.message), std::string::npos)
          << error.what() << "\nexpected: " << change.message;
    }
  }
  for (const char* text : {"", "{", "null", "{\"loss\":1,\"loss\":1}", "{\"loss\":1e999}"}) {
    EXPECT_THROW(ParseState(text), Error) << text;
  }
}

TEST(SerializeState, RefusesWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Set = void (*)(TrainingState&, double);
  const Set fields[] = {
      [](TrainingState& s, double x) { s.learning_rate = x; },
      [](TrainingState& s, double x) { s.plateau.best = x; },
      [](TrainingState& s, double x) { s.early_stopping.best = x; },
      [](TrainingState& s, double x) { s.epochs[1].training_cross_entropy = x; },
      [](TrainingState& s, double x) { s.epochs[1].validation_cross_entropy = x; },
      [](TrainingState& s, double x) { s.epochs[1].learning_rate = x; },
      [](TrainingState& s, double x) { s.epochs[1].largest_gradient_norm = x; },
      [](TrainingState& s, double x) { s.loss = x; },
      [](TrainingState& s, double x) { s.largest_gradient_norm = x; }};
  for (std::size_t n = 0; n < std::size(fields); ++n) {
    for (const double value : {infinity, -infinity, nan}) {
      Random random(1);
      TrainingState state = RandomState(0, 2, random);
      fields[n](state, value);
      EXPECT_THROW(SerializeState(state), Error) << "field " << n << " with " << value;
    }
  }
}

}  // namespace
}  // namespace pushdown
