#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "connection.h"

const char *cevent_version(void) { return event_get_version(); }

/// libevent writes to standard error otherwise, addresses of clients among others.
static void say_nothing(int severity, const char *text) {
    (void)severity;
    (void)text;
}

static void break_loop(evutil_socket_t descriptor, short what, void *server) {
    (void)descriptor;
    (void)what;
    event_base_loopbreak(((struct cevent_server *)server)->base);
}

/// Without descriptors, the waiting connection would be reported in every turn: the loop would spin.
static void pause_accepting(struct evconnlistener *listener, void *argument) {
    struct cevent_server *server = argument;
    struct timeval time = {0, 100000};
    evconnlistener_disable(listener);
    evtimer_add(server->resume, &time);
}

static void resume_accepting(evutil_socket_t unused, short what, void *argument) {
    struct cevent_server *server = argument;
    (void)unused;
    (void)what;
    if (server->connection_count < server->limits.connection_count_max) evconnlistener_enable(server->listener);
}

static void answered(struct evhttp_request *request, void *argument) {
    struct cevent_connection *connection = argument;
    (void)request;
    cevent_connection_close_file(connection);
    cevent_connection_set_deadline(connection, connection->server->limits.request_milliseconds);
}

/// A connection that went while a file was sent: evhttp left the request to whoever was answering it.
static void closed(struct evhttp_connection *unused, void *argument) {
    struct cevent_connection *connection = argument;
    struct evhttp_request *request = connection->answering;
    (void)unused;
    cevent_connection_close_file(connection);
    if (request != NULL && evhttp_request_get_connection(request) == NULL) evhttp_request_free(request);
}

static void handle(struct evhttp_request *request, void *argument) {
    struct cevent_server *server = argument;
    struct evhttp_connection *http = evhttp_request_get_connection(request);
    struct cevent_connection *connection = server->ssl_context == NULL ? NULL : cevent_connection_of(http);
    // evhttp falls back to plain text when there is no memory for TLS, and keeps a connection open behind any CONNECT.
    if ((connection == NULL && server->ssl_context != NULL)
        || evhttp_request_get_command(request) == EVHTTP_REQ_CONNECT) {
        evhttp_connection_free(http);
        return;
    }
    if (connection != NULL) {
        evhttp_connection_set_closecb(http, closed, connection);
        evhttp_request_set_on_complete_cb(request, answered, connection);
        cevent_connection_set_deadline(connection, server->limits.answer_milliseconds);
    }
    struct cevent_request handed = {request, connection, NULL};
    handed.next_field = evhttp_request_get_input_headers(request)->tqh_first;
    server->handler(&handed, server->context);
}

static int listen_on(struct cevent_server *server, int descriptor) {
    server->listener = evconnlistener_new(server->base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, descriptor);
    if (server->listener == NULL) {
        close(descriptor);
        return 0;
    }
    evconnlistener_set_error_cb(server->listener, pause_accepting);
    if (evhttp_bind_listener(server->http, server->listener) != NULL) return 1;
    evconnlistener_free(server->listener);
    server->listener = NULL;
    return 0;
}

static int set_up(struct cevent_server *server) {
    server->base = event_base_new();
    if (server->base == NULL) return 0;
    server->http = evhttp_new(server->base);
    server->stop_descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->http == NULL || server->stop_descriptor < 0) return 0;
    server->stop = event_new(server->base, server->stop_descriptor, EV_READ, break_loop, server);
    server->resume = evtimer_new(server->base, resume_accepting, server);
    if (server->stop == NULL || server->resume == NULL || event_add(server->stop, NULL) != 0) return 0;
    evhttp_set_max_headers_size(server->http, (ev_ssize_t)server->limits.header_byte_count_max);
    evhttp_set_max_body_size(server->http, (ev_ssize_t)server->limits.body_byte_count_max);
    evhttp_set_allowed_methods(
        server->http,
        EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT | EVHTTP_REQ_PATCH | EVHTTP_REQ_DELETE
            | EVHTTP_REQ_CONNECT
    );
    evhttp_set_default_content_type(server->http, NULL);
    // Reads what is left of a body that is too large, within the deadline: else the 413 is lost to a reset.
    evhttp_set_flags(server->http, EVHTTP_SERVER_LINGERING_CLOSE);
    // No timeouts of evhttp's with TLS: one byte now and then defeats them, and the one for reading ends long answers.
    if (server->ssl_context != NULL) {
        evhttp_set_bevcb(server->http, cevent_connection_new, server);
    } else {
        unsigned milliseconds = server->limits.request_milliseconds;
        struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
        evhttp_set_timeout_tv(server->http, &time);
    }
    evhttp_set_gencb(server->http, handle, server);
    return 1;
}

struct cevent_server *cevent_server_new(
    int listener,
    void *ssl_context,
    const struct cevent_limits *limits,
    cevent_handler handler,
    void *context
) {
    event_set_log_callback(say_nothing);
    struct cevent_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        close(listener);
        return NULL;
    }
    server->ssl_context = ssl_context;
    server->limits = *limits;
    server->handler = handler;
    server->context = context;
    server->stop_descriptor = -1;
    if (!set_up(server)) {
        close(listener);
    } else if (listen_on(server, listener)) {
        return server;
    }
    cevent_server_free(server);
    return NULL;
}

void cevent_server_run(struct cevent_server *server) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    event_base_dispatch(server->base);
}

void cevent_server_stop(struct cevent_server *server) {
    eventfd_write(server->stop_descriptor, 1);
}

void cevent_server_free(struct cevent_server *server) {
    // What was answered in plain text and not yet written: who asks a server to stop hears that it does.
    if (server->ssl_context == NULL && server->base != NULL) event_base_loop(server->base, EVLOOP_NONBLOCK);
    // evhttp frees it, before the connections, which would enable it.
    server->listener = NULL;
    if (server->http != NULL) evhttp_free(server->http);
    // What the connections left to be done in the next turn.
    if (server->base != NULL) event_base_loop(server->base, EVLOOP_NONBLOCK);
    if (server->stop != NULL) event_free(server->stop);
    if (server->resume != NULL) event_free(server->resume);
    if (server->base != NULL) event_base_free(server->base);
    if (server->stop_descriptor >= 0) close(server->stop_descriptor);
    free(server);
}
