#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

// Set before the handler is installed, and not changed after.
static int stop_eventfd = -1;

static void tell(int number) {
    (void)number;
    int code = errno;
    clinux_eventfd_signal(stop_eventfd);
    errno = code;
}

int clinux_stop_signals(int eventfd) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    stop_eventfd = eventfd;
    for (size_t index = 0; index < sizeof numbers / sizeof numbers[0]; index++) {
        int number = numbers[index];
        struct sigaction earlier;
        if (sigaction(number, NULL, &earlier) != 0) return -1;
        // Under nohup it is to outlive the terminal.
        if (number == SIGHUP && earlier.sa_handler == SIG_IGN) continue;
        struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
        // Only a person is impatient: the system repeats SIGTERM for each thread of a parent that dies, and SIGHUP from
        // shell and terminal.
        if (number == SIGINT) action.sa_flags |= SA_RESETHAND;
        if (sigaction(number, &action, NULL) != 0) return -1;
    }
    return 0;
}
