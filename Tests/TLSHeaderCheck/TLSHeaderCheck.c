// Compares what CFirewheelSystem declares of OpenSSL 3 with its own headers at compile time, where those are installed.
#include "TLSHeaderCheck.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<openssl/opensslv.h>) && __has_include(<openssl/ssl.h>)
#include <openssl/opensslv.h>
#if defined(OPENSSL_VERSION_MAJOR) && OPENSSL_VERSION_MAJOR == 3
#define HAS_OPENSSL 1
#endif
#endif
#endif

#if defined(HAS_OPENSSL)
#include "../../Sources/CFirewheelSystem/TLSFunctions.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#define SAME_CONSTANT(name, value) _Static_assert((long long)(name) == (long long)(value), #name);
FWTLS_CONSTANTS(SAME_CONSTANT)
_Static_assert((XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) == FWTLS_NAME_FLAGS, "XN_FLAG_RFC2253");

#define SAME_TYPE(result, name, parameters)                                                                                  \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
FWTLS_SSL_FUNCTIONS(SAME_TYPE)
FWTLS_CRYPTO_FUNCTIONS(SAME_TYPE)

bool tls_header_check_was_compiled(void) { return true; }
#else
bool tls_header_check_was_compiled(void) { return false; }
#endif
