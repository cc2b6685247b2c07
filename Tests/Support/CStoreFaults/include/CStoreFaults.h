#pragma once
// A file system of SQLite's over the system's own, that loses power, runs full and fails on demand. All of it happens
// in this process: it writes back the old bytes that a lost page cache would have left.

struct store_faults;

/// Registers one under a name of its own. NULL without memory.
struct store_faults *store_faults_create(const char *name);

/// Unregisters it, once nothing is open.
void store_faults_destroy(struct store_faults *faults);

/// Number of writes, truncations and syncs so far.
long store_faults_operation_count(struct store_faults *faults);

/// Before the operation of this number (the first is 1) every write that was not synced is undone, and from then on
/// every operation fails. A percentage of the writes survives, chosen by the seed. 0 for never.
void store_faults_lose_power(struct store_faults *faults, long operation, int percent_kept, unsigned long seed);

/// Returns nonzero once that has happened.
int store_faults_has_lost_power(struct store_faults *faults);

/// Makes writes find no space from the operation of this number on. 0 for space again.
void store_faults_fill(struct store_faults *faults, long operation);

/// Makes writes fail from the operation of this number on. 0 for good writes again.
void store_faults_fail_writes(struct store_faults *faults, long operation);

/// Makes the next sync fail, once.
void store_faults_fail_sync(struct store_faults *faults);
