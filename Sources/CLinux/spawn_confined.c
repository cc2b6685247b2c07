#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { channel_in_child = 3, first_free = 10 };

// Makes all fresh that a program has. Only async-signal-safe calls: the parent has threads.
static int confine(const struct clinux_confinement *limits, pid_t parent) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return -1;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
    // The parent may have died before the line above.
    if (getppid() != parent) return -1;
    // A terminal's Ctrl-C is for the parent, which then decides.
    if (setpgid(0, 0) != 0) return -1;
    // Some of these programs are there to crash: no core is wanted.
    struct rlimit no_core = {0, 0};
    if (setrlimit(RLIMIT_CORE, &no_core) != 0) return -1;
    // "0" is whoever writes it.
    if (limits->group >= 0 && write(limits->group, "0", 1) != 1) return -1;
    if (chdir(limits->folder) != 0) return -1;

    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    // Above the numbers about to be given out.
    int channel = fcntl(limits->channel, F_DUPFD_CLOEXEC, first_free);
    if (nothing < 0 || channel < 0) return -1;
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return -1;
    if (dup2(channel, channel_in_child) < 0) return -1;
    return close_range(channel_in_child + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

pid_t clinux_spawn_confined(
    const char *path,
    char *const arguments[],
    char *const environment[],
    const struct clinux_confinement *limits
) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) return -1;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        int report = fcntl(failure[1], F_DUPFD_CLOEXEC, first_free);
        if (report >= 0 && confine(limits, parent) == 0) execve(path, arguments, environment);
        int reason = errno;
        ssize_t ignored = write(report, &reason, sizeof reason);
        (void)ignored;
        _exit(127);
    }
    close(failure[1]);
    if (child > 0) {
        int reason = 0;
        ssize_t count;
        do count = read(failure[0], &reason, sizeof reason);
        while (count < 0 && errno == EINTR);
        if (count == (ssize_t)sizeof reason) {
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
            errno = reason;
            child = -1;
        }
    }
    int code = errno;
    close(failure[0]);
    errno = code;
    return child;
}
