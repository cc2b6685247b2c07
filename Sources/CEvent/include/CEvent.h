#pragma once
// libevent's HTTP server behind handles that say nothing of its types: its headers define _GNU_SOURCE, and a clang module that
// saw them disagrees with Glibc's about fd_set. All calls belong to the thread that runs the server, but `cevent_server_stop`.
#include <stddef.h>
#include <stdint.h>

struct cevent_server;
struct cevent_request;

/// "2.1.12-stable": of the library that was loaded.
const char *cevent_version(void);

struct cevent_limits {
    /// The request line and all fields; more is a 400.
    size_t header_byte_count_max;
    /// More is a 413.
    size_t body_byte_count_max;
    /// So many at once; who comes then waits in the listener's queue.
    size_t connection_count_max;
    /// From the connection, or the last answer, to the end of the next request.
    unsigned request_milliseconds;
    /// For each piece of an answer: 64 KiB of a file, or all of what is in memory.
    unsigned answer_milliseconds;
};

/// Answers a request through exactly one of the `cevent_answer` calls before it returns.
typedef void (*cevent_handler)(struct cevent_request *request, void *context);

/// - Parameters:
///   - listener: a descriptor that listens; the server's from now on, whatever this returns.
///   - ssl_context: an `SSL_CTX` of a server's, which outlives this one. NULL: plain text, for callers of this machine:
///     deadlines are then evhttp's, which a steady drip defeats, and connections are not counted; files are not served.
/// - Returns: NULL without memory or descriptors.
struct cevent_server *cevent_server_new(
    int listener,
    void *ssl_context,
    const struct cevent_limits *limits,
    cevent_handler handler,
    void *context
);

/// Serves until it is stopped. SIGPIPE is held back on this thread from then on.
void cevent_server_run(struct cevent_server *server);

/// From any thread, as often as one likes, as long as the server is there.
void cevent_server_stop(struct cevent_server *server);

/// Ends all connections; one in plain text first writes what it has answered. Not while it runs.
void cevent_server_free(struct cevent_server *server);

/// "GET", say. What this returns lives as long as the request, here and below.
const char *cevent_request_method(struct cevent_request *request);
/// The request target as it came.
const char *cevent_request_target(struct cevent_request *request);
/// 10 × major + minor.
int cevent_request_version(struct cevent_request *request);
/// The fields one after another, as they came; `name` is NULL at the end. Begins anew with each request.
void cevent_request_next_field(struct cevent_request *request, const char **name, const char **value);
size_t cevent_request_body_byte_count(struct cevent_request *request);
/// Moves the body's first bytes out. The number of bytes that were there.
size_t cevent_request_take_body(struct cevent_request *request, void *bytes, size_t byte_count);

/// Adds a field to the answer. 0, or -1 for one that would end the line, or without memory.
int cevent_answer_add_field(struct cevent_request *request, const char *name, const char *value);
/// Answers with bytes, which are copied.
void cevent_answer_bytes(
    struct cevent_request *request,
    int status,
    const char *reason,
    const void *bytes,
    size_t byte_count
);
/// Answers with a part of a file, which is read while it is sent; the fields hold its length already. The descriptor is the
/// server's from now on. A file that turns out shorter ends the connection.
void cevent_answer_file(
    struct cevent_request *request,
    int status,
    const char *reason,
    int descriptor,
    uint64_t offset,
    uint64_t byte_count
);
