#include "pushdown/experiment/run_claims.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/run/run_directory.h"

namespace pushdown {
namespace {

struct flock ByteOf(const std::string& run, short type) {
  Fingerprint fingerprint;
  fingerprint.Add(run);
  struct flock byte = {};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(fingerprint.value() >> 2);  // offsets are not negative
  byte.l_len = 1;
  return byte;
}

}  // namespace

RunClaims::RunClaims(const std::string& directory) {
  const std::string path = PathIn(directory, kLockFile);
  // Open for writing, which locks need.
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (file_ >= 0) return;
  const int error = errno;
  throw Error(ErrorKind::kSystem, "pushdown::RunClaims",
              path + ": cannot be opened: " + std::generic_category().message(error));
}

RunClaims::~RunClaims() { close(file_); }

bool RunClaims::Lock(const std::string& run, short type) {
  // Locks of the open file, not of the process: closing another one of the file does not end them.
  struct flock byte = ByteOf(run, type);
  return fcntl(file_, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool RunClaims::Claim(const std::string& run) { return Lock(run, F_WRLCK); }

void RunClaims::Release(const std::string& run) { Lock(run, F_UNLCK); }

bool RunClaims::IsClaimed(const std::string& run) const {
  struct flock byte = ByteOf(run, F_WRLCK);
  return fcntl(file_, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

}  // namespace pushdown
