#include "CFirewheelSystem.h"

#if defined(__linux__)

#include "Loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *fwsystem_failure_detail(const struct fwsystem_failure *failure) { return failure->detail; }

void fwsystem_fail(struct fwsystem_failure *failure, int reason, const char *detail) {
    failure->reason = reason;
    snprintf(failure->detail, sizeof failure->detail, "%s", detail != NULL ? detail : "");
}

bool fwsystem_load(const char *soname, const struct fwsystem_symbol *symbols, size_t count, struct fwsystem_failure *failure) {
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fwsystem_fail(failure, FWSYSTEM_NO_LIBRARY, dlerror());
        return false;
    }
    for (size_t index = 0; index < count; index++) {
        void *found = dlsym(library, symbols[index].name);
        if (found == NULL) {
            fwsystem_fail(failure, FWSYSTEM_NO_SYMBOL, symbols[index].name);
            return false;
        }
        memcpy(symbols[index].place, &found, sizeof found);
    }
    return true;
}

int fwsystem_rename_exclusively(const char *from, const char *to) {
#if defined(SYS_renameat2)
    // RENAME_NOREPLACE, which the headers have only with extensions.
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1U) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}

bool fwsystem_random(void *bytes, size_t count) {
    size_t filled = 0;
    while (filled < count) {
        ssize_t added = getrandom((char *)bytes + filled, count - filled, 0);
        if (added > 0) {
            filled += (size_t)added;
        } else if (added == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

void *fwsystem_table(size_t size, struct fwsystem_failure *failure) {
    void *table = calloc(1, size);
    if (table == NULL) fwsystem_fail(failure, FWSYSTEM_NO_MEMORY, "out of memory");
    return table;
}

// MARK: libcrypto

struct fwcrypto {
    unsigned long (*version_number)(void);
    int (*initialise)(uint64_t options, const struct ossl_init_settings_st *settings);
    void *(*fetch)(void *context, const char *name, const char *properties);
    int (*digest)(const void *bytes, size_t count, unsigned char *hash, unsigned int *size, const void *algorithm, void *engine);
    int (*set_mark)(void);
    int (*pop_to_mark)(void);
    // Fetched in advance: a fetch takes the library's locks, which are destroyed when the process begins to exit.
    void *algorithms[FWCRYPTO_COUNT];
};

const fwcrypto *fwcrypto_load(const char *soname, unsigned long least_version, struct fwsystem_failure *failure) {
    static const char *const names[FWCRYPTO_COUNT] = {"MD5", "SHA1", "SHA2-256", "SHA2-512/256"};
    struct fwcrypto *crypto = fwsystem_table(sizeof *crypto, failure);
    if (crypto == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"OpenSSL_version_num", &crypto->version_number},
        {"OPENSSL_init_crypto", &crypto->initialise},
        {"EVP_MD_fetch", &crypto->fetch},
        {"EVP_Digest", &crypto->digest},
        {"ERR_set_mark", &crypto->set_mark},
        {"ERR_pop_to_mark", &crypto->pop_to_mark},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(crypto);
        return NULL;
    }
    unsigned long version = crypto->version_number();
    if (version < least_version) {
        char text[64];
        snprintf(text, sizeof text, "%lu.%lu.%lu", version >> 28, version >> 20 & 0xFF, version >> 4 & 0xFF);
        fwsystem_fail(failure, FWSYSTEM_OLD_VERSION, text);
        free(crypto);
        return NULL;
    }
    if (!fwtls_enter()) {
        fwsystem_fail(failure, FWSYSTEM_NO_LIBRARY, "the process is exiting");
        free(crypto);
        return NULL;
    }
    bool is_ready = fwtls_initialise(crypto->initialise);
    // An error left in the thread's queue could be mistaken for one of a TLS connection on the same thread.
    crypto->set_mark();
    for (size_t index = 0; index < FWCRYPTO_COUNT && is_ready; index++) {
        crypto->algorithms[index] = crypto->fetch(NULL, names[index], NULL);
    }
    crypto->pop_to_mark();
    fwtls_leave();
    return crypto;
}

bool fwcrypto_has(const fwcrypto *crypto, int algorithm) {
    return algorithm >= 0 && algorithm < FWCRYPTO_COUNT && crypto->algorithms[algorithm] != NULL;
}

size_t fwcrypto_hash(const fwcrypto *crypto, int algorithm, const void *bytes, size_t count, unsigned char *hash) {
    if (!fwcrypto_has(crypto, algorithm) || !fwtls_enter()) return 0;
    unsigned int size = 0;
    crypto->set_mark();
    int done = crypto->digest(bytes, count, hash, &size, crypto->algorithms[algorithm], NULL);
    crypto->pop_to_mark();
    fwtls_leave();
    return done == 1 ? size : 0;
}

// MARK: libpsl

struct fwpsl {
    int (*check_version_number)(int version);
    const void *(*builtin)(void);
    int (*is_public_suffix)(const void *list, const char *domain);
    int (*is_cookie_domain_acceptable)(const void *list, const char *host, const char *domain);
    // Constant data of the library.
    const void *list;
};

const fwpsl *fwpsl_load(const char *soname, int least_version, struct fwsystem_failure *failure) {
    struct fwpsl *psl = fwsystem_table(sizeof *psl, failure);
    if (psl == NULL) return NULL;
    const struct fwsystem_symbol symbols[] = {
        {"psl_check_version_number", &psl->check_version_number},
        {"psl_builtin", &psl->builtin},
        {"psl_is_public_suffix", &psl->is_public_suffix},
        {"psl_is_cookie_domain_acceptable", &psl->is_cookie_domain_acceptable},
    };
    if (!fwsystem_load(soname, symbols, sizeof symbols / sizeof *symbols, failure)) {
        free(psl);
        return NULL;
    }
    // Called with 0, it returns the library's own version.
    int version = psl->check_version_number(0);
    if (version < least_version) {
        char text[64];
        snprintf(text, sizeof text, "%d.%d.%d", version >> 16, version >> 8 & 0xFF, version & 0xFF);
        fwsystem_fail(failure, FWSYSTEM_OLD_VERSION, text);
        free(psl);
        return NULL;
    }
    psl->list = psl->builtin();
    return psl;
}

bool fwpsl_has_list(const fwpsl *psl) { return psl->list != NULL; }

bool fwpsl_is_public_suffix(const fwpsl *psl, const char *domain) {
    return psl->list != NULL && psl->is_public_suffix(psl->list, domain) != 0;
}

bool fwpsl_is_cookie_domain_acceptable(const fwpsl *psl, const char *host, const char *domain) {
    return psl->list != NULL && psl->is_cookie_domain_acceptable(psl->list, host, domain) != 0;
}

#endif
