#include "CurlLoop.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    events_per_turn = 256,
    // A longer wait without an event is reported as a hang.
    patience_ms = 10000,
    no_timer = -1,
};

// One request in flight: the handle and the body's memory are reused for the next request.
struct slot {
    CURL *easy;
    bool drop;  // Bytes are counted, and the body stays empty.
    char *body;
    size_t length;
    size_t capacity;
};

struct loop {
    const struct curl_loop_job *job;
    CURLM *multi;
    struct curl_slist *fields;
    int epoll;
    int64_t deadline_ms;  // When libcurl wants its timers run, or no_timer.
    long started;
    long finished;
    bool failed;
};

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t milliseconds(void) { return nanoseconds() / 1000000; }

static void fail(struct loop *loop, const char *what, const char *why) {
    fprintf(stderr, "C loop: %s: %s\n", what, why);
    loop->failed = true;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user) {
    struct slot *slot = user;
    size_t added = size * count;
    if (slot->drop) {
        slot->length += added;
        return added;
    }
    if (slot->capacity - slot->length < added) {
        size_t capacity = slot->capacity ? slot->capacity : 4096;
        while (capacity - slot->length < added) capacity *= 2;
        char *body = realloc(slot->body, capacity);
        if (!body) return 0;
        slot->body = body;
        slot->capacity = capacity;
    }
    memcpy(slot->body + slot->length, bytes, added);
    slot->length += added;
    return added;
}

// `registered` is set with curl_multi_assign once epoll watches the socket.
static int on_socket(CURL *easy, curl_socket_t socket, int what, void *user, void *registered) {
    (void)easy;
    struct loop *loop = user;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
        return 0;
    }
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(loop->epoll, registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0) {
        fail(loop, "epoll_ctl", strerror(errno));
        return -1;
    }
    if (!registered) curl_multi_assign(loop->multi, socket, loop);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user) {
    (void)multi;
    struct loop *loop = user;
    if (timeout_ms < 0) {
        loop->deadline_ms = no_timer;
    } else {
        // 0 is the usual case, a handle that was just added, and needs no clock.
        loop->deadline_ms = timeout_ms == 0 ? 0 : milliseconds() + timeout_ms;
    }
    return 0;
}

static void start(struct loop *loop, struct slot *slot) {
    slot->length = 0;
    loop->started++;
    CURLMcode code = curl_multi_add_handle(loop->multi, slot->easy);
    if (code != CURLM_OK) fail(loop, "curl_multi_add_handle", curl_multi_strerror(code));
}

static void check(struct loop *loop, struct slot *slot, CURLcode result) {
    char text[96];
    long status = 0;
    curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK) {
        fail(loop, "request", curl_easy_strerror(result));
    } else if (status != 200) {
        snprintf(text, sizeof text, "%ld", status);
        fail(loop, "status", text);
    } else if (slot->length != loop->job->body_length) {
        snprintf(text, sizeof text, "%zu bytes instead of %zu", slot->length, loop->job->body_length);
        fail(loop, "body", text);
    } else if (loop->job->on_body && !loop->job->on_body(loop->job->user, slot->body, slot->length)) {
        loop->failed = true;
    }
}

// Collects finished requests and starts the next ones in their place.
static void reap(struct loop *loop) {
    int left;
    CURLMsg *message;
    while (!loop->failed && (message = curl_multi_info_read(loop->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;  // Before removing the handle, which frees the message.
        char *slot_pointer = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &slot_pointer);
        struct slot *slot = (struct slot *)(void *)slot_pointer;
        check(loop, slot, result);
        curl_multi_remove_handle(loop->multi, easy);
        loop->finished++;
        if (loop->started < loop->job->requests) start(loop, slot);
    }
}

static void act(struct loop *loop, curl_socket_t socket, int flags) {
    int running;
    CURLMcode code = curl_multi_socket_action(loop->multi, socket, flags, &running);
    if (code != CURLM_OK) fail(loop, "curl_multi_socket_action", curl_multi_strerror(code));
}

static void turn(struct loop *loop) {
    struct epoll_event events[events_per_turn];
    int64_t wait_ms = patience_ms;
    if (loop->deadline_ms != no_timer) {
        wait_ms = loop->deadline_ms == 0 ? 0 : loop->deadline_ms - milliseconds();
        if (wait_ms <= 0) {
            loop->deadline_ms = no_timer;
            act(loop, CURL_SOCKET_TIMEOUT, 0);
            reap(loop);
            return;
        }
    }
    bool impatient = wait_ms >= patience_ms;
    int count = epoll_wait(loop->epoll, events, events_per_turn, impatient ? patience_ms : (int)wait_ms);
    if (count < 0 && errno != EINTR) fail(loop, "epoll_wait", strerror(errno));
    if (count == 0 && impatient) fail(loop, "requests", "nothing happened for 10 seconds");
    for (int index = 0; index < count && !loop->failed; index++) {
        int flags = 0;
        if (events[index].events & EPOLLIN) flags |= CURL_CSELECT_IN;
        if (events[index].events & EPOLLOUT) flags |= CURL_CSELECT_OUT;
        if (events[index].events & (EPOLLERR | EPOLLHUP)) flags |= CURL_CSELECT_ERR;
        act(loop, events[index].data.fd, flags);
    }
    reap(loop);
}

static bool list_fields(struct loop *loop) {
    for (const char *const *field = loop->job->fields; field && *field; field++) {
        struct curl_slist *longer = curl_slist_append(loop->fields, *field);
        if (!longer) return false;
        loop->fields = longer;
    }
    return true;
}

static bool prepare(struct slot *slot, const char *url, const struct loop *loop) {
    const struct curl_loop_job *job = loop->job;
    slot->drop = job->drop;
    slot->easy = curl_easy_init();
    if (!slot->easy) return false;
    if (job->buffer_size && curl_easy_setopt(slot->easy, CURLOPT_BUFFERSIZE, job->buffer_size) != CURLE_OK) return false;
    if (job->authority && curl_easy_setopt(slot->easy, CURLOPT_CAINFO, job->authority) != CURLE_OK) return false;
    if (job->streams && curl_easy_setopt(slot->easy, CURLOPT_PIPEWAIT, 1L) != CURLE_OK) return false;
    if (loop->fields && curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, loop->fields) != CURLE_OK) return false;
    return curl_easy_setopt(slot->easy, CURLOPT_URL, url) == CURLE_OK
        && curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK
        && curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot) == CURLE_OK
        && curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot) == CURLE_OK
        && curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
}

int curl_loop_run(const char *url, const struct curl_loop_job *job, double *seconds_out) {
    int in_flight = job->in_flight;
    long requests = job->requests;
    // libcurl counts the initializations, and others in this program use it: initialized here, never cleaned up.
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || in_flight < 1 || requests < 1) {
        fprintf(stderr, "C loop: cannot run %ld requests with %d in flight\n", requests, in_flight);
        return -1;
    }
    if (in_flight > requests) in_flight = (int)requests;

    struct loop loop = {.job = job, .deadline_ms = no_timer};
    struct slot *slots = calloc((size_t)in_flight, sizeof *slots);
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    loop.multi = curl_multi_init();
    if (!slots || loop.epoll < 0 || !loop.multi) fail(&loop, "setting up", "no memory or no descriptor");
    if (!loop.failed) {
        curl_multi_setopt(loop.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(loop.multi, CURLMOPT_SOCKETDATA, &loop);
        curl_multi_setopt(loop.multi, CURLMOPT_TIMERFUNCTION, on_timer);
        curl_multi_setopt(loop.multi, CURLMOPT_TIMERDATA, &loop);
    }
    if (!loop.failed && job->streams > 0) {
        curl_multi_setopt(loop.multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
        curl_multi_setopt(loop.multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)job->streams);
        // Without a limit all requests that the first connection has no stream for open one each.
        curl_multi_setopt(loop.multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)(in_flight + job->streams - 1) / job->streams);
    }
    if (!loop.failed && !list_fields(&loop)) fail(&loop, "setting up", "no memory");
    for (int index = 0; index < in_flight && !loop.failed; index++) {
        if (!prepare(&slots[index], url, &loop)) fail(&loop, "setting up", "no memory");
    }

    int64_t begin = nanoseconds();
    for (int index = 0; index < in_flight && !loop.failed; index++) start(&loop, &slots[index]);
    while (loop.finished < requests && !loop.failed) turn(&loop);
    *seconds_out = (double)(nanoseconds() - begin) / 1e9;

    for (int index = 0; slots && index < in_flight; index++) {
        if (!slots[index].easy) continue;
        curl_multi_remove_handle(loop.multi, slots[index].easy);
        curl_easy_cleanup(slots[index].easy);
        free(slots[index].body);
    }
    curl_slist_free_all(loop.fields);
    if (loop.multi) curl_multi_cleanup(loop.multi);
    if (loop.epoll >= 0) close(loop.epoll);
    free(slots);
    return loop.failed ? -1 : 0;
}
