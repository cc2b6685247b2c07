#pragma once
#include <curl/curl.h>

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

/// How a transfer ended, once it has.
static inline int ccurl_result(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE) return 0;
    *result = message->data.result;
    return 1;
}
