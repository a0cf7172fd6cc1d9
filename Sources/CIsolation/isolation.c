#if defined(__linux__)
#define _GNU_SOURCE
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "CIsolation.h"

#if defined(__linux__)

/* What the child says when a step failed. */
struct message {
    int step, error, bind;
};

static _Noreturn void give_up(int control, int step, int bind) {
    struct message message = {step, errno, bind};
    ssize_t ignored = write(control, &message, sizeof message);
    (void)ignored;
    _exit(125);
}

static int write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = write(file, text, strlen(text));
    int error = errno;
    close(file);
    errno = error;
    return count == (ssize_t)strlen(text) ? 0 : -1;
}

/* Handlers of the parent must not run here: they would speak through pipes that both share. */
static void reset_signals(void) {
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0) continue;
        int is_ours = number == SIGPIPE || number == SIGXFSZ;
        if (action.sa_handler == SIG_DFL || (action.sa_handler == SIG_IGN && !is_ours)) continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void enter_namespaces(const struct playhead_isolation *plan, int control) {
    int spaces = CLONE_NEWNS | (plan->port != 0 ? CLONE_NEWNET : 0);
    if (plan->privileged && unshare(spaces) == 0) return;
    if (unshare(CLONE_NEWUSER | spaces) != 0) give_up(control, PLAYHEAD_STEP_NAMESPACES, 0);
    /* A user who is not privileged outside may map a group only after giving setgroups up (user_namespaces(7)). */
    if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
        give_up(control, PLAYHEAD_STEP_USER_MAP, 0);
    if (write_file("/proc/self/uid_map", plan->uid_map) != 0 || write_file("/proc/self/gid_map", plan->gid_map) != 0)
        give_up(control, PLAYHEAD_STEP_USER_MAP, 0);
}

static void bind_files(const struct playhead_isolation *plan, int control) {
    /* What is mounted here stays here; what the machine mounts later still arrives. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) give_up(control, PLAYHEAD_STEP_MOUNT, -1);
    for (int index = 0; plan->binds[2 * index] != NULL; index++) {
        if (mount(plan->binds[2 * index], plan->binds[2 * index + 1], NULL, MS_BIND, NULL) != 0)
            give_up(control, PLAYHEAD_STEP_MOUNT, index);
    }
}

static void raise_loopback(int control) {
    int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    if (socket_ < 0 || ioctl(socket_, SIOCGIFFLAGS, &request) != 0) give_up(control, PLAYHEAD_STEP_LOOPBACK, 0);
    request.ifr_flags |= IFF_UP;
    if (ioctl(socket_, SIOCSIFFLAGS, &request) != 0) give_up(control, PLAYHEAD_STEP_LOOPBACK, 0);
    close(socket_);
}

/* A socket belongs to the namespace it was made in, whoever holds it: the parent accepts what is connected here. */
static void hand_over_listener(int port, int control) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0)
        give_up(control, PLAYHEAD_STEP_LISTENER, 0);
    struct message message = {PLAYHEAD_STEP_NONE, 0, 0};
    struct iovec part = {&message, sizeof message};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } rights;
    memset(&rights, 0, sizeof rights);
    struct msghdr envelope = {0};
    envelope.msg_iov = &part;
    envelope.msg_iovlen = 1;
    envelope.msg_control = rights.space;
    envelope.msg_controllen = sizeof rights.space;
    rights.head.cmsg_level = SOL_SOCKET;
    rights.head.cmsg_type = SCM_RIGHTS;
    rights.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&rights.head), &listener, sizeof(int));
    if (sendmsg(control, &envelope, MSG_NOSIGNAL) != (ssize_t)sizeof message)
        give_up(control, PLAYHEAD_STEP_LISTENER, 0);
    close(listener);
}

static _Noreturn void become(const struct playhead_isolation *plan, int control) {
    reset_signals();
    enter_namespaces(plan, control);
    bind_files(plan, control);
    if (plan->port != 0) {
        raise_loopback(control);
        hand_over_listener(plan->port, control);
    }
    execve(plan->file, plan->arguments, plan->environment);
    /* A file just written may still be open in a process that is being started; that passes. */
    for (int attempt = 0; errno == ETXTBSY && attempt < 50; attempt++) {
        usleep(2000);
        execve(plan->file, plan->arguments, plan->environment);
    }
    /* A script without a `#!` line: run by the shell, as execvp(3) does. */
    if (errno == ENOEXEC) execve("/bin/sh", plan->shell_arguments, plan->environment);
    give_up(control, PLAYHEAD_STEP_EXEC, 0);
}

/* Reads one message and the descriptor that may come with it. Returns 0 at the end, which is the successful exec. */
static int receive(int control, struct message *message, int *listener) {
    struct iovec part = {message, sizeof *message};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } rights;
    struct msghdr envelope = {0};
    envelope.msg_iov = &part;
    envelope.msg_iovlen = 1;
    envelope.msg_control = rights.space;
    envelope.msg_controllen = sizeof rights.space;
    ssize_t count;
    do { count = recvmsg(control, &envelope, MSG_CMSG_CLOEXEC); } while (count < 0 && errno == EINTR);
    if (count != (ssize_t)sizeof *message) return 0;
    struct cmsghdr *head = CMSG_FIRSTHDR(&envelope);
    if (head != NULL && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(listener, CMSG_DATA(head), sizeof(int));
    return 1;
}

struct playhead_isolated playhead_spawn_isolated(const struct playhead_isolation *plan) {
    struct playhead_isolated result = {-1, -1, PLAYHEAD_STEP_NONE, 0, 0};
    int ends[2];
    /* Each message arrives whole, and the end of the stream is seen. */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        result.failed_step = PLAYHEAD_STEP_START;
        result.error = errno;
        return result;
    }
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    result.pid = fork();
    if (result.pid == 0) {
        close(ends[0]);
        become(plan, ends[1]);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    close(ends[1]);
    if (result.pid < 0) {
        result.failed_step = PLAYHEAD_STEP_START;
        result.error = error;
    } else {
        struct message message;
        while (receive(ends[0], &message, &result.listener)) {
            if (message.step == PLAYHEAD_STEP_NONE) continue;
            result.failed_step = (enum playhead_isolation_step)message.step;
            result.error = message.error;
            result.bind = message.bind;
            break;
        }
        if (result.failed_step != PLAYHEAD_STEP_NONE) {
            int status;
            while (waitpid(result.pid, &status, 0) < 0 && errno == EINTR) {}
            if (result.listener >= 0) close(result.listener);
            result.listener = -1;
            result.pid = -1;
        }
    }
    close(ends[0]);
    return result;
}

#else

struct playhead_isolated playhead_spawn_isolated(const struct playhead_isolation *plan) {
    (void)plan;
    struct playhead_isolated result = {-1, -1, PLAYHEAD_STEP_NAMESPACES, ENOSYS, 0};
    return result;
}

#endif
