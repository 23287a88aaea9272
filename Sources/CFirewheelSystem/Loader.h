// What the function tables of this target share.
#ifndef FIREWHEEL_LOADER_H
#define FIREWHEEL_LOADER_H

#include "CFirewheelSystem.h"

#include <stdint.h>

#if defined(__linux__)

// A symbol's name and where its function pointer is stored.
struct fwsystem_symbol {
    const char *name;
    void *place;
};

// Resolves the symbols. The handle is never closed, because the library's threads and exit handlers may still run its code.
__attribute__((visibility("hidden"))) bool fwsystem_load(
    const char *soname, const struct fwsystem_symbol *symbols, size_t count, struct fwsystem_failure *failure);

// Allocates a table; on failure the error is already set.
__attribute__((visibility("hidden"))) void *fwsystem_table(size_t size, struct fwsystem_failure *failure);

// Initialises OpenSSL with its OPENSSL_init_ssl or OPENSSL_init_crypto. From then on it can be used within the gate (fwtls_enter) until the
// process has exited. Called within the gate.
struct ossl_init_settings_st;
__attribute__((visibility("hidden"))) bool fwtls_initialise(
    int (*initialise)(uint64_t options, const struct ossl_init_settings_st *settings));

__attribute__((visibility("hidden"))) void fwsystem_fail(struct fwsystem_failure *failure, int reason, const char *detail);

#endif
#endif
