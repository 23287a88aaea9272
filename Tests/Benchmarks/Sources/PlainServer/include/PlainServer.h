// A server that does as little as it can, for measurements that need none installed.
#ifndef PLAINSERVER_H
#define PLAINSERVER_H

// Listens on a free port of 127.0.0.1. Returns the listener, or -1 after it has said on stderr what is wrong.
int plain_server_listen(int *port_out);

// Serves until standard input ends, as it does with the process that started this one. To a request without a body it answers 200 and 27 bytes:
// at once, or if the path begins with /held together with the others, `pause_us` after `hold` of them wait. Returns -1 after an error.
int plain_server_run(int listener, int hold, int pause_us);

#endif
