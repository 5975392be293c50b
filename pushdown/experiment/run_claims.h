#pragma once

#include <string>

namespace pushdown {

// Which process is training which run of an experiment. A claim is a lock on one byte of a file in
// the directory of the experiment, so that processes on all machines that share the directory see
// it, and that it ends with the process, however that ends. On a file system without such locks
// nothing is ever claimed by others.
class RunClaims {
 public:
  // Throws Error if the file cannot be opened.
  explicit RunClaims(const std::string& directory);
  ~RunClaims();
  RunClaims(const RunClaims&) = delete;
  RunClaims& operator=(const RunClaims&) = delete;

  // Claims a run, by its name in the experiment; false if somebody else has claimed it.
  bool Claim(const std::string& run);
  void Release(const std::string& run);
  // Whether somebody else has claimed it.
  bool IsClaimed(const std::string& run) const;

 private:
  bool Lock(const std::string& run, short type);

  int file_ = -1;
};

}  // namespace pushdown
