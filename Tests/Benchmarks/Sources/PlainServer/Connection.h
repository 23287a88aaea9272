// Blocking connections of the small servers, each on a thread of its own.
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection, and the bytes that were received and not yet looked at.
struct connection {
    int descriptor;
    size_t start, end;
    char bytes[4096];
};

// The next line without its end, which stays valid until the next call; NULL if there is none.
char *next_line(struct connection *it);

// Sends all bytes. False if the connection is over.
bool send_all(const struct connection *it, const char *bytes, size_t count);

bool answer(const struct connection *it, const char *text);

// Answers with a number as text.
bool answer_number(const struct connection *it, uint64_t number);

// Reads a number to the end of its line, to a space, or to the extensions of a chunk.
bool parse(const char *text, int base, uint64_t *out);

// Accepts connections until standard input ends, and calls `serve` for each request until it returns false. Returns -1 after an error.
int serve_connections(int listener, bool (*serve)(struct connection *));

#endif
