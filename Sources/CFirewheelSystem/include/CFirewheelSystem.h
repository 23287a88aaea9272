// Libraries of the system that single features load when they first need them: libcrypto for hashes, libpsl for public suffixes.
// Each is a table of functions that is filled by the library's file name and through its own handle, so that no -dev package is
// needed to build, another copy in the process is never taken for it, and a program runs without it until a feature asks.
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
    // The dynamic linker's explanation, the name of the symbol, or the version that was found. It ends with a NUL.
    char detail[256];
};
const char *fwsystem_failure_detail(const struct fwsystem_failure *failure);

// A table is filled once and never changes or goes away after that: any thread may use it. A library that has been loaded stays loaded.
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

// Loads OpenSSL's libcrypto under this file name, of at least this version: 0xMNN00PP0, as OpenSSL_version_num has it.
// NULL with a failure if that cannot be done.
const fwcrypto *fwcrypto_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure);
// Whether the library has an algorithm: a FIPS configuration may refuse MD5.
bool fwcrypto_has(const fwcrypto *crypto, int algorithm);
// Hashes bytes into a buffer of FWCRYPTO_MAXIMUM_SIZE, and gives the hash's size. 0 if the library refused.
size_t fwcrypto_hash(const fwcrypto *crypto, int algorithm, const void *bytes, size_t count, unsigned char *hash);

// Loads libpsl under this file name, of at least this version: 0xMMNNPP.
const fwpsl *fwpsl_load(const char *soname, int least_version, struct fwsystem_failure *failure);
// Whether the library was built with a list. Without one it has nothing to say.
bool fwpsl_has_list(const fwpsl *psl);
// Both take names in lower case. The list's default rule makes every single label a public suffix.
bool fwpsl_is_public_suffix(const fwpsl *psl, const char *domain);
bool fwpsl_is_cookie_domain_acceptable(const fwpsl *psl, const char *host, const char *domain);

#endif
#endif
