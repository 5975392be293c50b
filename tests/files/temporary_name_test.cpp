#include <gtest/gtest.h>

#include <string>

#include "pushdown/output_file.h"

namespace pushdown {
namespace {

TEST(TemporaryNameTest, TellsItsTarget) {
  EXPECT_EQ(TargetOfTemporaryName(TemporaryName("model.safetensors", 0)), "model.safetensors");
  EXPECT_EQ(TargetOfTemporaryName(TemporaryName("model.safetensors", 7)), "model.safetensors");
  EXPECT_EQ(TargetOfTemporaryName("run.tmp.node-3.cluster.4711"), "run");
  EXPECT_EQ(TargetOfTemporaryName("run.tmp.4711-2"), "run") << "as earlier versions wrote it";
}

TEST(TemporaryNameTest, OtherNamesAreNotTemporary) {
  for (const char* name :
       {"run", "run.tmp", "run.tmp.", "figure.tmp.1.png", "run.tmp.node.", "run.tmp.node.12x",
        "run.tmp.node.12-", "run.tmp.node.-1", "run.tmp.node.0", "run.tmp.node.99999999999999"}) {
    EXPECT_EQ(TargetOfTemporaryName(name), "") << name;
  }
}

}  // namespace
}  // namespace pushdown
