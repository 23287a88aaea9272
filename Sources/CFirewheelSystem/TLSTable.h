// What the TLS files of this target share.
#ifndef FIREWHEEL_TLSTABLE_H
#define FIREWHEEL_TLSTABLE_H

#include "CFirewheelSystem.h"

#if defined(__linux__)

#include "TLSFunctions.h"

#define FWTLS_CONSTANT(name, value) FW_##name = value,
enum { FWTLS_CONSTANTS(FWTLS_CONSTANT) };

#define FWTLS_FIELD(result, name, parameters) result(*name) parameters;
struct fwtls {
    FWTLS_SSL_FUNCTIONS(FWTLS_FIELD)
    FWTLS_CRYPTO_FUNCTIONS(FWTLS_FIELD)
    // For BIOs over a socket.
    struct bio_method_st *method;
};

struct fwtls_store {
    const fwtls *tls;
    struct x509_store_st *certificates;
};

struct fwtls_identity {
    const fwtls *tls;
    struct evp_pkey_st *key;
    // The key's own first.
    struct x509_st **certificates;
    size_t count;
};

// How deep the elements of a container stand inside one another.
enum { FWTLS_MOST_DEPTH = 32 };

struct fwtls_context {
    const fwtls *tls;
    struct ssl_ctx_st *context;
    bool asks;
};

// The state of a verdict that is asked for.
enum fwtls_verdict { FWTLS_UNKNOWN, FWTLS_ASKED, FWTLS_ACCEPTED, FWTLS_REFUSED };

enum { FWTLS_MOST_SESSIONS = 4 };

// The most bytes that are received ahead: most small responses are received with one call, and an idle connection stays small.
enum { FWTLS_MOST_AHEAD = 4096 };

struct fwtls_stream {
    const fwtls *tls;
    struct ssl_st *ssl;
    int descriptor;
    // The connection that carries this one's bytes; NULL if the socket does.
    fwtls_stream *carrier;
    // The errno of the last call of send or recv that failed for good.
    int system_error;
    // The telling error of a call that has failed, if its carrier was called afterwards, which clears OpenSSL's queue; 0 for none.
    unsigned long kept_error;
    // Whether the last recv found nothing, and whether one found the end.
    bool is_empty;
    bool is_at_end;
    // Whether bytes may be received ahead, and whether the last recv of this call took all that there was.
    bool reads_ahead;
    bool is_drained;
    // Whether another call has something to return, although the socket may not be ready.
    bool has_more;
    bool is_complete;
    // The results that receiving and sending ended with; 0 while they have not.
    int receive_end;
    int send_end;
    // A copy of the bytes of a call of SSL_write_ex that has to be repeated, and their number.
    unsigned char *repeated;
    size_t repeated_count;
    // The number of bytes that were sent by a repeated call, beyond those that the caller had passed to it.
    size_t sent_ahead;
    struct fwtls_problem problem;
    struct fwtls_finding finding;
    struct x509_st *concerned;
    bool asks;
    bool wants_status;
    // Whether the question comes when the handshake is over.
    bool asks_late;
    enum fwtls_verdict verdict;
    struct ssl_session_st *sessions[FWTLS_MOST_SESSIONS];
    int session_count;
    // Bytes that were received ahead, and the place of the first in the buffer.
    size_t ahead_count;
    size_t ahead_start;
    unsigned char ahead[FWTLS_MOST_AHEAD];
};

// The table for callbacks of OpenSSL, which are given no context. Every table has the same functions.
__attribute__((visibility("hidden"))) const fwtls *fwtls_current(void);

// The tag of the first element of a DER encoding, which it moves behind that element; -1 at the end, or if it is malformed. With
// enters_element it is moved to the beginning of the element's content.
__attribute__((visibility("hidden"))) int fwtls_next_tag(const unsigned char **der, const unsigned char *end, bool enters_element);

// How the names of certificates are compared with a server's: subjectAltName alone, and wildcards for whole labels.
enum { FWTLS_HOST_FLAGS = FW_X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | FW_X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS };

// How chains are verified.
__attribute__((visibility("hidden"))) unsigned long fwtls_verification_flags(struct fwtls_rules rules);

// Callbacks.
__attribute__((visibility("hidden"))) int fwtls_verify(struct x509_store_ctx_st *chain, void *table);
__attribute__((visibility("hidden"))) int fwtls_pass_unlisted(int is_good, struct x509_store_ctx_st *chain);
__attribute__((visibility("hidden"))) int fwtls_keep_session(struct ssl_st *ssl, struct ssl_session_st *session);
__attribute__((visibility("hidden"))) struct bio_method_st *fwtls_socket_method(const fwtls *tls);

// The error in the thread's queue that is the cause; 0 for none.
__attribute__((visibility("hidden"))) unsigned long fwtls_telling_error(const fwtls *tls);


#endif
#endif
