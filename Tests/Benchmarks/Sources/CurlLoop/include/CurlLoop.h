// The yardstick of the benchmarks: what a straightforward C program gets out of libcurl.
#ifndef CURLLOOP_H
#define CURLLOOP_H

// Fetches `url` `requests` times by GET, `in_flight` at a time, on this thread, over connections of its own that it keeps alive, and
// collects each body in memory. Every response has to have status 200 and a body as long as the first one's.
// Returns 0 and the seconds from the first request to the last response (connecting included, setting up and tearing down not);
// or -1 after it has said on stderr what is wrong.
int curl_loop_run(const char *url, int in_flight, long requests, double *seconds_out);

#endif
