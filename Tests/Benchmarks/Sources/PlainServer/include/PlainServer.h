// Minimal servers, for measurements without an installed one.
#ifndef PLAINSERVER_H
#define PLAINSERVER_H

// Listens on a free port of 127.0.0.1. Returns the listener, or -1 after a message on stderr.
int plain_server_listen(int *port_out);

// Serves until standard input ends. A request without a body gets 200 and a small body: at once, or for a path that begins with /held
// together with the others, `pause_us` microseconds after `hold` of them have arrived. Returns -1 after an error.
int plain_server_run(int listener, int hold, int pause_us);

// Serves until standard input ends. Drops the body of each request as fast as it can, and answers with the number of its bytes.
// Returns -1 after an error.
int body_sink_run(int listener);

// Serves until standard input ends. Answers `GET /N` with N bytes of lines, 100 bytes each with its LF, and `GET /sent` with the number of
// bytes of such bodies that the system has taken from it. Returns -1 after an error.
int line_source_run(int listener);

#endif
