#include "Connection.h"
#include "PlainServer.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

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
    return answer_number(it, length);
}

int body_sink_run(int listener) { return serve_connections(listener, serve); }
