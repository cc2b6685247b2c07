// Preloaded, delays tasks at random before they continue, as a busy machine does rarely. So a test cannot rely on an
// order that nothing guarantees. HOLD_UP_SEED gives the pattern.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef void swift_job;
typedef __attribute__((swiftcall)) void (*original_enqueue)(swift_job *);
typedef __attribute__((swiftcall)) void (*enqueue_hook)(swift_job *, original_enqueue);

struct held { uint64_t due; swift_job *job; original_enqueue enqueue; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct held *heap; // The earliest is the first.
static size_t count, capacity;
static uint64_t seed;
static atomic_uint_fast64_t draws;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// SplitMix64.
static uint64_t draw(void) {
    uint64_t z = seed + atomic_fetch_add(&draws, 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// Nanoseconds: mostly none, one time in 16 those of a thread's small job, in 256 those of a disk, in 8192 those of a
// machine with other work.
static uint64_t delay(void) {
    uint64_t kind = draw(), share = draw() >> 32;
    if (kind % 8192 == 0) return share * 1500000000 >> 32;
    if (kind % 256 == 0) return share * 40000000 >> 32;
    if (kind % 16 == 0) return share * 1000000 >> 32;
    return 0;
}

static void swap(size_t a, size_t b) {
    struct held one = heap[a];
    heap[a] = heap[b];
    heap[b] = one;
}

static void push(struct held one) {
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        heap = realloc(heap, capacity * sizeof *heap);
        if (!heap) abort();
    }
    size_t at = count++;
    heap[at] = one;
    for (; at > 0 && heap[(at - 1) / 2].due > heap[at].due; at = (at - 1) / 2) swap(at, (at - 1) / 2);
}

static struct held pop(void) {
    struct held first = heap[0];
    heap[0] = heap[--count];
    for (size_t at = 0, next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count && heap[next + 1].due < heap[next].due) next++;
        if (heap[at].due <= heap[next].due) break;
        swap(at, next);
    }
    return first;
}

static void *let_go(void *nothing) {
    (void)nothing;
    pthread_mutex_lock(&lock);
    for (;;) {
        if (count == 0) {
            pthread_cond_wait(&changed, &lock);
        } else if (heap[0].due > now()) {
            struct timespec due = { (time_t)(heap[0].due / 1000000000), (long)(heap[0].due % 1000000000) };
            pthread_cond_timedwait(&changed, &lock, &due);
        } else {
            struct held one = pop();
            pthread_mutex_unlock(&lock);
            one.enqueue(one.job);
            pthread_mutex_lock(&lock);
        }
    }
}

static void start(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_t thread;
    if (pthread_create(&thread, NULL, let_go, NULL) != 0) abort();
    pthread_detach(thread);
}

static __attribute__((swiftcall)) void hold_up(swift_job *job, original_enqueue enqueue) {
    uint64_t nanoseconds = delay();
    if (nanoseconds == 0) {
        enqueue(job);
        return;
    }
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    push((struct held){ now() + nanoseconds, job, enqueue });
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void install(void) {
    const char *text = getenv("HOLD_UP_SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    // Programs without this runtime are left alone.
    enqueue_hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (hook) *hook = hold_up;
}
