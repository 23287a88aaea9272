// System libraries that a feature loads on first use: libcrypto for hashes, libpsl for public suffixes. Each function table is loaded by
// file name and through its own handle. So building needs no -dev package, another copy of the library in the process is not picked up by
// mistake, and a program that does not use the feature runs without the library.
#ifndef CFIREWHEELSYSTEM_H
#define CFIREWHEELSYSTEM_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>

// Why a library cannot be used.
enum {
    FWSYSTEM_NO_LIBRARY = 1,
    FWSYSTEM_NO_SYMBOL,
    FWSYSTEM_OLD_VERSION,
    FWSYSTEM_NO_MEMORY,
};

struct fwsystem_failure {
    int reason;
    // The dynamic linker's message, the name of the missing symbol, or the version found. NUL-terminated.
    char detail[256];
};
const char *fwsystem_failure_detail(const struct fwsystem_failure *failure);

// A table is immutable once loaded and is never unloaded, so any thread may use it.
typedef struct fwcrypto fwcrypto;
typedef struct fwpsl fwpsl;

// Hash algorithms of libcrypto.
enum {
    FWCRYPTO_MD5 = 0,
    FWCRYPTO_SHA256,
    FWCRYPTO_SHA512_256,
    FWCRYPTO_COUNT,
    FWCRYPTO_MAXIMUM_SIZE = 32,
};

// Loads OpenSSL's libcrypto by file name. The least version is written as in OpenSSL_version_num: 0xMNN00PP0. Returns NULL and sets the
// failure if it cannot be used.
const fwcrypto *fwcrypto_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);
// Whether the library provides an algorithm: a FIPS configuration may refuse MD5.
bool fwcrypto_has(const fwcrypto *crypto, int algorithm);
// Hashes bytes into a buffer of FWCRYPTO_MAXIMUM_SIZE bytes and returns the hash's size; 0 if the library refused.
size_t fwcrypto_hash(const fwcrypto *crypto, int algorithm, const void *bytes, size_t count, unsigned char *hash);

// Loads libpsl by file name, with a least version of 0xMMNNPP.
const fwpsl *fwpsl_load(const char *soname, int least_version, struct fwsystem_failure *failure);
// Whether the library was built with a list. Without one it cannot answer.
bool fwpsl_has_list(const fwpsl *psl);
// Both expect names in lower case. By the list's default rule every single label is a public suffix.
bool fwpsl_is_public_suffix(const fwpsl *psl, const char *domain);
bool fwpsl_is_cookie_domain_acceptable(const fwpsl *psl, const char *host, const char *domain);

#endif
#endif
