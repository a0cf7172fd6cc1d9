#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own main loop; SwiftPM renames the entry point, so main.swift calls it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*user)(const uint8_t *data, size_t size));
