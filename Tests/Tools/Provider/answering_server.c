// The plainest server that a provider can push to: HTTP/2 over TLS by nghttp2 and OpenSSL, one thread for each connection.
// It reads every request whole, checks nothing and answers 200 with the request's own apns-id, as APNs would. For setting
// clients side by side only.
//
//   answering_server PORT CERTIFICATE.pem KEY.pem [WINDOW]
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STREAMS = 1000,       // what live APNs allows
    RECORD = 16384,       // TLS's largest record
    IDENTIFIERS = 4096,   // more than streams at once, and a power of two
};

static SSL_CTX *tls;
// Of a connection, in bytes: a client never waits for it, unless it was set.
static int window = 16 << 20;

struct connection {
    SSL *ssl;
    nghttp2_session *session;
    char identifiers[IDENTIFIERS][36];  // by half the stream's number, which only grows
};

static char *identifier(struct connection *connection, int32_t stream) {
    return connection->identifiers[(stream >> 1) % IDENTIFIERS];
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                     const uint8_t *value, size_t value_length, uint8_t flags, void *owner) {
    (void)session, (void)flags;
    if (name_length == 7 && value_length == 36 && memcmp(name, "apns-id", 7) == 0)
        memcpy(identifier(owner, frame->hd.stream_id), value, 36);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *owner) {
    int is_message = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (!is_message || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    nghttp2_nv fields[] = {
        {(uint8_t *)":status", (uint8_t *)"200", 7, 3, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE},
        {(uint8_t *)"apns-id", (uint8_t *)identifier(owner, frame->hd.stream_id), 7, 36,
         NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX},
    };
    return nghttp2_submit_response(session, frame->hd.stream_id, fields, 2, NULL);
}

static nghttp2_session *make_session(struct connection *connection) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    nghttp2_session *session;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0) return NULL;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_option_set_no_closed_streams(option, 1);
    int code = nghttp2_session_server_new2(&session, callbacks, connection, option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    if (code != 0) return NULL;
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20},
    };
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, window);
    return session;
}

// Sends everything that waits, in full records.
static int send_all(struct connection *connection) {
    static _Thread_local uint8_t record[2 * RECORD];
    size_t filled = 0;
    for (;;) {
        const uint8_t *bytes;
        ssize_t count = nghttp2_session_mem_send(connection->session, &bytes);
        if (count < 0) return 0;
        // An answer is one short frame; nothing that this server sends is longer than a record.
        if (count > RECORD) return 0;
        memcpy(record + filled, bytes, (size_t)count);
        filled += (size_t)count;
        if (filled == 0) return 1;
        if (count > 0 && filled < RECORD) continue;
        size_t length = filled < RECORD ? filled : RECORD;
        if (SSL_write(connection->ssl, record, (int)length) <= 0) return 0;
        memmove(record, record + length, filled - length);
        filled -= length;
    }
}

static void *serve(void *argument) {
    struct connection *connection = calloc(1, sizeof *connection);
    static _Thread_local uint8_t bytes[RECORD];
    int socket = (int)(intptr_t)argument, one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->ssl = SSL_new(tls);
    SSL_set_fd(connection->ssl, socket);
    connection->session = make_session(connection);
    int goes_on = connection->session != NULL && SSL_accept(connection->ssl) == 1 && send_all(connection);
    while (goes_on) {
        int count = SSL_read(connection->ssl, bytes, sizeof bytes);
        if (count <= 0) break;
        if (nghttp2_session_mem_recv(connection->session, bytes, (size_t)count) < 0) break;
        // Answers wait for the end of the input, as in an event loop.
        goes_on = SSL_has_pending(connection->ssl) || send_all(connection);
    }
    nghttp2_session_del(connection->session);
    SSL_free(connection->ssl);
    close(socket);
    free(connection);
    return NULL;
}

static int choose_h2(SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                     unsigned int offered_length, void *argument) {
    (void)ssl, (void)argument;
    return nghttp2_select_next_protocol((unsigned char **)chosen, length, offered, offered_length) == 1
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

int main(int count, char **words) {
    signal(SIGPIPE, SIG_IGN);
    tls = SSL_CTX_new(TLS_server_method());
    if (count < 4 || count > 5 || SSL_CTX_use_certificate_chain_file(tls, words[2]) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls, words[3], SSL_FILETYPE_PEM) != 1) {
        fprintf(stderr, "usage: answering_server PORT CERTIFICATE.pem KEY.pem [WINDOW]\n");
        return 2;
    }
    if (count == 5) window = atoi(words[4]);
    SSL_CTX_set_ciphersuites(tls, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_num_tickets(tls, 0);
    // Several records with one system call.
    SSL_CTX_set_read_ahead(tls, 1);
    SSL_CTX_set_default_read_buffer_len(tls, 8 * RECORD);
    SSL_CTX_set_alpn_select_cb(tls, choose_h2, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) {
        perror("answering_server");
        return 1;
    }
    socklen_t length = sizeof address;
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int socket = accept(listener, NULL, NULL);
        pthread_t thread;
        if (socket < 0) continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)socket) != 0) close(socket);
        else pthread_detach(thread);
    }
}
