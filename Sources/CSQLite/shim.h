#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT and SQLITE_STATIC are casts that Swift does not import, and the two that configure are variadic.

/// Binds a copy of the bytes; none of them is an empty blob, and not NULL.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
    if (byte_count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_TRANSIENT);
}

/// Binds the bytes as they lie: they stay there until something else is bound in their place.
static inline int csqlite_bind_borrowed(sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
    if (byte_count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_STATIC);
}

/// No statement can change the file but through the tables.
static inline int csqlite_make_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// No count of the library's memory, which takes a lock of the process at each allocation. Before the library's first use.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// How long a connection's log is, in frames (a page each), after its last commit, and from where on it is moved into the file.
typedef struct {
    int frame_count;
    int checkpoint_frame_count;
} csqlite_log;

/// As SQLite's own hook does for `wal_autocheckpoint`, which this one takes the place of. What a move could not do, the next does.
static inline int csqlite_did_commit(void *log, sqlite3 *connection, const char *schema, int frame_count) {
    csqlite_log *own = log;
    own->frame_count = frame_count;
    if (frame_count >= own->checkpoint_frame_count) sqlite3_wal_checkpoint(connection, schema);
    return SQLITE_OK;
}

/// `log` lives as long as the connection.
static inline void csqlite_watch_log(sqlite3 *connection, csqlite_log *log) {
    sqlite3_wal_hook(connection, csqlite_did_commit, log);
}
