#define _GNU_SOURCE
#include "PlainServer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { events_per_turn = 256, most_descriptors = 65536 };

static const char answer[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: application/json\r\n"
    "Content-Length: 27\r\n"
    "\r\n"
    "{\"message\":\"Hello, world!\"}";

// By descriptor: how much of the blank line at the end of a head has arrived, and whether the request is held.
static struct {
    unsigned char matched;
    bool is_begun;
    bool is_held;
} connections[most_descriptors];

static int fail(const char *what) {
    fprintf(stderr, "server: %s: %s\n", what, strerror(errno));
    return -1;
}

int plain_server_listen(int *port_out) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 8192) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) return fail("listen");
    *port_out = ntohs(address.sin_port);
    return listener;
}

// The response is small and alone on the connection, so that it fits into the socket's buffer.
static void respond(int descriptor) {
    (void)!send(descriptor, answer, sizeof answer - 1, MSG_NOSIGNAL);
}

// Reads what is available. Returns how many held requests are complete, or -1 at the end of the connection.
static int receive(int descriptor) {
    char bytes[16384];
    int held = 0;
    ssize_t count = recv(descriptor, bytes, sizeof bytes, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (count == 0) return -1;
    for (ssize_t index = 0; index < count; index++) {
        if (!connections[descriptor].is_begun) {
            connections[descriptor].is_begun = true;
            connections[descriptor].is_held = count - index > 10 && memcmp(bytes + index, "GET /held ", 10) == 0;
        }
        unsigned char *matched = &connections[descriptor].matched;
        *matched = bytes[index] == "\r\n\r\n"[*matched] ? *matched + 1 : bytes[index] == '\r';
        if (*matched < 4) continue;
        *matched = 0;
        connections[descriptor].is_begun = false;
        if (connections[descriptor].is_held) held++;
        else respond(descriptor);
    }
    return held;
}

static void accept_all(int listener, int poller) {
    int descriptor, on = 1;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (descriptor < most_descriptors && epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0) {
            memset(&connections[descriptor], 0, sizeof connections[descriptor]);
        } else {
            close(descriptor);
        }
    }
}

int plain_server_run(int listener, int hold, int pause_us) {
    int poller = epoll_create1(EPOLL_CLOEXEC);
    int *held = calloc((size_t)hold + 1, sizeof *held);
    int held_count = 0;
    struct epoll_event events[events_per_turn], event = {.events = EPOLLIN, .data.fd = listener};
    if (poller < 0 || !held || epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) != 0) return fail("setting up");
    event.data.fd = STDIN_FILENO;
    if (epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) return fail("standard input");
    while (true) {
        int count = epoll_wait(poller, events, events_per_turn, -1);
        if (count < 0 && errno != EINTR) return fail("epoll_wait");
        for (int index = 0; index < count; index++) {
            int descriptor = events[index].data.fd;
            if (descriptor == STDIN_FILENO) return 0;
            if (descriptor == listener) {
                accept_all(listener, poller);
                continue;
            }
            int added = receive(descriptor);
            if (added < 0) {
                close(descriptor);
            } else if (added > 0) {
                held[held_count++] = descriptor;
            }
            if (held_count == 0 || held_count < hold) continue;
            struct timespec pause = {.tv_sec = pause_us / 1000000, .tv_nsec = pause_us % 1000000 * 1000L};
            nanosleep(&pause, NULL);
            for (int waiting = 0; waiting < held_count; waiting++) respond(held[waiting]);
            held_count = 0;
        }
    }
}
