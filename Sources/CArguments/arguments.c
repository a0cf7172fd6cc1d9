#include "CArguments.h"

// Says which C library this is.
#include <stdlib.h>

static char **kept = NULL;

// glibc and Apple's loader hand main's arguments to constructors. Another C library leaves the registers as they are.
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep(int count, char **arguments) {
    if (count > 0) {
        kept = arguments;
    }
}
#endif

char *const *playhead_arguments(void) { return kept; }
