#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "cli/interrupt.h"
#include "cli/standard_error.h"
#include "cli/terminal.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr std::size_t kLongestBar = 30;
constexpr std::size_t kShortestBar = 6;
constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(200);

// As much of a label, a bar, the percentage and the time left as there is room for.
std::string BarText(const std::string& label, double fraction, double seconds_left,
                    std::size_t width) {
  const std::string percent = fmt::format("{:.0f} %", 100 * fraction);
  const std::string left = fmt::format("{}, {} left", percent, DurationText(seconds_left));
  const std::size_t needed = Columns(label) + Columns(left) + std::string_view(" [] ").size();
  if (needed + kShortestBar <= width) {
    const std::size_t length = std::min(kLongestBar, width - needed);
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(length));
    return fmt::format("{} [{:#<{}}{:.<{}}] {}", label, "", filled, "", length - filled, left);
  }
  const std::string& end = Columns(label) + 2 + Columns(left) <= width ? left : percent;
  const std::size_t room = width > Columns(end) + 2 ? width - Columns(end) - 2 : 0;
  return Shortened(room > 0 ? Shortened(label, room) + ": " + end : end, width);
}

}  // namespace

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
  const double left = elapsed * (1 - fraction) / (fraction - before);
  // The window may have changed since. Its last column stays free: the cursor stands there, and in
  // some terminals goes on to the next line.
  const std::size_t width = TerminalWidth(STDERR_FILENO) - 1;
  // A terminal that is gone does not come back.
  terminal_ = WriteToStandardError("\r\033[K" + BarText(label_, fraction, left, width));
  drawn_ = true;
}

void StageBar::Hide() const {
  const std::lock_guard lock(state_->mutex);
  state_->bar.reset();
}

void StageBar::operator()(const std::string& stage, double fraction) const {
  const std::lock_guard lock(state_->mutex);
  if (state_->bar == nullptr || state_->stage != stage) {
    state_->bar.reset();
    state_->bar = std::make_unique<Progress>(stage);
    state_->stage = stage;
  }
  state_->bar->Update(fraction);
  if (fraction >= 1) state_->bar.reset();  // what follows may print
}

}  // namespace pushdown::cli
