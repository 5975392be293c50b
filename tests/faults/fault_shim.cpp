// A library for LD_PRELOAD that makes calls of system functions fail.
//
//   PUSHDOWN_FAULT=rename:3     the third rename fails
//   PUSHDOWN_FAULT=write:17+    the 17th write and all after it, as on a disk that stays full
//   PUSHDOWN_FAULT=fsync:2!     the process is killed at the second fsync
//   PUSHDOWN_FAULT_COUNTS=FILE  FILE gets a line "KIND CALLS" for each kind of functions
//   PUSHDOWN_FAULT_TRACE=1      standard error gets where the first call that failed came from
//
// Only what main does counts: before and after it, nobody could report a failure. Functions of libc
// call each other without passing here, so that a call of fwrite is a write, but what it writes by
// itself when a buffer is full is not.

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kWrite, kRename, kSync, kOpen, kMkdir, kRead, kStat, kMalloc, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"write", "rename", "fsync", "open",
                                                    "mkdir", "read",   "stat",  "malloc"};
constexpr std::array<int, kKinds> kErrors = {ENOSPC, EIO, EIO, EMFILE, ENOSPC, EIO, EIO, ENOMEM};

bool active = false;  // whether main is running
std::array<std::atomic<long>, kKinds> calls = {};
// The calls that fail.
int fault_kind = -1;
long first_fault = 0;
long last_fault = 0;
bool kill_instead = false;
bool trace = false;

// Counts a call; true if it is to fail, and errno is set then.
bool Fails(Kind kind) {
  if (!active) return false;
  const long call = ++calls[kind];
  if (kind != fault_kind || call < first_fault || call > last_fault) return false;
  if (kill_instead) raise(SIGKILL);
  if (trace && call == first_fault) {
    std::array<void*, 64> frames = {};
    backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  }
  errno = kErrors[kind];
  return true;
}

void ReadFault(const char* text) {
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr) return;
  for (int kind = 0; kind < kKinds; ++kind) {
    const std::size_t size = std::strlen(kNames[kind]);
    if (static_cast<std::size_t>(colon - text) == size && !std::strncmp(text, kNames[kind], size)) {
      fault_kind = kind;
    }
  }
  char* end = nullptr;
  first_fault = std::strtol(colon + 1, &end, 10);
  last_fault = *end == '+' ? LONG_MAX : first_fault;
  kill_instead = *end == '!';
}

void WriteCounts(const char* path) {
  std::FILE* file = std::fopen(path, "w");
  for (int kind = 0; kind < kKinds; ++kind) {
    std::fprintf(file, "%s %ld\n", kNames[kind], calls[kind].load());
  }
  std::fclose(file);
}

using MainFunction = int(int, char**, char**);
MainFunction* program_main = nullptr;

int MainWithFaults(int argc, char** argv, char** environment) {
  const char* fault = std::getenv("PUSHDOWN_FAULT");
  const char* counts = std::getenv("PUSHDOWN_FAULT_COUNTS");
  if (fault != nullptr) ReadFault(fault);
  trace = std::getenv("PUSHDOWN_FAULT_TRACE") != nullptr;
  void* frame = nullptr;
  if (trace) backtrace(&frame, 1);  // the first call allocates
  active = true;
  const int exit_code = program_main(argc, argv, environment);
  active = false;
  if (counts != nullptr) WriteCounts(counts);
  return exit_code;
}

// The function that would have been called without this library.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int __libc_start_main(MainFunction* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  program_main = main;
  const auto next = Next<decltype(__libc_start_main)>("__libc_start_main");
  return next(MainWithFaults, argc, argv, init, fini, loader_fini, stack_end);
}

// Writing. Standard error is left alone: a terminal works when the disk is full.

std::size_t fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto next = Next<decltype(fwrite)>("fwrite");
  if (file == stderr || !Fails(kWrite)) return next(data, size, count, file);
  // A disk is full in the middle of a text.
  const std::size_t written = next(data, size, count / 2, file);
  errno = ENOSPC;
  return written;
}

int fflush(std::FILE* file) {
  static const auto next = Next<decltype(fflush)>("fflush");
  if (file == nullptr || !Fails(kWrite)) return next(file);
  __fpurge(file);
  return EOF;
}

int fclose(std::FILE* file) {
  static const auto next = Next<decltype(fclose)>("fclose");
  if (!__fwriting(file) || !Fails(kWrite)) return next(file);
  __fpurge(file);
  next(file);
  errno = ENOSPC;
  return EOF;
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  static const auto next = Next<decltype(write)>("write");
  return descriptor != STDERR_FILENO && Fails(kWrite) ? -1 : next(descriptor, data, size);
}

int rename(const char* from, const char* to) noexcept {
  static const auto next = Next<decltype(rename)>("rename");
  return Fails(kRename) ? -1 : next(from, to);
}

int fsync(int descriptor) {
  static const auto next = Next<decltype(fsync)>("fsync");
  return Fails(kSync) ? -1 : next(descriptor);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto next = Next<decltype(mkdir)>("mkdir");
  return Fails(kMkdir) ? -1 : next(path, mode);
}

// Opening.

std::FILE* fopen(const char* path, const char* mode) {
  static const auto next = Next<decltype(fopen)>("fopen");
  return Fails(kOpen) ? nullptr : next(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  static const auto next = Next<decltype(fopen64)>("fopen64");
  return Fails(kOpen) ? nullptr : next(path, mode);
}

int open(const char* path, int flags, ...) {
  static const auto next = Next<decltype(open)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Fails(kOpen) ? -1 : next(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  static const auto next = Next<decltype(openat)>("openat");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Fails(kOpen) ? -1 : next(directory, path, flags, mode);
}

DIR* opendir(const char* path) {
  static const auto next = Next<decltype(opendir)>("opendir");
  return Fails(kOpen) ? nullptr : next(path);
}

// Reading.

std::size_t fread(void* data, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto next = Next<decltype(fread)>("fread");
  if (!Fails(kRead)) return next(data, size, count, file);
  file->_flags |= _IO_ERR_SEEN;  // for ferror
  return 0;
}

ssize_t read(int descriptor, void* data, std::size_t size) {
  static const auto next = Next<decltype(read)>("read");
  return Fails(kRead) ? -1 : next(descriptor, data, size);
}

int stat(const char* path, struct stat* status) noexcept {
  static const auto next = Next<int(const char*, struct stat*)>("stat");
  return Fails(kStat) ? -1 : next(path, status);
}

int lstat(const char* path, struct stat* status) noexcept {
  static const auto next = Next<int(const char*, struct stat*)>("lstat");
  return Fails(kStat) ? -1 : next(path, status);
}

// Memory. These names of glibc need no dlsym, which allocates.

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept { return Fails(kMalloc) ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) noexcept {
  return Fails(kMalloc) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  return Fails(kMalloc) ? nullptr : __libc_realloc(block, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return Fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  if (Fails(kMalloc)) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

}  // extern "C"
