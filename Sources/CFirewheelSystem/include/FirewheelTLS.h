// TLS over the system's OpenSSL 3, for clients. Included by CFirewheelSystem.h.
#ifndef FIREWHEEL_TLS_H
#define FIREWHEEL_TLS_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fwsystem_failure;

// MARK: The gate

// OpenSSL clears itself away in exit if others initialised it first. Threads use it between these two calls only; exit waits until all of
// them have left.
// Calls can be nested. If fwtls_enter returns false the process is exiting: the thread must not use OpenSSL any more, and frees nothing
// of it. A thread inside must not call exit or wait for one that does.
bool fwtls_enter(void);
void fwtls_leave(void);

// MARK: The library

typedef struct fwtls fwtls;

// Loads libssl and libcrypto by file name and initialises them. The least version is written as in OpenSSL_version_num: 0xMNN00PP0.
// Returns NULL and sets the failure if they cannot be used.
const fwtls *fwtls_load(
    const char *ssl_soname, const char *crypto_soname, unsigned long least_version, struct fwsystem_failure *failure);

// Where the library looks for certificates, and the environment variables that say so instead.
const char *fwtls_default_file(const fwtls *tls);
const char *fwtls_default_directories(const fwtls *tls);
const char *fwtls_file_variable(const fwtls *tls);
const char *fwtls_directories_variable(const fwtls *tls);
// The text of a verification result (X509_V_ERR_...).
const char *fwtls_verification_text(const fwtls *tls, int result);

// MARK: Certificates

// Allocated bytes.
struct fwtls_bytes {
    unsigned char *start;
    size_t count;
};

enum {
    FWTLS_NAME_HOST = 0,
    FWTLS_NAME_ADDRESS,
};

// What a certificate says.
struct fwtls_certificate {
    // As in RFC 2253, in UTF-8.
    struct fwtls_bytes subject;
    struct fwtls_bytes issuer;
    // The absolute value, the highest byte first.
    struct fwtls_bytes serial;
    bool is_serial_negative;
    // In seconds since 1970.
    long long not_before;
    long long not_after;
    // The SubjectPublicKeyInfo in DER.
    struct fwtls_bytes key;
    // The host names and addresses of subjectAltName: for each a byte for its kind, a uint32_t in the machine's byte order for its size,
    // and its bytes.
    struct fwtls_bytes names;
};

// Reads a certificate in DER. Passes through the gate itself. Returns false if the bytes are not one certificate and nothing else, if there
// is no memory, or if the process is exiting.
bool fwtls_certificate_read(const fwtls *tls, const void *der, size_t count, struct fwtls_certificate *facts);
void fwtls_certificate_free(struct fwtls_certificate *facts);

// MARK: Identities

// Borrowed bytes.
struct fwtls_piece {
    const unsigned char *start;
    size_t count;
};

// A private key, its certificate and the certificates behind it. Never changed, so that any thread may use it.
typedef struct fwtls_identity fwtls_identity;

enum {
    FWTLS_IDENTITY_READ = 0,
    // No memory, or the process is exiting.
    FWTLS_IDENTITY_NO_MEMORY,
    FWTLS_IDENTITY_MALFORMED,
    FWTLS_IDENTITY_NO_KEY,
    FWTLS_IDENTITY_NO_CERTIFICATE,
    // The key is encrypted, and there is no passphrase, or another one.
    FWTLS_IDENTITY_NO_PASSPHRASE,
    FWTLS_IDENTITY_WRONG_PASSPHRASE,
    // The key is that of none of the certificates.
    FWTLS_IDENTITY_OTHER_KEY,
    // It is encrypted with an algorithm that the system's OpenSSL does not have.
    FWTLS_IDENTITY_UNSUPPORTED,
    // The key is of a kind that the system's OpenSSL does not have.
    FWTLS_IDENTITY_UNKNOWN_KEY,
    // The key does not sign as its certificate demands.
    FWTLS_IDENTITY_DAMAGED_KEY,
    // Decrypting it would take long.
    FWTLS_IDENTITY_COSTLY,
    // The container has no code (MAC), by which a wrong passphrase is recognized.
    FWTLS_IDENTITY_NO_CODE,
    FWTLS_IDENTITY_MANY_KEYS,
    FWTLS_IDENTITY_MANY_CERTIFICATES,
};

enum {
    // How often a passphrase is hashed for one decryption: some seconds of a processor.
    FWTLS_MOST_ROUNDS = 5000000,
    // How many certificates of authorities a container may have.
    FWTLS_MOST_CERTIFICATES = 100,
};

// These pass through the gate themselves. They return one of the values above, and set the identity only for the first.
// Certificates in DER, and a key in DER, or in the PEM of the traditional format. Without a passphrase its bytes are NULL.
int fwtls_identity_read(
    const fwtls *tls, const struct fwtls_piece *certificates, size_t certificate_count, struct fwtls_piece key, bool is_der,
    const char *passphrase, size_t passphrase_count, fwtls_identity **identity);
int fwtls_identity_read_pkcs12(
    const fwtls *tls, struct fwtls_piece container, const char *passphrase, fwtls_identity **identity);
void fwtls_identity_free(fwtls_identity *identity);
size_t fwtls_identity_count(const fwtls_identity *identity);
// Writes a certificate in DER if the buffer has room for it, and returns its size; 0 if there is none. The key's own is the first.
size_t fwtls_identity_certificate(const fwtls_identity *identity, size_t index, unsigned char *buffer, size_t capacity);

// MARK: Stores and contexts

// These pass through the gate themselves, so any thread may call them. Creators return NULL if there is no memory or the process is
// exiting.
typedef struct fwtls_store fwtls_store;
typedef struct fwtls_context fwtls_context;

fwtls_store *fwtls_store_create(const fwtls *tls);
// Adds the certificates of a text in PEM, and returns their number. Parts that cannot be read are skipped.
size_t fwtls_store_add(fwtls_store *store, const void *bytes, size_t count);
// Adds a certificate in DER. Returns false if the bytes are not one and nothing else, or if there is no memory.
bool fwtls_store_add_certificate(fwtls_store *store, const void *der, size_t count);

// From when until when a revocation list is valid, in seconds since 1970; without an end until LLONG_MAX.
struct fwtls_list {
    long long start;
    long long end;
};

enum {
    FWTLS_LIST_ADDED = 0,
    // The bytes are not one list and nothing else, or there is no memory.
    FWTLS_LIST_MALFORMED,
    // A delta list, an indirect one, or one that is for some reasons or for attribute certificates only: OpenSSL passes over these.
    FWTLS_LIST_PARTIAL,
};
// Adds a revocation list in DER, and returns one of the values above.
int fwtls_store_add_list(fwtls_store *store, const void *der, size_t count, struct fwtls_list *facts);
void fwtls_store_free(fwtls_store *store);

// What connections have in common besides the store.
struct fwtls_rules {
    // The least and the greatest version of TLS, as numbered in handshakes; 0 for the greatest that OpenSSL has.
    int minimum_version;
    int maximum_version;
    // Whether the verdict about a certificate is asked for.
    bool asks;
    // Whether certificates are looked up in the revocation lists of the store, and whether there has to be one of each issuer that is
    // valid now.
    bool checks_revocation;
    bool requires_lists;
};

// The store is shared. Sets has_versions to false if the rules and the system's configuration leave no version of TLS.
fwtls_context *fwtls_context_create(const fwtls *tls, const fwtls_store *store, struct fwtls_rules rules, bool *has_versions);
// Has connections present a certificate to servers that ask for one. Returns NULL, or OpenSSL's reason why not.
const char *fwtls_context_use(fwtls_context *context, const fwtls_identity *identity);
void fwtls_context_free(fwtls_context *context);

// MARK: Sessions

// A session to resume. It may be held by several connections.
typedef struct fwtls_session fwtls_session;

void fwtls_session_free(const fwtls *tls, fwtls_session *session);
bool fwtls_session_is_resumable(const fwtls *tls, const fwtls_session *session);
// Whether it may be used only once, as sessions of TLS 1.3 (RFC 8446 appendix C.4).
bool fwtls_session_is_single(const fwtls *tls, const fwtls_session *session);
// When it expires, in seconds since 1970.
long long fwtls_session_end(const fwtls *tls, const fwtls_session *session);

// MARK: Streams

// One connection. All functions but fwtls_stream_free are called inside the gate, and by one thread at a time.
typedef struct fwtls_stream fwtls_stream;

// Results of the functions that move bytes, besides numbers of bytes.
enum {
    FWTLS_DONE = 0,
    // Call again when the socket can be read, or written.
    FWTLS_WANTS_READ = -1,
    FWTLS_WANTS_WRITE = -2,
    // The handshake waits for fwtls_answer.
    FWTLS_ASKS = -3,
    // close_notify.
    FWTLS_ENDED = -4,
    // The end of the connection without close_notify.
    FWTLS_TRUNCATED = -5,
    FWTLS_FAILED = -6,
};

// Why a stream has failed.
struct fwtls_problem {
    // The errno of send or recv; 0 if that was not the reason.
    int system_error;
    // OpenSSL's error: its library and reason, and their text, which may be NULL.
    int library;
    int reason;
    const char *text;
    // Whether it was the message with the server's certificates.
    bool is_in_certificates;
};

// What the verification of a certificate chain has found.
struct fwtls_finding {
    // X509_V_OK or X509_V_ERR_...
    int result;
    // The certificate concerned: 0 is the server's own.
    int depth;
    // The number of certificates that the server has sent.
    int presented;
};

// Verifies a chain outside of a handshake, by the certificates and the lists of a store; the certificate of the server comes first. It
// passes through the gate itself, and compares no name.
struct fwtls_finding fwtls_chain_verify(
    const fwtls_store *store, struct fwtls_rules rules, const struct fwtls_piece *chain, size_t count);
enum {
    FWTLS_STATUS_GOOD = 0,
    FWTLS_STATUS_REVOKED,
    // The responder does not know the certificate.
    FWTLS_STATUS_UNKNOWN,
    // It is not valid now.
    FWTLS_STATUS_EXPIRED,
    // It is about other certificates.
    FWTLS_STATUS_OTHER,
    // It is not signed by the issuer or by a responder of the issuer's.
    FWTLS_STATUS_UNSIGNED,
    // It is a responder's error.
    FWTLS_STATUS_NONE,
    FWTLS_STATUS_MALFORMED,
};
// What an OCSP response says about a certificate, as one of the values above; certificate and issuer in DER. These pass through the gate
// themselves.
int fwtls_status(const fwtls *tls, struct fwtls_piece response, struct fwtls_piece own, struct fwtls_piece issuer);
// Whether a certificate demands that servers send a response with it (RFC 7633).
bool fwtls_certificate_must_staple(const fwtls *tls, const void *der, size_t count);
// Whether a certificate in DER is for a server's name, or for its address as text. Passes through the gate itself.
bool fwtls_certificate_is_for(const fwtls *tls, const void *der, size_t count, const char *name, bool is_address);

// The socket is borrowed. So is the carrier: a complete connection that carries this one's bytes, as that to a proxy does, and that nobody
// else uses until this one is freed. NULL if the socket carries them. The name is that of the server, or its address as text; it is not
// compared with the certificate's if the context asks for verdicts. The protocols are in the format of ALPN, and may be none; so may the
// session. Returns NULL if there is no memory or the name is not valid.
fwtls_stream *fwtls_stream_create(
    const fwtls_context *context, int descriptor, fwtls_stream *carrier, const char *name, bool is_address,
    const unsigned char *protocols, size_t protocols_count, const fwtls_session *session);
// Before the handshake: has it ask the server for an OCSP response. The verdict about a verified chain is then asked for when the response
// can be there: before TLS 1.3, at the end of the handshake. Returns false if it cannot.
bool fwtls_request_status(fwtls_stream *stream);
// Sends nothing. The socket stays open.
void fwtls_stream_free(fwtls_stream *stream);

// FWTLS_DONE, or one of the results but FWTLS_ENDED.
int fwtls_handshake(fwtls_stream *stream);
// The verdict that was asked for. The next step of the handshake follows it.
void fwtls_answer(fwtls_stream *stream, bool accepts);
// Receives until the buffer is full or there is nothing more for now, and returns the number of bytes, or a result.
ssize_t fwtls_receive(fwtls_stream *stream, void *buffer, size_t count);
// Sends at most a record, and returns the number of bytes, or a result. After a result of wanting the next call must begin with the same
// bytes, but may have more or fewer of them.
ssize_t fwtls_send(fwtls_stream *stream, const void *bytes, size_t count);
// Whether another call of fwtls_receive has bytes or a result that the socket may not announce. Does not use OpenSSL.
bool fwtls_has_more(const fwtls_stream *stream);
// Sends close_notify, if the handshake is complete, nothing has failed and the socket takes it. Nothing may be sent after it.
void fwtls_send_close_notify(fwtls_stream *stream);

struct fwtls_problem fwtls_stream_problem(const fwtls_stream *stream);
struct fwtls_finding fwtls_stream_finding(const fwtls_stream *stream);

// Texts about the certificate that the finding concerns. They are written without a NUL and may be cut short; returns their length.
enum {
    FWTLS_SUBJECT = 0,
    FWTLS_ISSUER,
    FWTLS_NOT_BEFORE,
    FWTLS_NOT_AFTER,
};
size_t fwtls_finding_text(const fwtls_stream *stream, int which, char *buffer, size_t capacity);

// Facts of a finished handshake.
const char *fwtls_stream_version(const fwtls_stream *stream);
const char *fwtls_stream_cipher(const fwtls_stream *stream);
bool fwtls_stream_is_resumed(const fwtls_stream *stream);
// Whether this handshake has shown the context's certificate: the server has asked for one, and an algorithm to sign with was agreed on.
bool fwtls_stream_has_signed(const fwtls_stream *stream);
// The protocol that ALPN has chosen; NULL if none. Not NUL-terminated.
const unsigned char *fwtls_stream_protocol(const fwtls_stream *stream, size_t *count);

// The certificates as sent by the server, or as verified, up to the anchor. The first is the server's own.
enum {
    FWTLS_PRESENTED = 0,
    FWTLS_VERIFIED,
};
int fwtls_chain_count(const fwtls_stream *stream, int which);
// Writes a certificate in DER if the buffer has room for it, and returns its size; 0 if there is none.
size_t fwtls_chain_certificate(const fwtls_stream *stream, int which, int index, unsigned char *buffer, size_t capacity);
// When the first of the verified certificates expires, in seconds since 1970; LLONG_MAX if there are none.
long long fwtls_chain_end(const fwtls_stream *stream);

// The OCSP response that the server has sent, and its size; NULL if there is none. Valid as long as the stream.
const unsigned char *fwtls_stream_status(const fwtls_stream *stream, size_t *count);

// A session that the server has issued since the last call; NULL if there is none. The caller frees it.
fwtls_session *fwtls_take_session(fwtls_stream *stream);

#endif
#endif
