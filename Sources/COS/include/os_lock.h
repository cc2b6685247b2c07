#pragma once
// Source: https://developer.apple.com/documentation/os/os_unfair_lock_t
#include <stdbool.h>
#include <stdint.h>

/// A lock that knows its owner; zero is unlocked.
typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

/// Waits for the lock. Ends the process if the thread has it already.
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);

/// False if the lock is taken.
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);

/// Ends the process if the lock is not the thread's.
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);

/// Ends the process if the lock is not the thread's.
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);

/// Ends the process if the lock is the thread's.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);
