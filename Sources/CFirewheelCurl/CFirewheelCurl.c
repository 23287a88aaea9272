#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // RTLD_DEFAULT
#endif
#include "CFirewheelCurl.h"

#if defined(__linux__)

#include <dlfcn.h>

// libcurl's own functions, as declared by its ABI.
extern int curl_global_init(long flags);
extern const char *curl_easy_strerror(int code);
extern void *curl_easy_init(void);
extern void curl_easy_cleanup(void *easy);
extern void curl_easy_reset(void *easy);
extern int curl_easy_pause(void *easy, int mask);
extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern void *curl_multi_init(void);
extern int curl_multi_cleanup(void *multi);
extern int curl_multi_add_handle(void *multi, void *easy);
extern int curl_multi_remove_handle(void *multi, void *easy);
extern int curl_multi_setopt(void *multi, int option, ...);
extern int curl_multi_socket_action(void *multi, int descriptor, int events, int *running);
extern struct fwcurl_list *curl_slist_append(struct fwcurl_list *list, const char *text);
extern void curl_slist_free_all(struct fwcurl_list *list);

// Leading members of libcurl's structures; the rest is not needed.
struct version_head {
    int age;
    const char *version;
    unsigned int version_number;
    const char *host;
    int features;
};
extern struct version_head *curl_version_info(int age);

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};
extern struct message *curl_multi_info_read(void *multi, int *left);

struct tls_session {
    int backend;
    void *internals;
};

enum { message_done = 1, backend_openssl = 1 };

int fwcurl_global_init(void) { return curl_global_init(FWCURL_GLOBAL_DEFAULT); }
unsigned int fwcurl_version_number(void) { return curl_version_info(0)->version_number; }
const char *fwcurl_version_text(void) { return curl_version_info(0)->version; }
int fwcurl_features(void) { return curl_version_info(0)->features; }
const char *fwcurl_strerror(int code) { return curl_easy_strerror(code); }

fwcurl_easy *fwcurl_easy_make(void) { return curl_easy_init(); }
void fwcurl_easy_free(fwcurl_easy *easy) { curl_easy_cleanup(easy); }
void fwcurl_easy_clear(fwcurl_easy *easy) { curl_easy_reset(easy); }
int fwcurl_easy_pause_state(fwcurl_easy *easy, int mask) { return curl_easy_pause(easy, mask); }
int fwcurl_set_long(fwcurl_easy *easy, int option, long value) { return curl_easy_setopt(easy, option, value); }
int fwcurl_set_offset(fwcurl_easy *easy, int option, int64_t value) { return curl_easy_setopt(easy, option, value); }
int fwcurl_set_pointer(fwcurl_easy *easy, int option, const void *value) { return curl_easy_setopt(easy, option, value); }
int fwcurl_set_data_callback(fwcurl_easy *easy, int option, fwcurl_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}
int fwcurl_set_seek_callback(fwcurl_easy *easy, fwcurl_seek_callback callback) {
    return curl_easy_setopt(easy, FWCURLOPT_SEEKFUNCTION, callback);
}
int fwcurl_set_prereq_callback(fwcurl_easy *easy, fwcurl_prereq_callback callback) {
    return curl_easy_setopt(easy, FWCURLOPT_PREREQFUNCTION, callback);
}
int fwcurl_set_open_callback(fwcurl_easy *easy, fwcurl_open_callback callback) {
    return curl_easy_setopt(easy, FWCURLOPT_OPENSOCKETFUNCTION, callback);
}
int fwcurl_set_close_callback(fwcurl_easy *easy, fwcurl_close_callback callback) {
    return curl_easy_setopt(easy, FWCURLOPT_CLOSESOCKETFUNCTION, callback);
}

long fwcurl_get_long(fwcurl_easy *easy, int info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == 0 ? value : 0;
}
const char *fwcurl_get_string(fwcurl_easy *easy, int info) {
    const char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}

void fwcurl_measure(fwcurl_easy *easy, struct fwcurl_measured *measured) {
    // A value that libcurl cannot supply keeps its initial value.
    curl_easy_getinfo(easy, FWCURLINFO_PRIMARY_IP, &measured->remote_address);
    curl_easy_getinfo(easy, FWCURLINFO_PRIMARY_PORT, &measured->remote_port);
    curl_easy_getinfo(easy, FWCURLINFO_LOCAL_IP, &measured->local_address);
    curl_easy_getinfo(easy, FWCURLINFO_LOCAL_PORT, &measured->local_port);
    curl_easy_getinfo(easy, FWCURLINFO_HTTP_VERSION, &measured->http_version);
    curl_easy_getinfo(easy, FWCURLINFO_NUM_CONNECTS, &measured->new_connections);
    curl_easy_getinfo(easy, FWCURLINFO_REQUEST_SIZE, &measured->request_size);
    curl_easy_getinfo(easy, FWCURLINFO_SIZE_UPLOAD_T, &measured->uploaded);
    curl_easy_getinfo(easy, FWCURLINFO_SIZE_DOWNLOAD_T, &measured->downloaded);
    curl_easy_getinfo(easy, FWCURLINFO_CONNECT_TIME_T, &measured->connected_us);
    curl_easy_getinfo(easy, FWCURLINFO_APPCONNECT_TIME_T, &measured->secured_us);
}

int fwcurl_active_socket(fwcurl_easy *easy) {
    int descriptor = -1;
    return curl_easy_getinfo(easy, FWCURLINFO_ACTIVESOCKET, &descriptor) == 0 ? descriptor : -1;
}

fwcurl_multi *fwcurl_multi_make(void) { return curl_multi_init(); }
int fwcurl_multi_free(fwcurl_multi *multi) { return curl_multi_cleanup(multi); }
int fwcurl_multi_add(fwcurl_multi *multi, fwcurl_easy *easy) { return curl_multi_add_handle(multi, easy); }
int fwcurl_multi_remove(fwcurl_multi *multi, fwcurl_easy *easy) { return curl_multi_remove_handle(multi, easy); }
int fwcurl_multi_set_long(fwcurl_multi *multi, int option, long value) { return curl_multi_setopt(multi, option, value); }
int fwcurl_multi_set_socket_callback(fwcurl_multi *multi, fwcurl_socket_callback callback, void *context) {
    int code = curl_multi_setopt(multi, FWCURLMOPT_SOCKETFUNCTION, callback);
    return code != 0 ? code : curl_multi_setopt(multi, FWCURLMOPT_SOCKETDATA, context);
}
int fwcurl_multi_set_timer_callback(fwcurl_multi *multi, fwcurl_timer_callback callback, void *context) {
    int code = curl_multi_setopt(multi, FWCURLMOPT_TIMERFUNCTION, callback);
    return code != 0 ? code : curl_multi_setopt(multi, FWCURLMOPT_TIMERDATA, context);
}
int fwcurl_multi_act(fwcurl_multi *multi, int descriptor, int events) {
    int running = 0;
    return curl_multi_socket_action(multi, descriptor, events, &running);
}
fwcurl_easy *fwcurl_multi_next_done(fwcurl_multi *multi, int *code) {
    int left = 0;
    struct message *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->kind == message_done) {
            *code = message->data.code;
            return message->easy;
        }
    }
    return NULL;
}

fwcurl_list *fwcurl_list_append(fwcurl_list *list, const char *text) { return curl_slist_append(list, text); }
void fwcurl_list_free(fwcurl_list *list) { curl_slist_free_all(list); }

// Uses the OpenSSL that libcurl has already loaded. With another TLS library these symbols do not exist.
static void *openssl_session(fwcurl_easy *easy) {
    struct tls_session *session = NULL;
    if (curl_easy_getinfo(easy, FWCURLINFO_TLS_SSL_PTR, &session) != 0) return NULL;
    if (session == NULL || session->backend != backend_openssl) return NULL;
    return session->internals;
}
const char *fwcurl_tls_version(fwcurl_easy *easy) {
    void *session = openssl_session(easy);
    const char *(*get_version)(const void *) = (const char *(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_version");
    return session != NULL && get_version != NULL ? get_version(session) : NULL;
}
const char *fwcurl_tls_cipher(fwcurl_easy *easy) {
    void *session = openssl_session(easy);
    const void *(*get_cipher)(const void *) = (const void *(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_current_cipher");
    const char *(*get_name)(const void *) = (const char *(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_CIPHER_get_name");
    if (session == NULL || get_cipher == NULL || get_name == NULL) return NULL;
    const void *cipher = get_cipher(session);
    return cipher != NULL ? get_name(cipher) : NULL;
}

#endif
