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

/// Starts a program with standard output going to `output`; every signal as a fresh process has it. The child gets
/// SIGTERM when this process dies, however it dies. The child's process id, or -1 with errno. `arguments` ends with NULL.
pid_t clinux_spawn(const char *path, char *const arguments[], int output);

/// From now on SIGINT, SIGTERM and SIGHUP add one to an eventfd's counter instead of ending the process; a second SIGINT
/// ends it. SIGHUP stays ignored where it was. Once in a process. 0, or -1 with errno.
int clinux_stop_signals(int eventfd);
