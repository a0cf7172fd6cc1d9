#ifndef PLAYHEAD_C_ARGUMENTS_H
#define PLAYHEAD_C_ARGUMENTS_H

/// The program's arguments as the system handed them to it, its own name first; ends with NULL.
///
/// NULL where the C library does not say (musl).
char *const *playhead_arguments(void);

#endif
