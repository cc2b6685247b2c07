#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"

static const size_t piece_byte_count = 64 << 10;

const char *cevent_request_method(struct cevent_request *request) {
    switch (evhttp_request_get_command(request->request)) {
    case EVHTTP_REQ_GET: return "GET";
    case EVHTTP_REQ_HEAD: return "HEAD";
    case EVHTTP_REQ_POST: return "POST";
    case EVHTTP_REQ_PUT: return "PUT";
    case EVHTTP_REQ_PATCH: return "PATCH";
    case EVHTTP_REQ_DELETE: return "DELETE";
    default: return "";
    }
}

const char *cevent_request_target(struct cevent_request *request) {
    return evhttp_request_get_uri(request->request);
}

int cevent_request_version(struct cevent_request *request) {
    return 10 * request->request->major + request->request->minor;
}

void cevent_request_next_field(struct cevent_request *request, const char **name, const char **value) {
    struct evkeyval *field = request->next_field;
    *name = field == NULL ? NULL : field->key;
    *value = field == NULL ? NULL : field->value;
    if (field != NULL) request->next_field = field->next.tqe_next;
}

size_t cevent_request_body_byte_count(struct cevent_request *request) {
    return evbuffer_get_length(evhttp_request_get_input_buffer(request->request));
}

size_t cevent_request_take_body(struct cevent_request *request, void *bytes, size_t byte_count) {
    int count = evbuffer_remove(evhttp_request_get_input_buffer(request->request), bytes, byte_count);
    return count < 0 ? 0 : (size_t)count;
}

int cevent_answer_add_field(struct cevent_request *request, const char *name, const char *value) {
    return evhttp_add_header(evhttp_request_get_output_headers(request->request), name, value);
}

/// An answer that cannot be given: the connection goes.
static void end_connection(struct cevent_request *request) {
    if (request->connection != NULL) return cevent_connection_end(request->connection);
    int descriptor = bufferevent_getfd(evhttp_connection_get_bufferevent(evhttp_request_get_connection(request->request)));
    if (descriptor >= 0) shutdown(descriptor, SHUT_RDWR);
}

void cevent_answer_bytes(
    struct cevent_request *request,
    int status,
    const char *reason,
    const void *bytes,
    size_t byte_count
) {
    struct evbuffer *body = evbuffer_new();
    if (body == NULL || evbuffer_add(body, bytes, byte_count) != 0) {
        end_connection(request);
        byte_count = 0;
    }
    evhttp_send_reply(request->request, status, reason, body);
    if (body != NULL) evbuffer_free(body);
}

/// Sends the next piece of a file; evhttp calls it again once that is written.
static void send_piece(struct evhttp_connection *unused, void *argument) {
    struct cevent_connection *connection = argument;
    struct evhttp_request *request = connection->answering;
    (void)unused;
    if (request == NULL) return;
    if (connection->rest == 0) {
        // May end the connection, and its memory with it.
        evhttp_send_reply_end(request);
        return;
    }
    size_t wanted = connection->rest < piece_byte_count ? (size_t)connection->rest : piece_byte_count;
    struct evbuffer *piece = evbuffer_new();
    struct evbuffer_iovec space;
    ssize_t count = -1;
    if (piece != NULL && evbuffer_reserve_space(piece, (ev_ssize_t)wanted, &space, 1) == 1) {
        do {
            count = pread(connection->descriptor, space.iov_base, wanted, (off_t)connection->offset);
        } while (count < 0 && errno == EINTR);
    }
    if (count > 0) {
        space.iov_len = (size_t)count;
        evbuffer_commit_space(piece, &space, 1);
        connection->offset += (uint64_t)count;
        connection->rest -= (uint64_t)count;
        cevent_connection_set_deadline(connection, connection->server->limits.answer_milliseconds);
        evhttp_send_reply_chunk_with_cb(request, piece, send_piece, connection);
    } else {
        cevent_connection_end(connection);
    }
    if (piece != NULL) evbuffer_free(piece);
}

void cevent_answer_file(
    struct cevent_request *request,
    int status,
    const char *reason,
    int descriptor,
    uint64_t offset,
    uint64_t byte_count
) {
    struct cevent_connection *connection = request->connection;
    if (connection == NULL) {
        close(descriptor);
        end_connection(request);
        return evhttp_send_reply(request->request, status, reason, NULL);
    }
    connection->answering = request->request;
    connection->descriptor = descriptor;
    connection->offset = offset;
    connection->rest = byte_count;
    evhttp_send_reply_start(request->request, status, reason);
    send_piece(NULL, connection);
}
