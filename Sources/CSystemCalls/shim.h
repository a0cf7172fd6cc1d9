// System calls that Swift's own modules do not offer.
#pragma once
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
/// Waits until everything written to the file system of an open file is on the disk.
static inline int playhead_sync_file_system(int descriptor) {
    return (int)syscall(SYS_syncfs, descriptor);
}
/// Lets two names in a folder change places at once; -1 with errno where the file system cannot.
static inline int playhead_exchange_names(int folder, const char *a, const char *b) {
    return (int)syscall(SYS_renameat2, folder, a, folder, b, 2u /* RENAME_EXCHANGE */);
}
#else
#include <stdio.h>
/// Not there: its sync(2) does not wait.
static inline int playhead_sync_file_system(int descriptor) {
    (void)descriptor;
    return -1;
}
static inline int playhead_exchange_names(int folder, const char *a, const char *b) {
    return renameatx_np(folder, a, folder, b, RENAME_SWAP);
}
#endif
