// The server side of TLS for tests, and certificates made in memory, over the system's OpenSSL 3, which is loaded at run time.
// It shares nothing with the library's own use of OpenSSL, so that neither can hide the other's mistakes.
#ifndef TLSTESTSERVER_H
#define TLSTESTSERVER_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
// Not part of the Glibc module.
#include <sys/eventfd.h>

#include "HTTP2TestServer.h"

// Loads the libraries on the first call. Returns NULL if they can be used, or else why not.
const char *tlstest_unavailable(void);

// Leaves an error in the calling thread's queue, as others that use OpenSSL may. Returns false if that did not succeed.
bool tlstest_leave_error(void);

enum { TLSTEST_ERROR_SIZE = 256 };

// MARK: Certificates

// Both are immutable once made, so any thread may read them.
typedef struct tlstest_key tlstest_key;
typedef struct tlstest_certificate tlstest_certificate;

enum {
    TLSTEST_SHA256 = 0,
    TLSTEST_SHA1,
    TLSTEST_MD5,
};

// The texts are in the syntax of OpenSSL's configuration files; NULL leaves the extension out.
struct tlstest_contents {
    const char *common_name;
    const char *alternative_names;
    const char *basic_constraints;
    const char *key_usage;
    const char *extended_key_usage;
    const char *tls_feature;
    const char *name_constraints;
    // The size of a comment, which makes the certificate large.
    size_t padding;
    // Seconds since 1970.
    long long not_before;
    long long not_after;
    int digest;
};

// An RSA key of so many bits, or a P-256 key for 0. Returns NULL if OpenSSL refuses.
tlstest_key *tlstest_key_make(size_t rsa_bits);
void tlstest_key_free(tlstest_key *key);

// A certificate for `key`, signed by the issuer, or by itself if there is none. Returns NULL and writes the reason if OpenSSL refuses.
tlstest_certificate *tlstest_certificate_make(
    const struct tlstest_contents *contents, const tlstest_key *key, const tlstest_certificate *issuer, const tlstest_key *issuer_key,
    char error[TLSTEST_ERROR_SIZE]);
void tlstest_certificate_free(tlstest_certificate *certificate);
// Writes as much of the DER encoding as fits and returns its whole size.
size_t tlstest_certificate_der(const tlstest_certificate *certificate, unsigned char *buffer, size_t size);
// PEM of a certificate or a key, to be freed with free().
char *tlstest_certificate_pem(const tlstest_certificate *certificate);
char *tlstest_key_pem(const tlstest_key *key);

struct tlstest_status {
    // 0 for good, 1 for revoked, 2 for unknown.
    int status;
    // 0 for a response with a status, or a responder's error (RFC 6960 section 4.2.1).
    int outcome;
    // Whether the certificate is named by SHA-256, and not by SHA-1.
    bool has_sha256;
    // Seconds since 1970; the second one may be 0 for none.
    long long this_update;
    long long next_update;
};
// An OCSP response about a certificate in DER, to be freed with free(), with the signer's certificate in it. Returns NULL and writes the
// reason if OpenSSL refuses.
unsigned char *tlstest_status_make(
    const tlstest_certificate *certificate, const tlstest_certificate *issuer, const tlstest_certificate *signer, const tlstest_key *key,
    const struct tlstest_status *status, size_t *size, char error[TLSTEST_ERROR_SIZE]);

// A revocation list of the issuer in DER, to be freed with free(), that this key signs. The times are in seconds since 1970; without a
// second one it has no end. The scope is an issuing distribution point in the syntax of OpenSSL's configuration files, or NULL. Returns
// NULL and writes the reason if OpenSSL refuses.
unsigned char *tlstest_list_make(
    const tlstest_certificate *issuer, const tlstest_key *key, const tlstest_certificate *const *revoked, size_t revoked_count,
    long long last_update, const long long *next_update, bool is_delta, const char *scope, size_t *size, char error[TLSTEST_ERROR_SIZE]);

// MARK: Contexts

// What all connections to a server share. Any thread may make streams of it.
typedef struct tlstest_context tlstest_context;

enum { TLSTEST_TICKET_KEY_SIZE = 80, TLSTEST_TICKET_DATA_SIZE = 32768 };

struct tlstest_settings {
    // 0x0301 to 0x0304.
    int minimum_version;
    int maximum_version;
    // The ALPN list in the server's order, as on the wire: each name behind its length.
    const unsigned char *protocols;
    size_t protocols_size;
    // Selects the first protocol, whatever the client offers.
    bool forces_protocol;
    // Ends the handshake with the alert no_application_protocol if nothing matches, instead of going on without a protocol.
    bool requires_protocol;
    // Sessions in tickets, or in the server's memory, or neither.
    bool has_tickets;
    bool has_session_cache;
    // How many tickets follow a handshake of TLS 1.3; 0 for OpenSSL's own choice.
    size_t ticket_count;
    // How many bytes a ticket carries for the server, at most TLSTEST_TICKET_DATA_SIZE.
    size_t ticket_data_size;
    // TLSTEST_TICKET_KEY_SIZE bytes that other servers may share; NULL for random ones.
    const unsigned char *ticket_key;
    // An OCSP response for clients that ask for one; NULL for none.
    const unsigned char *status;
    size_t status_size;
};

// The first certificate is the server's own. With authorities a client has to show a certificate that one of them has signed.
tlstest_context *tlstest_context_make(
    const struct tlstest_settings *settings, const tlstest_certificate *const *chain, size_t chain_count, const tlstest_key *key,
    const tlstest_certificate *const *authorities, size_t authority_count, char error[TLSTEST_ERROR_SIZE]);
void tlstest_context_free(tlstest_context *context);

// MARK: Streams

// One connection's TLS: ciphertext in and out by memory, no socket. Used by one thread at a time.
typedef struct tlstest_stream tlstest_stream;

enum {
    // More ciphertext of the client is needed.
    TLSTEST_WAITS = -1,
    // The client has sent close_notify.
    TLSTEST_ENDED = -2,
    TLSTEST_FAILED = -3,
};

tlstest_stream *tlstest_stream_make(tlstest_context *context);
void tlstest_stream_free(tlstest_stream *stream);

// Takes in ciphertext.
bool tlstest_stream_feed(tlstest_stream *stream, const void *bytes, size_t count);
// Takes out ciphertext and returns how much.
size_t tlstest_stream_output(tlstest_stream *stream, void *buffer, size_t size);

// Each returns a count of bytes or one of the values above. A finished handshake is 0.
long tlstest_stream_handshake(tlstest_stream *stream);
long tlstest_stream_read(tlstest_stream *stream, void *buffer, size_t size);
long tlstest_stream_write(tlstest_stream *stream, const void *bytes, size_t count);
// Puts close_notify into the output.
void tlstest_stream_close(tlstest_stream *stream);
// Asks for new keys (TLS 1.3) or another handshake (TLS 1.2).
bool tlstest_stream_update_keys(tlstest_stream *stream);
bool tlstest_stream_renegotiate(tlstest_stream *stream);

// What is known by now; the texts live as long as the stream and are empty where nothing is known.
const char *tlstest_stream_version(const tlstest_stream *stream);
const char *tlstest_stream_protocol(const tlstest_stream *stream);
const char *tlstest_stream_server_name(const tlstest_stream *stream);
const char *tlstest_stream_error(const tlstest_stream *stream);
const char *tlstest_stream_client_subject(const tlstest_stream *stream);
bool tlstest_stream_is_resumed(const tlstest_stream *stream);
// Whether the ClientHello has a ticket, or a key shared before (TLS 1.3).
bool tlstest_stream_offers_session(const tlstest_stream *stream);
// The client's ALPN list as on the wire.
const unsigned char *tlstest_stream_offered(const tlstest_stream *stream, size_t *size);

#endif
#endif
