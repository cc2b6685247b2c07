// OpenSSL 3.0 frees the text of a decrypted private key without clearing it (EVP_PKCS82PKEY, PKCS12_parse). These
// functions clear each block. They count only if nothing was allocated before (CRYPTO_set_mem_functions(3)), so they are
// set when the program is loaded.
#define _GNU_SOURCE
#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/ssl3.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, const char *file, int line) {
    (void)file, (void)line;
    return malloc(count);
}

// A connection frees its record buffers, 17 KB each, whenever it has read or written all. They never hold a private key,
// and clearing them is a twentieth of a small request's work. Without file names they are cleared too.
static int is_record_buffer(const char *file, size_t count) {
    return count >= SSL3_RT_MAX_PLAIN_LENGTH && file != NULL && strstr(file, "ssl/record/") != NULL;
}

static void clear_and_free(void *block, const char *file, int line) {
    (void)line;
    if (block == NULL) return;
    size_t count = malloc_usable_size(block);
    if (!is_record_buffer(file, count)) explicit_bzero(block, count);
    free(block);
}

static void *reallocate(void *block, size_t count, const char *file, int line) {
    if (block != NULL && count == 0) {
        clear_and_free(block, file, line);
        return NULL;
    }
    size_t old = block == NULL ? 0 : malloc_usable_size(block);
    if (count <= old) return block;
    void *moved = malloc(count);
    if (moved == NULL || block == NULL) return moved;
    memcpy(moved, block, old);
    clear_and_free(block, file, line);
    return moved;
}

__attribute__((constructor)) static void set_functions(void) {
    CRYPTO_set_mem_functions(allocate, reallocate, clear_and_free);
    // At the exit of a program its other threads still run, and each frees its random generator when it ends; OpenSSL's
    // own clean-up at exit has freed what that needs.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
