#pragma once
// OpenSSL's function macros and SSL_OP_* casts do not import into Swift; each gets a static inline here.
#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
