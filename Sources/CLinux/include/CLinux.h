#pragma once
// What Swift's Glibc module lacks. Feature macros stay in the .c file: one in a public header changes the layout of
// fd_set between clang modules, and debug builds fail.
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/types.h>

/// A non-blocking, close-on-exec eventfd with counter 0, or -1 with errno.
int clinux_eventfd(void);

/// Adds one to an eventfd's counter, which makes it readable. 0, or -1 with errno.
int clinux_eventfd_signal(int fd);

/// Sets an eventfd's counter back to zero. 0, or -1 with errno.
int clinux_eventfd_clear(int fd);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC: the new descriptor, or -1 with errno.
int clinux_accept(int listener);

/// send with MSG_NOSIGNAL, so that a peer that is gone is an EPIPE and not a SIGPIPE.
ssize_t clinux_send(int fd, const void *bytes, size_t byte_count);

/// Starts a program with standard output going to `output`, held to one processor unless that is -1; every signal as a
/// fresh process has it. The child gets SIGTERM when the calling thread ends, and with it when this process dies, however it
/// dies. The child's process id, or -1 with errno. `arguments` ends with NULL.
pid_t clinux_spawn(const char *path, char *const arguments[], int output, int processor);

/// What a confined program starts with, beside its arguments.
struct clinux_confinement {
    /// Its working folder.
    const char *folder;
    /// Becomes descriptor 3; standard input is empty, standard output goes to standard error, and nothing else is open.
    int channel;
    /// The file through which it joins a control group, open for writing; -1 for none.
    int group;
};

/// Starts a program that cannot outlive the calling thread, leaves no core and inherits no descriptor but those above;
/// every signal as a fresh process has it. The child's process id, or -1 with errno, which may be that of the child's own
/// start. `arguments` and `environment` end with NULL.
pid_t clinux_spawn_confined(
    const char *path,
    char *const arguments[],
    char *const environment[],
    const struct clinux_confinement *limits
);

/// From now on SIGINT, SIGTERM and SIGHUP add one to an eventfd's counter instead of ending the process; a second SIGINT
/// ends it. SIGHUP stays ignored where it was. Once in a process. 0, or -1 with errno.
int clinux_stop_signals(int eventfd);

/// Holds every thread of this process, and what they start, to one processor. 0, or -1 with errno.
int clinux_use_processor(int number);

/// From now on this process leaves no core, and no other process of its user may read its memory. 0, or -1 with errno.
int clinux_forbid_dumps(void);

/// Bytes that malloc has given out in all of its arenas, and that were not freed.
size_t clinux_heap_in_use(void);

/// Gives the whole pages between what malloc has given out back to the system.
void clinux_heap_trim(void);

/// `NAME=value` of the process's environment, ended by NULL. The process's own memory.
char *const *clinux_environment(void);
