#include "connection.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void expire(evutil_socket_t unused, short what, void *argument) {
    (void)unused;
    (void)what;
    cevent_connection_end(argument);
}

void cevent_connection_set_deadline(struct cevent_connection *connection, unsigned milliseconds) {
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    // Without memory for it, the connection is not worth keeping.
    if (evtimer_add(connection->deadline, &time) != 0) cevent_connection_end(connection);
}

void cevent_connection_end(struct cevent_connection *connection) {
    int descriptor = bufferevent_getfd(connection->stream);
    if (descriptor < 0) return;
    // A reset when it is closed: the kernel would keep a peer that goes on writing for another minute.
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    shutdown(descriptor, SHUT_RDWR);
}

void cevent_connection_close_file(struct cevent_connection *connection) {
    if (connection->descriptor >= 0) close(connection->descriptor);
    connection->descriptor = -1;
    connection->answering = NULL;
}

/// Called by OpenSSL when the SSL goes.
static void free_connection(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl, void *argp) {
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    struct cevent_connection *connection = value;
    if (connection == NULL) return;
    struct cevent_server *server = connection->server;
    cevent_connection_close_file(connection);
    if (connection->deadline != NULL) event_free(connection->deadline);
    free(connection);
    server->connection_count--;
    if (server->listener != NULL) evconnlistener_enable(server->listener);
}

static pthread_once_t index_once = PTHREAD_ONCE_INIT;
static int ssl_index = -1;

static void make_index(void) {
    ssl_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_connection);
}

struct bufferevent *cevent_connection_new(struct event_base *base, void *argument) {
    struct cevent_server *server = argument;
    pthread_once(&index_once, make_index);
    SSL *ssl = SSL_new(server->ssl_context);
    struct cevent_connection *connection = calloc(1, sizeof *connection);
    if (ssl == NULL || connection == NULL || ssl_index < 0 || !SSL_set_ex_data(ssl, ssl_index, connection)) {
        free(connection);
        SSL_free(ssl);
        return NULL;
    }
    // From here on the SSL owns the connection.
    connection->server = server;
    connection->descriptor = -1;
    server->connection_count++;
    if (server->connection_count >= server->limits.connection_count_max) evconnlistener_disable(server->listener);
    connection->stream =
        bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    if (connection->stream == NULL) {
        SSL_free(ssl);
        return NULL;
    }
    connection->deadline = evtimer_new(base, expire, connection);
    if (connection->deadline == NULL) {
        bufferevent_free(connection->stream);
        return NULL;
    }
    // evhttp goes on reading while it answers, and would keep all of it.
    bufferevent_setwatermark(
        connection->stream,
        EV_READ,
        0,
        server->limits.header_byte_count_max + server->limits.body_byte_count_max + (64 << 10)
    );
    cevent_connection_set_deadline(connection, server->limits.request_milliseconds);
    return connection->stream;
}

struct cevent_connection *cevent_connection_of(struct evhttp_connection *connection) {
    SSL *ssl = bufferevent_openssl_get_ssl(evhttp_connection_get_bufferevent(connection));
    return ssl == NULL ? NULL : SSL_get_ex_data(ssl, ssl_index);
}
