#pragma once
// A file system of SQLite's over the system's own, that loses power, runs full and fails on demand. All of it happens in
// this process: what a page cache would have lost is written back as it was.

struct store_faults;

/// Registers one under a name of its own. NULL without memory.
struct store_faults *store_faults_create(const char *name);

/// Unregisters it, once nothing is open.
void store_faults_destroy(struct store_faults *faults);

/// How many writes, truncations and syncs there were.
long store_faults_operation_count(struct store_faults *faults);

/// Before the operation of this number (the first is 1) every write that was not synced is undone, and from then on every
/// operation fails. Of the writes so many in a hundred survive, chosen by the seed. 0 for never.
void store_faults_lose_power(struct store_faults *faults, long operation, int percent_kept, unsigned long seed);

/// Whether that has happened.
int store_faults_has_lost_power(struct store_faults *faults);

/// From the operation of this number on, writes find no space. 0 for space again.
void store_faults_fill(struct store_faults *faults, long operation);

/// From the operation of this number on, writes fail. 0 for writes that do what they should again.
void store_faults_fail_writes(struct store_faults *faults, long operation);

/// The next sync fails, once.
void store_faults_fail_sync(struct store_faults *faults);
