#pragma once
// Every change of a file that a thread makes, seen from outside. The program that links this calls these functions in the
// place of the C library's, whose own they then call: so no code of the device knows of it, and none gets past it.

/// Called in the thread that changes something, before each change, and in the middle of each write, which then is half on
/// disk. What it does to files itself is not reported.
typedef void (*disk_step)(void *context);

/// Reports this thread's changes until `disk_steps_ignore`.
void disk_steps_watch(disk_step step, void *context);
void disk_steps_ignore(void);
