// System calls on files that fail on purpose, for tests of what happens then.
#pragma once

/// Whether calls can be made to fail in this build: on Linux, and not under a sanitizer, which has the names itself.
int faults_work(void);

/// From now on, the call number `number` (from 1) of this thread fails with `error`, and with `lasting` all later ones.
void faults_begin(int number, int lasting, int error);

/// Ends that; gives how many calls there were.
int faults_end(void);
