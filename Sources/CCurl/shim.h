#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

// curl_easy_setopt and curl_easy_getinfo take any type behind an ellipsis, which Swift cannot call: one function for each
// type that an option may have. In parentheses, since the names are macros as well.

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// curl keeps a copy.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// curl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// curl keeps the list's pointer.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_function(CURL *handle, CURLoption option, ccurl_data_function value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_status(CURL *handle, long *status) {
    return (curl_easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, status);
}

/// Why the server's certificate was refused: OpenSSL's X509_V_ERR_…, or 0.
static inline CURLcode ccurl_verify_result(CURL *handle, long *result) {
    return (curl_easy_getinfo)(handle, CURLINFO_SSL_VERIFYRESULT, result);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

/// A transfer that has ended, and how.
static inline int ccurl_end(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE) return 0;
    *easy = message->easy_handle;
    *result = message->data.result;
    return 1;
}

/// Gives a socket for an address, or CURL_SOCKET_BAD.
typedef curl_socket_t (*ccurl_open_socket_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode ccurl_set_open_socket(CURL *handle, ccurl_open_socket_function value) {
    return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

/// Asked before a request's first byte: CURL_PREREQFUNC_OK or CURL_PREREQFUNC_ABORT.
typedef int (*ccurl_begin_function)(void *context, char *address, char *own_address, int port, int own_port);

static inline CURLcode ccurl_set_begin(CURL *handle, ccurl_begin_function value) {
    return (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, value);
}

/// Writes an address in network order, and its port in the host's. How many bytes: 4, 16, or 0 for another family.
static inline size_t ccurl_address(const struct curl_sockaddr *address, unsigned char bytes[16], unsigned short *port) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in v4;
        memcpy(&v4, &address->addr, sizeof v4);
        memcpy(bytes, &v4.sin_addr, 4);
        *port = ntohs(v4.sin_port);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        // More of it lies behind `addr` than its type says.
        struct sockaddr_in6 v6;
        memcpy(&v6, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof v6);
        memcpy(bytes, &v6.sin6_addr, 16);
        *port = ntohs(v6.sin6_port);
        return 16;
    }
    return 0;
}
