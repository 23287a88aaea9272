#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // RTLD_NEXT, dladdr
#endif
#include "ScarceDescriptors.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most = 64 };

static atomic_int limit = -1;
static atomic_int refused;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The descriptors handed out, with the inode, because a number may be reused. eventfd and epoll_create1 descriptors share one inode and
// are never closed here.
static struct given {
    int descriptor;
    ino_t inode;
} given[most];
static int given_count;

void scarce_descriptors_leave(int count) {
    pthread_mutex_lock(&lock);
    given_count = 0;
    atomic_store(&limit, count > most ? most : count);
    pthread_mutex_unlock(&lock);
}

int scarce_descriptors_refused(void) { return atomic_load(&refused); }

static atomic_int shared_port;

void scarce_descriptors_share_port(int port) { atomic_store(&shared_port, port); }

// Connections to different servers may share it if each socket allows that.
static int bind_to_shared_port(int descriptor, int family) {
    int port = atomic_load(&shared_port), allow = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (port == 0 || family != AF_INET || descriptor < 0) return descriptor;
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &allow, sizeof allow) == 0
        && bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

static int is_ours(void *caller) {
    Dl_info theirs, ours;
    return dladdr(caller, &theirs) != 0 && dladdr(given, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

static int is_open(struct given one) {
    struct stat facts;
    return fstat(one.descriptor, &facts) == 0 && facts.st_ino == one.inode;
}

// Whether a descriptor is left; if so, the lock is held until `end`.
static int begin(void) {
    pthread_mutex_lock(&lock);
    int open_count = 0;
    for (int index = 0; index < given_count; index++) {
        if (is_open(given[index])) given[open_count++] = given[index];
    }
    given_count = open_count;
    if (given_count < atomic_load(&limit)) return 1;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&refused, 1);
    errno = EMFILE;
    return 0;
}

static int end(int descriptor) {
    struct stat facts;
    int error = errno;
    if (descriptor >= 0 && fstat(descriptor, &facts) == 0) given[given_count++] = (struct given){descriptor, facts.st_ino};
    pthread_mutex_unlock(&lock);
    errno = error;
    return descriptor;
}

static int is_scarce(void *caller) { return atomic_load(&limit) >= 0 && is_ours(caller); }

// A sanitizer intercepts these calls, which this file would hide. Without one these are null.
typedef int (*socket_function)(int, int, int);
typedef int (*eventfd_function)(unsigned, int);
typedef int (*epoll_function)(int);
extern int __interceptor_socket(int, int, int) __attribute__((weak));
extern int __interceptor_eventfd(unsigned, int) __attribute__((weak));
extern int __interceptor_epoll_create1(int) __attribute__((weak));

int socket(int family, int type, int protocol) {
    socket_function next = __interceptor_socket ? __interceptor_socket : (socket_function)dlsym(RTLD_NEXT, "socket");
    if (atomic_load(&shared_port) != 0 && is_ours(__builtin_return_address(0))) {
        return bind_to_shared_port(next(family, type, protocol), family);
    }
    if (!is_scarce(__builtin_return_address(0))) return next(family, type, protocol);
    return begin() ? end(next(family, type, protocol)) : -1;
}

int eventfd(unsigned count, int flags) {
    eventfd_function next = __interceptor_eventfd ? __interceptor_eventfd : (eventfd_function)dlsym(RTLD_NEXT, "eventfd");
    if (!is_scarce(__builtin_return_address(0))) return next(count, flags);
    return begin() ? end(next(count, flags)) : -1;
}

int epoll_create1(int flags) {
    epoll_function next = __interceptor_epoll_create1 ? __interceptor_epoll_create1 : (epoll_function)dlsym(RTLD_NEXT, "epoll_create1");
    if (!is_scarce(__builtin_return_address(0))) return next(flags);
    return begin() ? end(next(flags)) : -1;
}

#else

void scarce_descriptors_leave(int count) { (void)count; }
int scarce_descriptors_refused(void) { return 0; }
void scarce_descriptors_share_port(int port) { (void)port; }

#endif
