#include "Connection.h"
#include "PlainServer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { line_length = 100, lines_at_a_time = 1000, part_length = line_length * lines_at_a_time };

static char lines[part_length];
// The bytes of bodies that the system has taken.
static _Atomic uint64_t sent;

static void fill_lines(void) {
    for (int index = 0; index < part_length; index++) {
        int column = index % line_length;
        lines[index] = column == line_length - 1 ? '\n' : (char)('a' + (index / line_length + column) % 26);
    }
}

static bool send_lines(const struct connection *it, uint64_t length) {
    char head[128];
    snprintf(
        head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %llu\r\n\r\n", (unsigned long long)length);
    if (!answer(it, head)) return false;
    while (length > 0) {
        size_t count = length < part_length ? (size_t)length : part_length;
        if (!send_all(it, lines, count)) return false;
        atomic_fetch_add(&sent, count);
        length -= count;
    }
    return true;
}

// Reads one request and answers it. False if the connection is over.
static bool serve(struct connection *it) {
    const char *line = next_line(it);
    if (!line || strncmp(line, "GET /", 5) != 0) return false;
    uint64_t length = 0;
    bool asks_for_count = strncmp(line + 5, "sent ", 5) == 0;
    if (!asks_for_count && !parse(line + 5, 10, &length)) return false;
    while ((line = next_line(it)) && *line) continue;
    if (!line) return false;
    return asks_for_count ? answer_number(it, atomic_load(&sent)) : send_lines(it, length);
}

int line_source_run(int listener) {
    fill_lines();
    return serve_connections(listener, serve);
}
