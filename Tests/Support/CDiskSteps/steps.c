#define _GNU_SOURCE
#include "CDiskSteps.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static _Thread_local disk_step observer;
static _Thread_local void *observer_context;

void disk_steps_watch(disk_step step, void *context) {
    observer_context = context;
    observer = step;
}

void disk_steps_ignore(void) { observer = NULL; }

// Under the thread sanitizer its own functions stand here, and nothing is reported.
#if defined(__linux__) && !__has_feature(thread_sanitizer)

// 0 where nothing watches.
static int report(void) {
    disk_step step = observer;
    if (!step) return 0;
    int error = errno;
    observer = NULL;
    step(observer_context);
    observer = step;
    errno = error;
    return 1;
}

static void *next(const char *name, void *_Atomic *kept) {
    void *found = atomic_load(kept);
    if (!found) atomic_store(kept, found = dlsym(RTLD_NEXT, name));
    return found;
}

#define NEXT(name) \
    static void *_Atomic kept; \
    __typeof__(&name) real = (__typeof__(&name))next(#name, &kept)

// The rest of a write whose first half is on disk.
static ssize_t whole(ssize_t half, ssize_t rest) { return rest < 0 ? half : half + rest; }

ssize_t write(int file, const void *bytes, size_t count) {
    NEXT(write);
    if (!report() || count < 2) return real(file, bytes, count);
    ssize_t half = real(file, bytes, count / 2);
    if (half <= 0) return half;
    report();
    return whole(half, real(file, (const char *)bytes + half, count - (size_t)half));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    NEXT(pwrite);
    if (!report() || count < 2) return real(file, bytes, count, offset);
    ssize_t half = real(file, bytes, count / 2, offset);
    if (half <= 0) return half;
    report();
    return whole(half, real(file, (const char *)bytes + half, count - (size_t)half, offset + half));
}

int fsync(int file) {
    NEXT(fsync);
    report();
    return real(file);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    report();
    return real(file);
}

int ftruncate(int file, off_t size) {
    NEXT(ftruncate);
    report();
    return real(file, size);
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    report();
    return real(from, to);
}

int link(const char *from, const char *to) {
    NEXT(link);
    report();
    return real(from, to);
}

int unlink(const char *path) {
    NEXT(unlink);
    report();
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    report();
    return real(path, mode);
}

#endif
