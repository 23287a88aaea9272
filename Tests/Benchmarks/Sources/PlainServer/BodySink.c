#define _GNU_SOURCE
#include "PlainServer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// A connection, and the bytes that were received and not yet looked at.
struct connection {
    int descriptor;
    size_t start, end;
    char bytes[4096];
};

// Receives at least one byte more. False at the end of the connection, or if a line does not fit.
static bool receive_more(struct connection *it) {
    if (it->start > 0) {
        memmove(it->bytes, it->bytes + it->start, it->end - it->start);
        it->end -= it->start;
        it->start = 0;
    }
    if (it->end == sizeof it->bytes) return false;
    ssize_t count;
    do count = recv(it->descriptor, it->bytes + it->end, sizeof it->bytes - it->end, 0);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    it->end += (size_t)count;
    return true;
}

// The next line without its end, which stays valid until the next call; NULL if there is none.
static char *next_line(struct connection *it) {
    while (true) {
        char *line = it->bytes + it->start;
        char *end = memmem(line, it->end - it->start, "\r\n", 2);
        if (end) {
            *end = 0;
            it->start += (size_t)(end - line) + 2;
            return line;
        }
        if (!receive_more(it)) return NULL;
    }
}

// Drops bytes of a body. TCP copies nothing for MSG_TRUNC, so that the client's cost decides the time.
static bool discard(struct connection *it, uint64_t count) {
    size_t held = it->end - it->start;
    if (held > count) held = (size_t)count;
    it->start += held;
    count -= held;
    while (count > 0) {
        ssize_t got = recv(it->descriptor, NULL, count < 1 << 20 ? (size_t)count : 1 << 20, MSG_TRUNC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        count -= (uint64_t)got;
    }
    return true;
}

static bool answer(const struct connection *it, const char *text) {
    size_t length = strlen(text);
    return send(it->descriptor, text, length, MSG_NOSIGNAL) == (ssize_t)length;
}

// Reads a number to the end of its line, or to the extensions of a chunk.
static bool parse(const char *text, int base, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, base);
    return errno == 0 && end != text && (*end == 0 || *end == ';' || *end == ' ');
}

static bool discard_chunks(struct connection *it, uint64_t *total) {
    while (true) {
        const char *line = next_line(it);
        uint64_t size;
        if (!line || !parse(line, 16, &size)) return false;
        if (size == 0) break;
        if (!discard(it, size) || !(line = next_line(it)) || *line) return false;
        *total += size;
    }
    const char *line;
    do line = next_line(it);
    while (line && *line);
    return line != NULL;
}

static const char *value(const char *line, const char *name) {
    size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

// Reads one request and answers it. False if the connection is over.
static bool serve(struct connection *it) {
    uint64_t length = 0;
    bool is_chunked = false, expects = false;
    const char *line = next_line(it), *found;
    if (!line) return false;
    while ((line = next_line(it)) && *line) {
        if ((found = value(line, "Content-Length")) && !parse(found, 10, &length)) return false;
        if ((found = value(line, "Transfer-Encoding"))) is_chunked = strcasecmp(found, "chunked") == 0;
        if ((found = value(line, "Expect"))) expects = strcasecmp(found, "100-continue") == 0;
    }
    if (!line || (expects && !answer(it, "HTTP/1.1 100 Continue\r\n\r\n"))) return false;
    if (is_chunked) length = 0;
    if (is_chunked ? !discard_chunks(it, &length) : !discard(it, length)) return false;
    char count[32], text[128];
    int digits = snprintf(count, sizeof count, "%llu", (unsigned long long)length);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", digits, count);
    return answer(it, text);
}

static void *serve_all(void *descriptor) {
    struct connection it = {.descriptor = (int)(intptr_t)descriptor};
    while (serve(&it)) continue;
    close(it.descriptor);
    return NULL;
}

int body_sink_run(int listener) {
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    while (true) {
        if (poll(watched, 2, -1) < 0 && errno != EINTR) break;
        if (watched[0].revents) return 0;
        int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;
        if (descriptor < 0) continue;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve_all, (void *)(intptr_t)descriptor) == 0) pthread_detach(thread);
        else close(descriptor);
    }
    fprintf(stderr, "server: poll: %s\n", strerror(errno));
    return -1;
}
