// OpenSSL 3.0 for Swift: the headers, and inline functions for what OpenSSL offers only as macros.
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/pkcs12.h>

// Options: SSL_OP_* are casts, which the importer cannot read.
static const uint64_t PLAYHEAD_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t PLAYHEAD_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t PLAYHEAD_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t PLAYHEAD_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t PLAYHEAD_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;

/// RFC 2253 form of names with control characters escaped and UTF-8 readable.
static const unsigned long PLAYHEAD_NAME_FORM = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

// Contexts.
static inline long playhead_ctx_set_mode(SSL_CTX *ctx, long mode) { return SSL_CTX_set_mode(ctx, mode); }
static inline int playhead_ctx_set_min_proto(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_min_proto_version(ctx, version);
}
static inline int playhead_ctx_set_max_proto(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_max_proto_version(ctx, version);
}
static inline long playhead_ctx_set_session_cache_mode(SSL_CTX *ctx, long mode) {
    return SSL_CTX_set_session_cache_mode(ctx, mode);
}

// Connections.
static inline int playhead_ssl_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline int playhead_ssl_set_app_data(SSL *ssl, void *data) { return SSL_set_app_data(ssl, data); }
static inline void *playhead_ssl_get_app_data(const SSL *ssl) { return SSL_get_app_data(ssl); }

// BIO.
static inline void playhead_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void playhead_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline long playhead_bio_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// Errors.
static inline int playhead_err_is_peer_alert(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET
        && ERR_GET_REASON(code) < SSL_AD_REASON_OFFSET + 256;
}
static inline int playhead_err_alert_number(unsigned long code) { return ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET; }

// Keys.
static inline EVP_PKEY *playhead_generate_p256(void) { return EVP_EC_gen("P-256"); }

// Stacks, whose typed functions are macros.
static inline STACK_OF(X509) *playhead_x509_stack_new(void) { return sk_X509_new_null(); }
static inline int playhead_x509_stack_push_up_ref(STACK_OF(X509) *stack, X509 *certificate) {
    if (!X509_up_ref(certificate)) return 0;
    if (sk_X509_push(stack, certificate) > 0) return 1;
    X509_free(certificate);
    return 0;
}
static inline void playhead_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline GENERAL_NAMES *playhead_general_names_new(void) { return sk_GENERAL_NAME_new_null(); }
static inline int playhead_general_names_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name) > 0;
}
static inline void playhead_general_names_free(GENERAL_NAMES *names) {
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
}
static inline int playhead_general_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *playhead_general_names_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline EXTENDED_KEY_USAGE *playhead_eku_new(void) { return sk_ASN1_OBJECT_new_null(); }
static inline int playhead_eku_push_nid(EXTENDED_KEY_USAGE *usages, int nid) {
    return sk_ASN1_OBJECT_push(usages, OBJ_nid2obj(nid)) > 0;
}
static inline void playhead_eku_free(EXTENDED_KEY_USAGE *usages) { sk_ASN1_OBJECT_pop_free(usages, ASN1_OBJECT_free); }

static inline STACK_OF(PKCS12_SAFEBAG) *playhead_bags_new(void) { return sk_PKCS12_SAFEBAG_new_null(); }
static inline int playhead_bags_push(STACK_OF(PKCS12_SAFEBAG) *bags, PKCS12_SAFEBAG *bag) {
    return sk_PKCS12_SAFEBAG_push(bags, bag) > 0;
}
static inline void playhead_bags_free(STACK_OF(PKCS12_SAFEBAG) *bags) {
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}
static inline void playhead_safes_free(STACK_OF(PKCS7) *safes) { sk_PKCS7_pop_free(safes, PKCS7_free); }

/// Adds an attribute whose value is one object identifier; OpenSSL 3.0 takes the object itself when the length is -1.
static inline int playhead_bag_add_object_attribute(PKCS12_SAFEBAG *bag, const char *attribute, ASN1_OBJECT *value) {
    return PKCS12_add1_attr_by_txt(bag, attribute, V_ASN1_OBJECT, (const unsigned char *)value, -1);
}
