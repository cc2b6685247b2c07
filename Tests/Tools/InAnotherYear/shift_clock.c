// Preloaded, sets the wall clock SHIFT_CLOCK_SECONDS ahead, and by the seconds in SHIFT_CLOCK_FILE (8 bytes, in the
// machine's order, changed at any time), and leaves every other clock alone. libfaketime cannot be used for this: it stops
// timers of the Swift runtime.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile int64_t *further;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("SHIFT_CLOCK_FILE");
    if (!path) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *further, PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) abort();
    further = bytes;
}

static time_t shift(void) {
    const char *seconds = getenv("SHIFT_CLOCK_SECONDS");
    return (seconds ? (time_t)atoll(seconds) : 0) + (further ? *further : 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    return 0;
}
