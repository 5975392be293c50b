#include "pushdown/kernels/simd.h"

#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "pushdown/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

std::int64_t CompiledTarget() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(CompiledTarget);

std::string LowerCaseName(std::int64_t target) {
  std::string name = hwy::TargetName(target);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// Better targets have lower bits.
std::vector<std::int64_t> AvailableTargets() {
  // SupportedTargets leaves out the portable target where the CPU has a better one.
  const std::int64_t available = (hwy::SupportedTargets() | HWY_EMU128 | HWY_SCALAR) & HWY_TARGETS;
  std::vector<std::int64_t> targets;
  for (int bit = 0; bit < 63; ++bit) {
    if ((available & (std::int64_t{1} << bit)) != 0) targets.push_back(std::int64_t{1} << bit);
  }
  return targets;
}

}  // namespace

std::vector<std::string> AvailableSimdTargets() {
  std::vector<std::string> names;
  for (std::int64_t target : AvailableTargets()) names.push_back(LowerCaseName(target));
  return names;
}

std::string ActiveSimdTarget() {
  InitializeSimdTarget();
  return LowerCaseName(HWY_DYNAMIC_DISPATCH(CompiledTarget)());
}

void ForceSimdTarget(std::string_view name) {
  std::string known;
  for (std::int64_t target : AvailableTargets()) {
    if (LowerCaseName(target) == name) {
      hwy::GetChosenTarget().Update(target);
      return;
    }
    known += (known.empty() ? "" : ", ") + LowerCaseName(target);
  }
  throw Error("pushdown::ForceSimdTarget", "no SIMD target \"" + std::string(name.substr(0, 60)) +
                                               "\" here; this CPU has " + known);
}

void InitializeSimdTarget() {
  static const bool initialized = [] {
    const char* name = std::getenv("PUSHDOWN_SIMD");
    if (name != nullptr && *name != '\0') ForceSimdTarget(name);
    return true;
  }();
  (void)initialized;
}

}  // namespace pushdown
#endif  // HWY_ONCE
