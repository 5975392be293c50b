// Opens a run, or a model file, and asks it for probabilities, readings of its stack and samples.

#include <pushdown/run/trained_model.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace pushdown;
  if (argc != 2) return 2;
  const TrainedModel model = OpenModel(argv[1]);
  const std::vector<int> string = model.Encode("0 1 # 1 0");
  std::printf("log p = %.3f\n", model.LogProbability(string));
  for (const std::vector<float>& reading : model.Read(string).readings) {
    for (const float probability : reading) std::printf("%.3f ", probability);
    std::printf("\n");  // of each pair of state and symbol on top of the stack
  }
  for (const SampledString& sample : model.Sample(3)) {
    std::printf("%.3f  %s\n", sample.log_p, model.Decode(sample.symbols).c_str());
  }
}
