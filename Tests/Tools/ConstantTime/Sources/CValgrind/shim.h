#pragma once
#include <stddef.h>
#include <valgrind/memcheck.h>

static inline int cvalgrind_is_running(void) { return RUNNING_ON_VALGRIND != 0; }
static inline long cvalgrind_error_count(void) { return VALGRIND_COUNT_ERRORS; }
static inline void cvalgrind_make_secret(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }
static inline void cvalgrind_make_public(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_DEFINED(bytes, count); }

/// Hides from the optimizer that nothing is read from there.
static inline void cvalgrind_keep(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }
