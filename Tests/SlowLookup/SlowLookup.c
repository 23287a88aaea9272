#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // RTLD_NEXT
#endif
#include "SlowLookup.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

typedef int (*lookup_function)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static atomic_int count;
static atomic_int count_elsewhere;
static atomic_int slow_unknown_count;

int slow_lookup_count(void) { return atomic_load(&count); }
int slow_lookup_count_elsewhere(void) { return atomic_load(&count_elsewhere); }

static pthread_mutex_t restored_lock = PTHREAD_MUTEX_INITIALIZER;
static char *restored[256];
static int restored_count;

void slow_lookup_restore(const char *name) {
    pthread_mutex_lock(&restored_lock);
    if (restored_count < 256) restored[restored_count++] = strdup(name);
    pthread_mutex_unlock(&restored_lock);
}

static int is_restored(const char *name) {
    int found = 0;
    pthread_mutex_lock(&restored_lock);
    for (int index = 0; index < restored_count && !found; index++) found = strcmp(restored[index], name) == 0;
    pthread_mutex_unlock(&restored_lock);
    return found;
}

static int begins(const char *name, const char *prefix) { return name != NULL && strncasecmp(name, prefix, strlen(prefix)) == 0; }

static void note(void) {
    char thread[16] = "";
    prctl(PR_GET_NAME, thread, 0, 0, 0);
    atomic_fetch_add(&count, 1);
    if (strcmp(thread, "firewheel.dns") != 0) atomic_fetch_add(&count_elsewhere, 1);
}

static void take_a_while(const char *name) {
    char *end = NULL;
    long milliseconds = strtol(name + strlen("slow-"), &end, 10);
    if (end == NULL || strncmp(end, "ms-", 3) != 0 || milliseconds < 0) milliseconds = 3000;
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {}
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    lookup_function next = (lookup_function)dlsym(RTLD_NEXT, "getaddrinfo");
    if (next == NULL) return EAI_SYSTEM;
    if (begins(name, "slow-")) {
        note();
        take_a_while(name);
        return EAI_NONAME;
    }
    if (begins(name, "fake-")) {
        note();
        return next("127.0.0.1", service, hints, result);
    }
    if (begins(name, "lost-")) {
        // The system connects to no multicast address.
        return next(is_restored(name) ? "127.0.0.1" : "224.0.0.1", service, hints, result);
    }
    if (begins(name, "unknown-")) {
        if (is_restored(name)) return next("127.0.0.1", service, hints, result);
        if (begins(name, "unknown-slow-") && atomic_fetch_add(&slow_unknown_count, 1) > 0) take_a_while("slow-1000ms-");
        return EAI_AGAIN;
    }
    if (begins(name, "six-")) {
        note();
        return next("::1", service, hints, result);
    }
    if (begins(name, "dual-")) {
        note();
        // Either may be missing: the hints may ask for one family.
        struct addrinfo *second = NULL;
        int code = next("127.0.0.1", service, hints, &second);
        if (next("::1", service, hints, result) != 0) {
            if (code == 0) *result = second;
            return code;
        }
        if (code != 0) return 0;
        struct addrinfo *last = *result;
        while (last->ai_next != NULL) last = last->ai_next;
        last->ai_next = second;
        return 0;
    }
    return next(name, service, hints, result);
}

#else

int slow_lookup_count(void) { return 0; }
int slow_lookup_count_elsewhere(void) { return 0; }
void slow_lookup_restore(const char *name) { (void)name; }

#endif
