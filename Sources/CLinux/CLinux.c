#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
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

// Returns the number of threads that it held, or -1.
static int hold_threads(const cpu_set_t *set) {
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL) return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        // "." and "..", or a thread that has ended.
        if (thread <= 0 || (sched_setaffinity(thread, sizeof *set, set) != 0 && errno == ESRCH)) continue;
        cpu_set_t held;
        if (sched_getaffinity(thread, sizeof held, &held) == 0 && !CPU_EQUAL(&held, set)) {
            closedir(folder);
            errno = EINVAL;
            return -1;
        }
        count++;
    }
    closedir(folder);
    return count;
}

int clinux_use_processor(int number) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    // A thread begun meanwhile has its place from the one that began it: a second pass sees it.
    int count = hold_threads(&set);
    return count > 0 && hold_threads(&set) > 0 ? 0 : -1;
}

int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

char *const *clinux_environment(void) { return environ; }

size_t clinux_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void clinux_heap_trim(void) { malloc_trim(0); }
