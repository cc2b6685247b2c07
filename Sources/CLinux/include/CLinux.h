#pragma once
// Functions that Swift's Glibc module lacks. Feature macros stay in the .c file: in a public header one changes the
// layout of fd_set between clang modules, and debug builds fail.
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/types.h>

/// Non-blocking, close-on-exec eventfd with counter 0, or -1 with errno.
int clinux_eventfd(void);

/// Adds one to an eventfd's counter, which makes it readable. 0, or -1 with errno.
int clinux_eventfd_signal(int fd);

/// Zeroes an eventfd's counter. 0, or -1 with errno.
int clinux_eventfd_clear(int fd);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC: the new descriptor, or -1 with errno.
int clinux_accept(int listener);

/// send with MSG_NOSIGNAL: a peer that is gone is an EPIPE, not a SIGPIPE.
ssize_t clinux_send(int fd, const void *bytes, size_t byte_count);

/// Starts a program with standard output going to `output`, held to one processor unless that is -1, with a fresh
/// process's signals. The child gets SIGTERM when the calling thread ends, and so when this process dies in any way.
/// The child's process id, or -1 with errno. `arguments` ends with NULL.
pid_t clinux_spawn(const char *path, char *const arguments[], int output, int processor);

/// Start of a confined program, beside its arguments.
struct clinux_confinement {
    /// Its working folder.
    const char *folder;
    /// Becomes descriptor 3; standard input is empty, standard output goes to standard error, nothing else is open.
    int channel;
    /// File through which it joins a control group, open for writing; -1 for none.
    int group;
};

/// Starts a program that cannot outlive the calling thread, leaves no core and inherits no descriptor but those above,
/// with a fresh process's signals. The child's process id, or -1 with errno, perhaps that of the child's own start.
/// `arguments` and `environment` end with NULL.
pid_t clinux_spawn_confined(
    const char *path,
    char *const arguments[],
    char *const environment[],
    const struct clinux_confinement *limits
);

/// From now on SIGINT, SIGTERM and SIGHUP add one to an eventfd's counter and do not end the process; a second SIGINT
/// does. SIGHUP stays ignored where it was. Once in a process. 0, or -1 with errno.
int clinux_stop_signals(int eventfd);

/// Holds every thread of this process, and those they start, to one processor. 0, or -1 with errno.
int clinux_use_processor(int number);

/// From now on this process leaves no core, and no other of its user may read its memory. 0, or -1 with errno.
int clinux_forbid_dumps(void);

/// Bytes that malloc has given out, in all arenas, and that were not freed.
size_t clinux_heap_in_use(void);

/// Returns the whole pages between malloc's allocations to the system.
void clinux_heap_trim(void);

/// `NAME=value` of the environment, ended by NULL. The process's own memory.
char *const *clinux_environment(void);
