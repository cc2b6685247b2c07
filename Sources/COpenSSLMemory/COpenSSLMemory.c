// OpenSSL 3.0 frees the text of a decrypted private key without clearing it (EVP_PKCS82PKEY, PKCS12_parse). These
// functions clear each block. They count only if nothing was allocated before (CRYPTO_set_mem_functions(3)), so they are
// set when the program is loaded.
#define _GNU_SOURCE
#include <malloc.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, const char *file, int line) {
    (void)file, (void)line;
    return malloc(count);
}

static void clear_and_free(void *block, const char *file, int line) {
    (void)file, (void)line;
    if (block == NULL) return;
    explicit_bzero(block, malloc_usable_size(block));
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
