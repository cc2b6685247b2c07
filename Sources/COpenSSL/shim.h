#pragma once
// OpenSSL's function macros and SSL_OP_* casts do not import into Swift; each gets a static inline here.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int copenssl_ctx_set_min_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// For tests of what only TLS 1.2 does.
static inline int copenssl_ctx_set_max_tls12(SSL_CTX *context) {
    return SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
}

static inline int copenssl_ctx_set_groups(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

static inline void copenssl_ctx_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// A client's sessions are told to the callback and kept nowhere else.
static inline void copenssl_ctx_tell_client_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

/// Seconds since 1970. OpenSSL 3.4 deprecates the old names, which 3.0 alone has.
static inline int64_t copenssl_session_time(const SSL_SESSION *session) {
#if OPENSSL_VERSION_NUMBER >= 0x30300000L
    return SSL_SESSION_get_time_ex(session);
#else
    return SSL_SESSION_get_time(session);
#endif
}

static inline void copenssl_session_set_time(SSL_SESSION *session, int64_t seconds) {
#if OPENSSL_VERSION_NUMBER >= 0x30300000L
    SSL_SESSION_set_time_ex(session, seconds);
#else
    SSL_SESSION_set_time(session, seconds);
#endif
}

static inline void copenssl_ctx_release_idle_buffers(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// No compression (CRIME), no renegotiation. A server's order of ciphers counts, not its clients'.
static inline void copenssl_ctx_set_house_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}

/// Certificates as RFC 5280 has them: what OpenSSL lets pass for old ones' sake is refused.
static inline int copenssl_ctx_verify_strictly(SSL_CTX *context) {
    return X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
}

static inline void copenssl_ctx_refuse_tickets(SSL_CTX *context) { SSL_CTX_set_options(context, SSL_OP_NO_TICKET); }

static inline int copenssl_ctx_set_ticket_key_callback(SSL_CTX *context,
                                                       int (*callback)(SSL *, unsigned char *, unsigned char *,
                                                                       EVP_CIPHER_CTX *, EVP_MAC_CTX *, int)) {
    return (int)SSL_CTX_set_tlsext_ticket_key_evp_cb(context, callback);
}

/// Has both contexts work with a ticket's key: 32 bytes for AES-256 in CBC mode, 32 for HMAC with SHA-256.
static inline int copenssl_prepare_ticket(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *checksum, unsigned char *key,
                                          const unsigned char *vector, int seals) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key + 32, 32),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(checksum, parameters) == 1 &&
           EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key, vector, seals) == 1;
}

static inline int copenssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

/// Fresh keys, or NULL; EVP_EC_gen and EVP_RSA_gen are variadic macros.
static inline EVP_PKEY *copenssl_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *copenssl_generate_rsa2048(void) { return EVP_RSA_gen(2048); }

/// Whether no loaded provider has the algorithm that was asked for.
static inline int copenssl_is_unsupported(unsigned long error) { return ERR_GET_REASON(error) == ERR_R_UNSUPPORTED; }

// The hashes without contexts of their own, deprecated since OpenSSL 3.0 in favour of EVP, whose set-up takes several times
// as long as a short hash. They are part of OpenSSL 3's stable interface.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline int copenssl_sha256_init(SHA256_CTX *state) { return SHA256_Init(state); }
static inline int copenssl_sha256_update(SHA256_CTX *state, const void *bytes, size_t count) {
    return SHA256_Update(state, bytes, count);
}
static inline int copenssl_sha256_final(unsigned char *digest, SHA256_CTX *state) { return SHA256_Final(digest, state); }
static inline int copenssl_sha512_init(SHA512_CTX *state) { return SHA512_Init(state); }
static inline int copenssl_sha512_update(SHA512_CTX *state, const void *bytes, size_t count) {
    return SHA512_Update(state, bytes, count);
}
static inline int copenssl_sha512_final(unsigned char *digest, SHA512_CTX *state) { return SHA512_Final(digest, state); }
#pragma clang diagnostic pop
