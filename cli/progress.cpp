#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/interrupt.h"
#include "cli/standard_error.h"

namespace pushdown::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

std::string DurationText(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(std::string label)
    : label_(std::move(label)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + kFirst) {}

Progress::~Progress() { Hide(); }

void Progress::Hide() {
  if (drawn_) WriteToStandardError("\r\033[K");
  drawn_ = false;
}

void Progress::Update(double fraction) {
  ThrowIfInterrupted();
  Show(fraction);
}

void Progress::Show(double fraction) {
  if (!terminal_) return;
  if (first_fraction_ < 0) first_fraction_ = fraction;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  fraction = std::clamp(fraction, 0.001, 1.0);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double before = std::min(first_fraction_, fraction - 0.001);
  const int filled = static_cast<int>(fraction * kBarWidth);
  // A terminal that is gone does not come back.
  terminal_ = WriteToStandardError(fmt::format(
      "\r\033[K{} [{:#<{}}{:.<{}}] {:.0f} %, {} left", label_, "", filled, "", kBarWidth - filled,
      100 * fraction, DurationText(elapsed * (1 - fraction) / (fraction - before))));
  drawn_ = true;
}

}  // namespace pushdown::cli
