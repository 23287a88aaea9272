#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The passphrase of a key in the traditional format, and whether OpenSSL has asked for it.
struct passphrase {
    const char *bytes;
    size_t count;
    bool is_asked;
};

static int give_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)is_writing;
    struct passphrase *passphrase = context;
    passphrase->is_asked = true;
    if (passphrase->bytes == NULL || size < 0 || passphrase->count > (size_t)size) return -1;
    memcpy(buffer, passphrase->bytes, passphrase->count);
    return (int)passphrase->count;
}

// Empties the thread's queue of errors. Returns whether one of them says that OpenSSL lacks an algorithm.
static bool take_unsupported(const fwtls *tls) {
    bool is_unsupported = false;
    for (unsigned long code = tls->ERR_get_error(); code != 0; code = tls->ERR_get_error()) {
        if ((code >> FW_ERR_LIB_OFFSET & FW_ERR_LIB_MASK) != FW_ERR_LIB_EVP) continue;
        switch (code & FW_ERR_REASON_MASK) {
        case FW_ERR_R_UNSUPPORTED:
        case FW_EVP_R_UNSUPPORTED_ALGORITHM:
        case FW_EVP_R_UNKNOWN_PBE_ALGORITHM: is_unsupported = true; break;
        default: break;
        }
    }
    return is_unsupported;
}

// MARK: Costs

// The blocks of 128 bytes for which OpenSSL grants scrypt memory: 32 MiB.
enum { MOST_BLOCKS = 1 << 18 };

// Adds the rounds of hashing that the encryptions of an element demand. Returns false if they are too many, or if it is malformed: a file
// may demand more than any processor can do. The parameters are a salt with numbers behind it: the rounds (RFC 8018 appendix A), or the N,
// r and p of scrypt (RFC 7914 section 7).
static bool add_rounds(const unsigned char *der, const unsigned char *end, int depth, unsigned long long *rounds) {
    bool has_salt = false;
    unsigned long long numbers[3] = {0, 0, 0};
    int count = 0;
    while (der < end) {
        const unsigned char *content = der;
        int tag = fwtls_next_tag(&der, end, false);
        if (tag < 0 || fwtls_next_tag(&content, end, true) < 0) return false;
        bool is_constructed = (tag & 0x20) != 0;
        if (is_constructed && (depth == 0 || !add_rounds(content, der, depth - 1, rounds))) return false;
        if (tag == 0x04) has_salt = true;
        if (tag != 0x02 || !has_salt) continue;
        unsigned long long number = 0;
        for (; content < der && number <= FWTLS_MOST_ROUNDS; content++) number = number << 8 | *content;
        if (number > FWTLS_MOST_ROUNDS) return false;
        if (count < 3) numbers[count] = number;
        count++;
    }
    if (count < 3) {
        // The second of two is the size of the key.
        *rounds += numbers[0];
    } else {
        unsigned long long blocks = numbers[0] * numbers[1];
        if (blocks >= MOST_BLOCKS || numbers[2] > FWTLS_MOST_ROUNDS / (blocks + 1)) return false;
        *rounds += blocks * numbers[2];
    }
    return *rounds <= FWTLS_MOST_ROUNDS;
}

// MARK: Identities

void fwtls_identity_free(fwtls_identity *identity) {
    if (!fwtls_enter()) return;
    const fwtls *tls = identity->tls;
    if (identity->key != NULL) tls->EVP_PKEY_free(identity->key);
    for (size_t index = 0; index < identity->count; index++) tls->X509_free(identity->certificates[index]);
    fwtls_leave();
    free(identity->certificates);
    free(identity);
}

static fwtls_identity *create(const fwtls *tls, size_t most) {
    fwtls_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) return NULL;
    identity->tls = tls;
    identity->certificates = calloc(most > 0 ? most : 1, sizeof *identity->certificates);
    if (identity->certificates != NULL) return identity;
    free(identity);
    return NULL;
}

// Whether the key can sign for the certificate: its private part may be damaged although its public one is right.
static bool can_sign(const fwtls *tls, struct evp_pkey_st *key, const struct x509_st *certificate) {
    static const unsigned char text[] = "Firewheel";
    unsigned char *signature = NULL;
    size_t count = 0;
    struct evp_md_ctx_st *signing = tls->EVP_MD_CTX_new(), *checking = tls->EVP_MD_CTX_new();
    bool is_good = signing != NULL && checking != NULL && tls->EVP_DigestSignInit(signing, NULL, NULL, NULL, key) == 1 &&
                   tls->EVP_DigestSign(signing, NULL, &count, text, sizeof text) == 1 && (signature = malloc(count)) != NULL &&
                   tls->EVP_DigestSign(signing, signature, &count, text, sizeof text) == 1 &&
                   tls->EVP_DigestVerifyInit(checking, NULL, NULL, NULL, tls->X509_get0_pubkey(certificate)) == 1 &&
                   tls->EVP_DigestVerify(checking, signature, count, text, sizeof text) == 1;
    free(signature);
    if (signing != NULL) tls->EVP_MD_CTX_free(signing);
    if (checking != NULL) tls->EVP_MD_CTX_free(checking);
    return is_good;
}

static void move(fwtls_identity *identity, size_t from, size_t to) {
    struct x509_st *certificate = identity->certificates[from];
    memmove(identity->certificates + to + 1, identity->certificates + to, (from - to) * sizeof *identity->certificates);
    identity->certificates[to] = certificate;
}

// Puts the certificate of the key first, and behind each one its issuer (RFC 5246 section 7.4.2): files have them in any order.
static int sort(fwtls_identity *identity) {
    const fwtls *tls = identity->tls;
    size_t own = 0;
    while (own < identity->count && tls->X509_check_private_key(identity->certificates[own], identity->key) != 1) own++;
    if (own == identity->count) return FWTLS_IDENTITY_OTHER_KEY;
    move(identity, own, 0);
    for (size_t last = 0; last + 1 < identity->count; last++) {
        struct x509_st **all = identity->certificates;
        size_t next = last + 1;
        while (next < identity->count && tls->X509_check_issued(all[next], all[last]) != FW_X509_V_OK) next++;
        if (next == identity->count) break;
        move(identity, next, last + 1);
    }
    return can_sign(tls, identity->key, identity->certificates[0]) ? FWTLS_IDENTITY_READ : FWTLS_IDENTITY_DAMAGED_KEY;
}

static bool add_certificate(fwtls_identity *identity, const unsigned char *der, size_t count) {
    struct x509_st *certificate = count <= LONG_MAX ? identity->tls->d2i_X509(NULL, &der, (long)count) : NULL;
    if (certificate != NULL) identity->certificates[identity->count++] = certificate;
    return certificate != NULL;
}

// MARK: PEM and DER

static bool is_affordable_algorithm(const fwtls *tls, const struct X509_algor_st *algorithm) {
    unsigned char *der = NULL;
    int count = tls->i2d_X509_ALGOR(algorithm, &der);
    unsigned long long rounds = 0;
    bool is_cheap = count > 0 && add_rounds(der, der + count, FWTLS_MOST_DEPTH, &rounds);
    if (count > 0) tls->CRYPTO_free(der, __FILE__, __LINE__);
    return is_cheap;
}

// Reads an encrypted key in PKCS#8.
static int open_key(const fwtls *tls, const struct X509_sig_st *sealed, const struct passphrase *passphrase, struct evp_pkey_st **key) {
    const struct X509_algor_st *algorithm = NULL;
    tls->X509_SIG_get0(sealed, &algorithm, NULL);
    if (!is_affordable_algorithm(tls, algorithm)) return FWTLS_IDENTITY_COSTLY;
    if (passphrase->bytes == NULL) return FWTLS_IDENTITY_NO_PASSPHRASE;
    struct pkcs8_priv_key_info_st *opened = tls->PKCS8_decrypt(sealed, passphrase->bytes, (int)passphrase->count);
    if (opened == NULL) return take_unsupported(tls) ? FWTLS_IDENTITY_UNSUPPORTED : FWTLS_IDENTITY_WRONG_PASSPHRASE;
    *key = tls->EVP_PKCS82PKEY(opened);
    tls->PKCS8_PRIV_KEY_INFO_free(opened);
    if (*key != NULL) return FWTLS_IDENTITY_READ;
    return take_unsupported(tls) ? FWTLS_IDENTITY_UNKNOWN_KEY : FWTLS_IDENTITY_MALFORMED;
}

static int read_der(const fwtls *tls, struct fwtls_piece bytes, const struct passphrase *passphrase, struct evp_pkey_st **key) {
    const unsigned char *end = bytes.start;
    struct X509_sig_st *sealed = tls->d2i_X509_SIG(NULL, &end, (long)bytes.count);
    int result = FWTLS_IDENTITY_MALFORMED;
    if (sealed != NULL) {
        if (end == bytes.start + bytes.count) result = open_key(tls, sealed, passphrase, key);
        tls->X509_SIG_free(sealed);
        return result;
    }
    tls->ERR_clear_error();
    end = bytes.start;
    *key = tls->d2i_AutoPrivateKey(NULL, &end, (long)bytes.count);
    if (*key == NULL) return take_unsupported(tls) ? FWTLS_IDENTITY_UNKNOWN_KEY : FWTLS_IDENTITY_MALFORMED;
    return end == bytes.start + bytes.count ? FWTLS_IDENTITY_READ : FWTLS_IDENTITY_MALFORMED;
}

// Reads a key whose encryption is in the header of its PEM (RFC 1421), as OpenSSL wrote them before PKCS#8.
static int read_pem(const fwtls *tls, struct fwtls_piece bytes, struct passphrase *passphrase, struct evp_pkey_st **key) {
    struct bio_st *memory = tls->BIO_new_mem_buf(bytes.start, (int)bytes.count);
    if (memory == NULL) return FWTLS_IDENTITY_NO_MEMORY;
    *key = tls->PEM_read_bio_PrivateKey(memory, NULL, give_passphrase, passphrase);
    tls->BIO_free(memory);
    if (*key != NULL) return FWTLS_IDENTITY_READ;
    bool is_unsupported = take_unsupported(tls);
    if (!passphrase->is_asked) return FWTLS_IDENTITY_MALFORMED;
    if (passphrase->bytes == NULL) return FWTLS_IDENTITY_NO_PASSPHRASE;
    return is_unsupported ? FWTLS_IDENTITY_UNSUPPORTED : FWTLS_IDENTITY_WRONG_PASSPHRASE;
}

static int read(
    fwtls_identity *identity, const struct fwtls_piece *certificates, size_t certificate_count, struct fwtls_piece key, bool is_der,
    struct passphrase *passphrase) {
    const fwtls *tls = identity->tls;
    if (key.count > INT_MAX || passphrase->count > INT_MAX) return FWTLS_IDENTITY_MALFORMED;
    for (size_t index = 0; index < certificate_count; index++) {
        if (!add_certificate(identity, certificates[index].start, certificates[index].count)) return FWTLS_IDENTITY_MALFORMED;
    }
    tls->ERR_clear_error();
    int result = is_der ? read_der(tls, key, passphrase, &identity->key) : read_pem(tls, key, passphrase, &identity->key);
    return result == FWTLS_IDENTITY_READ ? sort(identity) : result;
}

// Hands an identity over, or frees what there is of it.
static int finish(const fwtls *tls, fwtls_identity *made, int result, fwtls_identity **identity) {
    tls->ERR_clear_error();
    fwtls_leave();
    if (result == FWTLS_IDENTITY_READ) {
        *identity = made;
    } else if (made != NULL) {
        fwtls_identity_free(made);
    }
    return result;
}

int fwtls_identity_read(
    const fwtls *tls, const struct fwtls_piece *certificates, size_t certificate_count, struct fwtls_piece key, bool is_der,
    const char *passphrase, size_t passphrase_count, fwtls_identity **identity) {
    *identity = NULL;
    if (!fwtls_enter()) return FWTLS_IDENTITY_NO_MEMORY;
    fwtls_identity *made = create(tls, certificate_count);
    struct passphrase given = {passphrase, passphrase_count, false};
    int result = made != NULL ? read(made, certificates, certificate_count, key, is_der, &given) : FWTLS_IDENTITY_NO_MEMORY;
    return finish(tls, made, result, identity);
}

// MARK: PKCS#12

// A container, in OpenSSL's default library context or in one of its own.
static struct PKCS12_st *read_container(const fwtls *tls, const unsigned char *bytes, size_t count, struct ossl_lib_ctx_st *library) {
    const unsigned char *end = bytes;
    struct PKCS12_st *container = library != NULL ? tls->PKCS12_init_ex(FW_NID_pkcs7_data, library, NULL) : NULL;
    if (library != NULL && container == NULL) return NULL;
    container = tls->d2i_PKCS12(container != NULL ? &container : NULL, &end, (long)count);
    if (container == NULL || end == bytes + count) return container;
    tls->PKCS12_free(container);
    return NULL;
}

// What a container demands, as far as it can be read.
struct demands {
    bool is_cheap;
    unsigned long long rounds;
    int keys;
};

static void note_bag(const fwtls *tls, const struct PKCS12_SAFEBAG_st *bag, struct demands *demands) {
    int kind = tls->PKCS12_SAFEBAG_get_nid(bag);
    if (kind == FW_NID_keyBag || kind == FW_NID_pkcs8ShroudedKeyBag) demands->keys++;
    unsigned char *der = NULL;
    int count = tls->i2d_PKCS12_SAFEBAG(bag, &der);
    if (count <= 0 || !add_rounds(der, der + count, FWTLS_MOST_DEPTH, &demands->rounds)) demands->is_cheap = false;
    if (count > 0) tls->CRYPTO_clear_free(der, (size_t)count, __FILE__, __LINE__);
}

static void note_bags(const fwtls *tls, struct stack_st_PKCS12_SAFEBAG *bags, struct demands *demands) {
    struct stack_st *stack = (struct stack_st *)bags;
    for (int index = 0; index < tls->OPENSSL_sk_num(stack); index++) note_bag(tls, tls->OPENSSL_sk_value(stack, index), demands);
    tls->OPENSSL_sk_pop_free(stack, (void (*)(void *))tls->PKCS12_SAFEBAG_free);
}

// A safe is a list of bags, or an encrypted one. It is decrypted only if that is cheap, with the passphrase that is known to be right.
static void note_safe(const fwtls *tls, struct pkcs7_st *safe, const char *passphrase, struct demands *demands) {
    struct stack_st_PKCS12_SAFEBAG *bags = tls->PKCS12_unpack_p7data(safe);
    if (bags != NULL) return note_bags(tls, bags, demands);
    unsigned char *der = NULL;
    int count = tls->i2d_PKCS7(safe, &der);
    bool is_cheap = count > 0 && add_rounds(der, der + count, FWTLS_MOST_DEPTH, &demands->rounds);
    if (count > 0) tls->CRYPTO_free(der, __FILE__, __LINE__);
    if (!is_cheap) {
        demands->is_cheap = false;
        return;
    }
    bags = tls->PKCS12_unpack_p7encdata(safe, passphrase, -1);
    // No passphrase and an empty one are written in two ways.
    if (bags == NULL && passphrase[0] == 0) bags = tls->PKCS12_unpack_p7encdata(safe, NULL, 0);
    if (bags != NULL) note_bags(tls, bags, demands);
}

static struct demands demands_of(const fwtls *tls, const struct PKCS12_st *container, const char *passphrase) {
    struct demands demands = {true, 0, 0};
    struct stack_st *safes = (struct stack_st *)tls->PKCS12_unpack_authsafes(container);
    for (int index = 0; safes != NULL && demands.is_cheap && index < tls->OPENSSL_sk_num(safes); index++) {
        note_safe(tls, tls->OPENSSL_sk_value(safes, index), passphrase, &demands);
    }
    if (safes != NULL) tls->OPENSSL_sk_pop_free(safes, (void (*)(void *))tls->PKCS7_free);
    tls->ERR_clear_error();
    return demands;
}

static bool is_authentic(const fwtls *tls, struct PKCS12_st *container, const char *passphrase) {
    return tls->PKCS12_verify_mac(container, passphrase, -1) == 1 ||
           (passphrase[0] == 0 && tls->PKCS12_verify_mac(container, NULL, 0) == 1);
}

// Whether the container may be opened, as one of the results.
static int judge(const fwtls *tls, struct PKCS12_st *container, const char *passphrase) {
    const struct asn1_string_st *rounds = NULL;
    const struct X509_algor_st *algorithm = NULL;
    tls->PKCS12_get0_mac(NULL, &algorithm, NULL, &rounds, container);
    // Without the code nobody could tell a wrong passphrase from a damaged file.
    if (tls->PKCS12_mac_present(container) != 1) return FWTLS_IDENTITY_NO_CODE;
    if (rounds != NULL && tls->ASN1_INTEGER_get(rounds) > FWTLS_MOST_ROUNDS) return FWTLS_IDENTITY_COSTLY;
    // PBMAC1 (RFC 9579) has its rounds in the algorithm.
    if (algorithm != NULL && !is_affordable_algorithm(tls, algorithm)) return FWTLS_IDENTITY_COSTLY;
    tls->ERR_clear_error();
    if (!is_authentic(tls, container, passphrase)) {
        return take_unsupported(tls) ? FWTLS_IDENTITY_UNSUPPORTED : FWTLS_IDENTITY_WRONG_PASSPHRASE;
    }
    struct demands demands = demands_of(tls, container, passphrase);
    if (!demands.is_cheap) return FWTLS_IDENTITY_COSTLY;
    return demands.keys > 1 ? FWTLS_IDENTITY_MANY_KEYS : FWTLS_IDENTITY_READ;
}

// Copies a certificate or a key into OpenSSL's default library context, which connections use.
static bool copy_certificate(fwtls_identity *identity, const struct x509_st *certificate) {
    unsigned char *der = NULL;
    int count = identity->tls->i2d_X509(certificate, &der);
    bool is_copied = count > 0 && add_certificate(identity, der, (size_t)count);
    if (count > 0) identity->tls->CRYPTO_free(der, __FILE__, __LINE__);
    return is_copied;
}

static bool copy_key(fwtls_identity *identity, const struct evp_pkey_st *key) {
    unsigned char *der = NULL;
    int count = identity->tls->i2d_PrivateKey(key, &der);
    if (count <= 0) return false;
    const unsigned char *end = der;
    identity->key = identity->tls->d2i_AutoPrivateKey(NULL, &end, count);
    identity->tls->CRYPTO_clear_free(der, (size_t)count, __FILE__, __LINE__);
    return identity->key != NULL;
}

static int take_apart(const fwtls *tls, struct PKCS12_st *container, const char *passphrase, fwtls_identity **made) {
    int result = judge(tls, container, passphrase);
    if (result != FWTLS_IDENTITY_READ) return result;
    struct evp_pkey_st *key = NULL;
    struct x509_st *own = NULL;
    struct stack_st_X509 *others = NULL;
    tls->ERR_clear_error();
    if (tls->PKCS12_parse(container, passphrase, &key, &own, &others) != 1) {
        return take_unsupported(tls) ? FWTLS_IDENTITY_UNSUPPORTED : FWTLS_IDENTITY_MALFORMED;
    }
    int count = others != NULL ? tls->OPENSSL_sk_num((const struct stack_st *)others) : 0;
    fwtls_identity *identity = create(tls, (size_t)(count > 0 ? count : 0) + 1);
    if (identity == NULL) {
        result = FWTLS_IDENTITY_NO_MEMORY;
    } else if (key == NULL) {
        result = FWTLS_IDENTITY_NO_KEY;
    } else if (own == NULL && count <= 0) {
        result = FWTLS_IDENTITY_NO_CERTIFICATE;
    } else if (count > FWTLS_MOST_CERTIFICATES) {
        result = FWTLS_IDENTITY_MANY_CERTIFICATES;
    } else {
        bool is_copied = copy_key(identity, key) && (own == NULL || copy_certificate(identity, own));
        for (int index = 0; index < count && is_copied; index++) {
            is_copied = copy_certificate(identity, tls->OPENSSL_sk_value((const struct stack_st *)others, index));
        }
        result = is_copied ? sort(identity) : FWTLS_IDENTITY_MALFORMED;
    }
    if (key != NULL) tls->EVP_PKEY_free(key);
    if (own != NULL) tls->X509_free(own);
    if (others != NULL) tls->OPENSSL_sk_pop_free((struct stack_st *)others, (void (*)(void *))tls->X509_free);
    *made = identity;
    return result;
}

// Old containers are encrypted with RC2 or its like, which only OpenSSL's legacy provider has. It is loaded apart, so that no other code of
// the process gets those algorithms.
static int take_apart_old(const fwtls *tls, const unsigned char *bytes, size_t count, const char *passphrase, fwtls_identity **made) {
    int result = FWTLS_IDENTITY_UNSUPPORTED;
    struct ossl_lib_ctx_st *library = tls->OSSL_LIB_CTX_new();
    struct ossl_provider_st *usual = library != NULL ? tls->OSSL_PROVIDER_load(library, "default") : NULL;
    struct ossl_provider_st *legacy = usual != NULL ? tls->OSSL_PROVIDER_load(library, "legacy") : NULL;
    struct PKCS12_st *container = legacy != NULL ? read_container(tls, bytes, count, library) : NULL;
    if (container != NULL) {
        result = take_apart(tls, container, passphrase, made);
        tls->PKCS12_free(container);
    }
    if (legacy != NULL) tls->OSSL_PROVIDER_unload(legacy);
    if (usual != NULL) tls->OSSL_PROVIDER_unload(usual);
    if (library != NULL) tls->OSSL_LIB_CTX_free(library);
    return result;
}

int fwtls_identity_read_pkcs12(
    const fwtls *tls, struct fwtls_piece container, const char *passphrase, fwtls_identity **identity) {
    *identity = NULL;
    if (container.count > LONG_MAX || !fwtls_enter()) return FWTLS_IDENTITY_NO_MEMORY;
    fwtls_identity *made = NULL;
    int result = FWTLS_IDENTITY_MALFORMED;
    struct PKCS12_st *read = read_container(tls, container.start, container.count, NULL);
    if (read != NULL) {
        result = take_apart(tls, read, passphrase, &made);
        if (result == FWTLS_IDENTITY_UNSUPPORTED) {
            result = take_apart_old(tls, container.start, container.count, passphrase, &made);
        }
    }
    if (read != NULL) tls->PKCS12_free(read);
    return finish(tls, made, result, identity);
}

// MARK: Facts

size_t fwtls_identity_count(const fwtls_identity *identity) { return identity->count; }

size_t fwtls_identity_certificate(const fwtls_identity *identity, size_t index, unsigned char *buffer, size_t capacity) {
    if (index >= identity->count || !fwtls_enter()) return 0;
    int size = identity->tls->i2d_X509(identity->certificates[index], NULL);
    if (size > 0 && (size_t)size <= capacity) identity->tls->i2d_X509(identity->certificates[index], &buffer);
    fwtls_leave();
    return size > 0 ? (size_t)size : 0;
}

// MARK: Contexts

const char *fwtls_context_use(fwtls_context *context, const fwtls_identity *identity) {
    const fwtls *tls = context->tls;
    if (!fwtls_enter()) return "the process is exiting";
    tls->ERR_clear_error();
    bool is_used = tls->SSL_CTX_use_certificate(context->context, identity->certificates[0]) == 1 &&
                   tls->SSL_CTX_use_PrivateKey(context->context, identity->key) == 1;
    for (size_t index = 1; index < identity->count && is_used; index++) {
        // The second argument makes it take a reference of its own.
        is_used = tls->SSL_CTX_ctrl(context->context, FW_SSL_CTRL_CHAIN_CERT, 1, identity->certificates[index]) == 1;
    }
    const char *reason = is_used ? NULL : tls->ERR_reason_error_string(tls->ERR_peek_error());
    if (!is_used && reason == NULL) reason = "unknown error";
    tls->ERR_clear_error();
    fwtls_leave();
    return reason;
}

#endif
