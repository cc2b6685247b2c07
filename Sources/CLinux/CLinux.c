#define _GNU_SOURCE
#include "CLinux.h"

#include <sched.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    return write(fd, &one, sizeof one) == (ssize_t)sizeof one ? 0 : -1;
}

int clinux_eventfd_clear(int fd) {
    uint64_t counter;
    return read(fd, &counter, sizeof counter) == (ssize_t)sizeof counter ? 0 : -1;
}

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

ssize_t clinux_send(int fd, const void *bytes, size_t byte_count) { return send(fd, bytes, byte_count, MSG_NOSIGNAL); }

int clinux_use_processor(int number) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

char *const *clinux_environment(void) { return environ; }
