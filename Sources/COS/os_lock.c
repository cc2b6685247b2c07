#define _GNU_SOURCE
#include "os_lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The owner's thread id; the highest bit says that a thread waits.
static const uint32_t waiting = 0x80000000;

static uint32_t self(void) {
    static _Thread_local uint32_t id;
    // A forked child's only thread has another id; it may not take its parent's locks.
    if (id == 0) id = (uint32_t)syscall(SYS_gettid);
    return id;
}

static uint32_t owner(const os_unfair_lock *lock) {
    return __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) & ~waiting;
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t none = 0;
    return __atomic_compare_exchange_n(
        &lock->_os_unfair_lock_opaque, &none, self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED
    );
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    if (os_unfair_lock_trylock(lock)) return;
    if (owner(lock) == self()) abort();
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    while (true) {
        uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        // Others may wait too, so the bit stays.
        if (seen == 0) {
            if (__atomic_compare_exchange_n(
                    word, &seen, self() | waiting, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED
                ))
                return;
            continue;
        }
        uint32_t marked = seen | waiting;
        if (seen != marked
            && !__atomic_compare_exchange_n(word, &seen, marked, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        // Woken, interrupted or changed meanwhile: look again.
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, marked, NULL, NULL, 0);
    }
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    os_unfair_lock_assert_owner(lock);
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & waiting)
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (owner(lock) != self()) abort();
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (owner(lock) == self()) abort();
}
