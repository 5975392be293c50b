#pragma once

#include <string>
#include <string_view>

namespace pushdown::cli {

// Standard error has messages, logs and progress, never results. A terminal that was closed, a full
// disk under a log file or a pipe whose reader is gone must not end a command, so that nothing here
// throws.

// Gives every standard stream that the caller closed a descriptor again: the next file that the
// program opens would take its place otherwise, and get what is meant for the stream. Writing to
// such an output still fails, except to standard error, and so does reading such an input.
void OpenStandardStreams();

// Writes the text as it is. Returns whether that was possible.
bool WriteToStandardError(std::string_view text);

// "pushdown: MESSAGE" on a line of its own.
void PrintMessage(std::string_view message);
// "pushdown: warning: MESSAGE" on a line of its own.
void PrintWarning(std::string_view message);

}  // namespace pushdown::cli
