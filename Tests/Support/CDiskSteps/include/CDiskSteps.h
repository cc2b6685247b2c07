#pragma once
// Reports every change that a thread makes to files, from outside. The program that links this calls these functions
// instead of the C library's, which they then call: so no code of the device knows of it, and none gets past it.

/// Called in the changing thread, before each change, and in the middle of each write, which then is half on disk. Its
/// own changes to files are not reported.
typedef void (*disk_step)(void *context);

/// Reports this thread's changes until `disk_steps_ignore`.
void disk_steps_watch(disk_step step, void *context);
void disk_steps_ignore(void);
