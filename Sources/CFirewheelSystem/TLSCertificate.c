#include "TLSTable.h"

#if defined(__linux__)

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Copies bytes. Returns false if there is no memory.
static bool copy(struct fwtls_bytes *place, const void *bytes, size_t count) {
    place->start = malloc(count > 0 ? count : 1);
    if (place->start == NULL) return false;
    if (count > 0) memcpy(place->start, bytes, count);
    place->count = count;
    return true;
}

// A name whose text cannot be written, because its bytes are not of their type, is empty: verification does not need it either.
static bool copy_name(const fwtls *tls, const struct X509_name_st *name, struct fwtls_bytes *place) {
    struct bio_st *memory = tls->BIO_new(tls->BIO_s_mem());
    if (memory == NULL) return false;
    char *text = NULL;
    long count = 0;
    if (name != NULL && tls->X509_NAME_print_ex(memory, name, 0, FWTLS_NAME_FLAGS) >= 0) {
        count = tls->BIO_ctrl(memory, FW_BIO_CTRL_INFO, 0, &text);
    }
    bool is_done = copy(place, text, count > 0 ? (size_t)count : 0);
    tls->BIO_free(memory);
    return is_done;
}

static bool read_time(const fwtls *tls, const struct asn1_string_st *date, long long *seconds) {
    struct tm parts;
    if (date == NULL || tls->ASN1_TIME_to_tm(date, &parts) != 1) return false;
    *seconds = timegm(&parts);
    return true;
}

static bool copy_serial(const fwtls *tls, const struct x509_st *certificate, struct fwtls_certificate *facts) {
    const struct asn1_string_st *number = tls->X509_get0_serialNumber(certificate);
    int count = number != NULL ? tls->ASN1_STRING_length(number) : -1;
    if (count < 0) return false;
    facts->is_serial_negative = tls->ASN1_STRING_type(number) == FW_V_ASN1_NEG_INTEGER;
    return copy(&facts->serial, tls->ASN1_STRING_get0_data(number), (size_t)count);
}

static bool copy_key(const fwtls *tls, const struct x509_st *certificate, struct fwtls_bytes *place) {
    const struct X509_pubkey_st *key = tls->X509_get_X509_PUBKEY(certificate);
    int count = key != NULL ? tls->i2d_X509_PUBKEY(key, NULL) : 0;
    if (count <= 0) return false;
    place->start = malloc((size_t)count);
    if (place->start == NULL) return false;
    place->count = (size_t)count;
    // It moves the pointer.
    unsigned char *end = place->start;
    return tls->i2d_X509_PUBKEY(key, &end) == count;
}

// Appends the kind of a name, its size and its bytes.
static bool append(struct fwtls_bytes *names, unsigned char kind, const void *bytes, uint32_t count) {
    size_t start = names->count;
    unsigned char *larger = realloc(names->start, start + 1 + sizeof count + count);
    if (larger == NULL) return false;
    larger[start] = kind;
    memcpy(larger + start + 1, &count, sizeof count);
    if (count > 0) memcpy(larger + start + 1 + sizeof count, bytes, count);
    names->start = larger;
    names->count = start + 1 + sizeof count + count;
    return true;
}

// The host names and addresses of subjectAltName.
static bool copy_names(const fwtls *tls, const struct x509_st *certificate, struct fwtls_bytes *names) {
    int criticality = 0;
    struct stack_st_GENERAL_NAME *found = tls->X509_get_ext_d2i(certificate, FW_NID_subject_alt_name, &criticality, NULL);
    // -1: there is none. Otherwise there are several, or it is malformed.
    if (found == NULL) return criticality == -1;
    int count = tls->OPENSSL_sk_num((const struct stack_st *)found);
    bool is_done = true;
    for (int index = 0; index < count && is_done; index++) {
        int type = 0;
        const struct asn1_string_st *value =
            tls->GENERAL_NAME_get0_value(tls->OPENSSL_sk_value((const struct stack_st *)found, index), &type);
        if (value == NULL || (type != FW_GEN_DNS && type != FW_GEN_IPADD)) continue;
        int size = tls->ASN1_STRING_length(value);
        unsigned char kind = type == FW_GEN_DNS ? FWTLS_NAME_HOST : FWTLS_NAME_ADDRESS;
        is_done = size >= 0 && append(names, kind, tls->ASN1_STRING_get0_data(value), (uint32_t)size);
    }
    tls->GENERAL_NAMES_free(found);
    return is_done;
}

static bool read_facts(const fwtls *tls, const struct x509_st *certificate, struct fwtls_certificate *facts) {
    return copy_name(tls, tls->X509_get_subject_name(certificate), &facts->subject) &&
           copy_name(tls, tls->X509_get_issuer_name(certificate), &facts->issuer) &&
           read_time(tls, tls->X509_get0_notBefore(certificate), &facts->not_before) &&
           read_time(tls, tls->X509_get0_notAfter(certificate), &facts->not_after) && copy_serial(tls, certificate, facts) &&
           copy_key(tls, certificate, &facts->key) && copy_names(tls, certificate, &facts->names);
}

bool fwtls_certificate_read(const fwtls *tls, const void *der, size_t count, struct fwtls_certificate *facts) {
    memset(facts, 0, sizeof *facts);
    if (count > LONG_MAX || !fwtls_enter()) return false;
    const unsigned char *end = der;
    struct x509_st *certificate = tls->d2i_X509(NULL, &end, (long)count);
    bool is_read = false;
    if (certificate != NULL) {
        is_read = end == (const unsigned char *)der + count && read_facts(tls, certificate, facts);
        tls->X509_free(certificate);
    }
    tls->ERR_clear_error();
    fwtls_leave();
    if (!is_read) fwtls_certificate_free(facts);
    return is_read;
}

void fwtls_certificate_free(struct fwtls_certificate *facts) {
    free(facts->subject.start);
    free(facts->issuer.start);
    free(facts->serial.start);
    free(facts->key.start);
    free(facts->names.start);
    memset(facts, 0, sizeof *facts);
}

#endif
