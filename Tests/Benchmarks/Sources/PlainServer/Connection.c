#define _GNU_SOURCE
#include "Connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

char *next_line(struct connection *it) {
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

bool send_all(const struct connection *it, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(it->descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool answer(const struct connection *it, const char *text) { return send_all(it, text, strlen(text)); }

bool answer_number(const struct connection *it, uint64_t number) {
    char digits[32], text[128];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", count, digits);
    return answer(it, text);
}

bool parse(const char *text, int base, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, base);
    return errno == 0 && end != text && (*end == 0 || *end == ';' || *end == ' ');
}

struct client {
    struct connection connection;
    bool (*serve)(struct connection *);
};

static void *serve_all(void *argument) {
    struct client *client = argument;
    while (client->serve(&client->connection)) continue;
    close(client->connection.descriptor);
    free(client);
    return NULL;
}

int serve_connections(int listener, bool (*serve)(struct connection *)) {
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    while (true) {
        if (poll(watched, 2, -1) < 0 && errno != EINTR) break;
        if (watched[0].revents) return 0;
        int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;
        if (descriptor < 0) continue;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct client *client = calloc(1, sizeof *client);
        pthread_t thread;
        if (client) {
            client->connection.descriptor = descriptor;
            client->serve = serve;
            if (pthread_create(&thread, NULL, serve_all, client) == 0) {
                pthread_detach(thread);
                continue;
            }
        }
        free(client);
        close(descriptor);
    }
    fprintf(stderr, "server: poll: %s\n", strerror(errno));
    return -1;
}
