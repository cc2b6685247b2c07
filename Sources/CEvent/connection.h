#pragma once
// What the server's files share.
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <openssl/ssl.h>

#include "include/CEvent.h"

struct cevent_server {
    struct event_base *base;
    struct evhttp *http;
    struct evconnlistener *listener;
    struct event *stop;
    struct event *resume;
    int stop_descriptor;
    /// NULL: plain text.
    SSL_CTX *ssl_context;
    struct cevent_limits limits;
    cevent_handler handler;
    void *context;
    size_t connection_count;
};

/// One TLS connection; lives and dies with its SSL, which is the only end that evhttp cannot pass over.
struct cevent_connection {
    struct cevent_server *server;
    struct bufferevent *stream;
    struct event *deadline;
    /// The request whose answer is read from a file, or NULL.
    struct evhttp_request *answering;
    int descriptor;
    uint64_t offset;
    uint64_t rest;
};

struct cevent_request {
    struct evhttp_request *request;
    /// NULL: plain text.
    struct cevent_connection *connection;
    struct evkeyval *next_field;
};

/// The connection will be ended unless it is heard of again within this time.
void cevent_connection_set_deadline(struct cevent_connection *connection, unsigned milliseconds);
/// Shuts the socket down; evhttp then sees the end and clears up as it does for any other.
void cevent_connection_end(struct cevent_connection *connection);
/// For `evhttp_set_bevcb`.
struct bufferevent *cevent_connection_new(struct event_base *base, void *server);
/// NULL for one that is not TLS.
struct cevent_connection *cevent_connection_of(struct evhttp_connection *connection);
/// Forgets the file whose answer is under way.
void cevent_connection_close_file(struct cevent_connection *connection);
