#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

// Between fork and exec only async-signal-safe calls: the parent has threads.
pid_t clinux_spawn(const char *path, char *const arguments[], int output, int processor) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) return -1;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigset_t none;
        sigemptyset(&none);
        for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        cpu_set_t set;
        CPU_ZERO(&set);
        if (processor >= 0) CPU_SET(processor, &set);
        bool is_held = processor < 0 || sched_setaffinity(0, sizeof set, &set) == 0;
        // The parent may have died before the line above.
        if (is_held && getppid() == parent && dup2(output, STDOUT_FILENO) >= 0) execv(path, arguments);
        int reason = errno;
        ssize_t ignored = write(failure[1], &reason, sizeof reason);
        (void)ignored;
        _exit(127);
    }
    close(failure[1]);
    int reason = 0;
    if (child > 0 && read(failure[0], &reason, sizeof reason) == (ssize_t)sizeof reason) {
        errno = reason;
        child = -1;
    }
    close(failure[0]);
    return child;
}
