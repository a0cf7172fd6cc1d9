/* Starts a program in namespaces of its own (Linux).
 *
 * C, since the code between fork and exec may only use what is async-signal-safe, which Swift cannot promise. */
#ifndef PLAYHEAD_ISOLATION_H
#define PLAYHEAD_ISOLATION_H

#include <sys/types.h>

/* The step that failed. */
enum playhead_isolation_step {
    PLAYHEAD_STEP_NONE = 0,
    PLAYHEAD_STEP_START,
    PLAYHEAD_STEP_NAMESPACES,
    PLAYHEAD_STEP_USER_MAP,
    PLAYHEAD_STEP_MOUNT,
    PLAYHEAD_STEP_LOOPBACK,
    PLAYHEAD_STEP_LISTENER,
    PLAYHEAD_STEP_EXEC,
};

struct playhead_isolation {
    /* Whether to try first without a user namespace, which the superuser does not need. */
    int privileged;
    /* The lines for /proc/self/uid_map and gid_map of the user namespace. */
    const char *uid_map;
    const char *gid_map;
    /* Source, target, source, target, …, NULL: what is bound over what. */
    char *const *binds;
    /* The port of 127.0.0.1 to listen on in a network namespace; 0 keeps the network. */
    int port;
    /* The program, its arguments, its environment, and the arguments with which a shell runs it as a script. */
    const char *file;
    char *const *arguments;
    char *const *shell_arguments;
    char *const *environment;
};

struct playhead_isolated {
    pid_t pid;
    /* The listener inside the network namespace, or -1. */
    int listener;
    enum playhead_isolation_step failed_step;
    int error;
    /* Which bind failed, counted from 0. */
    int bind;
};

/* Returns when the program runs or a step failed; after a failure there is no process and no listener. */
struct playhead_isolated playhead_spawn_isolated(const struct playhead_isolation *plan);

#endif
