#pragma once
#include <libpq-fe.h>

// Fields of a result are named by character constants, which Swift imports as other types on each platform.

/// Five characters, or NULL for an error of the library's own.
static inline const char *cpostgresql_state(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }

/// ERROR, FATAL, PANIC, WARNING, NOTICE and others, in English; NULL for an error of the library's own.
static inline const char *cpostgresql_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}
