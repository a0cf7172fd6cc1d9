// The test program's own read(2), write(2) and so on stand before those of the C library.
#define _GNU_SOURCE
#include "faults.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(SANITIZED)
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local struct {
    int isOn, number, lasting, error, calls;
} state;

int faults_work(void) { return 1; }

void faults_begin(int number, int lasting, int error) {
    state.number = number;
    state.lasting = lasting;
    state.error = error;
    state.calls = 0;
    state.isOn = 1;
}

int faults_end(void) {
    state.isOn = 0;
    return state.calls;
}

static int fails(void) {
    if (!state.isOn) return 0;
    state.calls++;
    if (state.calls != state.number && !(state.lasting && state.calls > state.number)) return 0;
    errno = state.error;
    return 1;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    return fails() ? -1 : syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return fails() ? -1 : syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return fails() ? -1 : syscall(SYS_write, descriptor, bytes, count);
}

// No test needs what it writes after a loss of power, and waiting for the disk took most of the time.
int fsync(int descriptor) {
    (void)descriptor;
    return fails() ? -1 : 0;
}

int ftruncate(int descriptor, off_t length) { return fails() ? -1 : (int)syscall(SYS_ftruncate, descriptor, length); }

int renameat(int from, const char *name, int to, const char *target) {
    return fails() ? -1 : (int)syscall(SYS_renameat2, from, name, to, target, 0u);
}

int linkat(int from, const char *name, int to, const char *target, int flags) {
    return fails() ? -1 : (int)syscall(SYS_linkat, from, name, to, target, flags);
}

int mkdirat(int folder, const char *name, mode_t mode) {
    return fails() ? -1 : (int)syscall(SYS_mkdirat, folder, name, mode);
}

int unlinkat(int folder, const char *name, int flags) {
    return fails() ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

static int opened(int folder, const char *name, int flags, va_list arguments) {
    // Only these flags come with a mode (open(2)).
    mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
    return fails() ? -1 : (int)syscall(SYS_openat, folder, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = opened(folder, name, flags, arguments);
    va_end(arguments);
    return result;
}

int open(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int result = opened(AT_FDCWD, name, flags, arguments);
    va_end(arguments);
    return result;
}
#else
int faults_work(void) { return 0; }
void faults_begin(int number, int lasting, int error) { (void)number, (void)lasting, (void)error; }
int faults_end(void) { return 0; }
#endif
