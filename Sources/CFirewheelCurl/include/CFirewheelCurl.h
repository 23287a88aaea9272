// The part of libcurl's C interface that Firewheel uses, declared here so that building needs no -dev package. This relies on libcurl's
// stable ABI. An option's number is a base for its argument type plus an index. Swift cannot call variadic C functions: each `fwcurl_`
// function below is a typed wrapper around one of them.
#ifndef CFIREWHEELCURL_H
#define CFIREWHEELCURL_H

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#define FWCURL_LONG 0
#define FWCURL_POINTER 10000
#define FWCURL_FUNCTION 20000
#define FWCURL_OFFSET 30000

// Options of an easy handle (CURLOPT_...).
enum {
    FWCURLOPT_WRITEDATA = FWCURL_POINTER + 1,
    FWCURLOPT_URL = FWCURL_POINTER + 2,
    FWCURLOPT_PROXY = FWCURL_POINTER + 4,
    FWCURLOPT_READDATA = FWCURL_POINTER + 9,
    FWCURLOPT_ERRORBUFFER = FWCURL_POINTER + 10,
    FWCURLOPT_WRITEFUNCTION = FWCURL_FUNCTION + 11,
    FWCURLOPT_READFUNCTION = FWCURL_FUNCTION + 12,
    FWCURLOPT_HTTPHEADER = FWCURL_POINTER + 23,
    FWCURLOPT_HEADERDATA = FWCURL_POINTER + 29,
    FWCURLOPT_CUSTOMREQUEST = FWCURL_POINTER + 36,
    FWCURLOPT_NOBODY = FWCURL_LONG + 44,
    FWCURLOPT_UPLOAD = FWCURL_LONG + 46,
    FWCURLOPT_CAINFO = FWCURL_POINTER + 65,
    FWCURLOPT_HEADERFUNCTION = FWCURL_FUNCTION + 79,
    FWCURLOPT_HTTP_VERSION = FWCURL_LONG + 84,
    FWCURLOPT_DNS_CACHE_TIMEOUT = FWCURL_LONG + 92,
    FWCURLOPT_CAPATH = FWCURL_POINTER + 97,
    FWCURLOPT_BUFFERSIZE = FWCURL_LONG + 98,
    FWCURLOPT_NOSIGNAL = FWCURL_LONG + 99,
    FWCURLOPT_ACCEPT_ENCODING = FWCURL_POINTER + 102,
    FWCURLOPT_PRIVATE = FWCURL_POINTER + 103,
    FWCURLOPT_INFILESIZE_LARGE = FWCURL_OFFSET + 115,
    FWCURLOPT_CONNECTTIMEOUT_MS = FWCURL_LONG + 156,
    FWCURLOPT_OPENSOCKETFUNCTION = FWCURL_FUNCTION + 163,
    FWCURLOPT_OPENSOCKETDATA = FWCURL_POINTER + 164,
    FWCURLOPT_SEEKFUNCTION = FWCURL_FUNCTION + 167,
    FWCURLOPT_SEEKDATA = FWCURL_POINTER + 168,
    FWCURLOPT_PROTOCOLS = FWCURL_LONG + 181,
    FWCURLOPT_REQUEST_TARGET = FWCURL_POINTER + 266,
    FWCURLOPT_RESOLVE = FWCURL_POINTER + 203,
    FWCURLOPT_CLOSESOCKETFUNCTION = FWCURL_FUNCTION + 208,
    FWCURLOPT_CLOSESOCKETDATA = FWCURL_POINTER + 209,
    FWCURLOPT_PATH_AS_IS = FWCURL_LONG + 234,
    FWCURLOPT_FORBID_REUSE = FWCURL_LONG + 75,
    FWCURLOPT_PIPEWAIT = FWCURL_LONG + 237,
    FWCURLOPT_MAXAGE_CONN = FWCURL_LONG + 288,
    FWCURLOPT_MAXLIFETIME_CONN = FWCURL_LONG + 314,
    FWCURLOPT_PREREQFUNCTION = FWCURL_FUNCTION + 312,
    FWCURLOPT_PREREQDATA = FWCURL_POINTER + 313,
};

// Options of a multi handle (CURLMOPT_...).
enum {
    FWCURLMOPT_SOCKETFUNCTION = FWCURL_FUNCTION + 1,
    FWCURLMOPT_SOCKETDATA = FWCURL_POINTER + 2,
    FWCURLMOPT_PIPELINING = FWCURL_LONG + 3,
    FWCURLMOPT_TIMERFUNCTION = FWCURL_FUNCTION + 4,
    FWCURLMOPT_TIMERDATA = FWCURL_POINTER + 5,
    FWCURLMOPT_MAXCONNECTS = FWCURL_LONG + 6,
    FWCURLMOPT_MAX_HOST_CONNECTIONS = FWCURL_LONG + 7,
};

// Information about an easy handle (CURLINFO_...).
enum {
    FWCURLINFO_STRING = 0x100000,
    FWCURLINFO_LONG = 0x200000,
    FWCURLINFO_POINTER = 0x400000,
    FWCURLINFO_SOCKET = 0x500000,
    FWCURLINFO_OFFSET = 0x600000,
    FWCURLINFO_SIZE_UPLOAD_T = FWCURLINFO_OFFSET + 7,
    FWCURLINFO_SIZE_DOWNLOAD_T = FWCURLINFO_OFFSET + 8,
    FWCURLINFO_REQUEST_SIZE = FWCURLINFO_LONG + 12,
    FWCURLINFO_SSL_VERIFYRESULT = FWCURLINFO_LONG + 13,
    FWCURLINFO_PRIVATE = FWCURLINFO_STRING + 21,
    FWCURLINFO_OS_ERRNO = FWCURLINFO_LONG + 25,
    FWCURLINFO_NUM_CONNECTS = FWCURLINFO_LONG + 26,
    FWCURLINFO_PRIMARY_IP = FWCURLINFO_STRING + 32,
    FWCURLINFO_PRIMARY_PORT = FWCURLINFO_LONG + 40,
    FWCURLINFO_LOCAL_IP = FWCURLINFO_STRING + 41,
    FWCURLINFO_LOCAL_PORT = FWCURLINFO_LONG + 42,
    FWCURLINFO_ACTIVESOCKET = FWCURLINFO_SOCKET + 44,
    FWCURLINFO_TLS_SSL_PTR = FWCURLINFO_POINTER + 45,
    FWCURLINFO_HTTP_VERSION = FWCURLINFO_LONG + 46,
    FWCURLINFO_CONNECT_TIME_T = FWCURLINFO_OFFSET + 52,
    FWCURLINFO_APPCONNECT_TIME_T = FWCURLINFO_OFFSET + 56,
};

// Transfer results (CURLE_...) that Firewheel distinguishes.
enum {
    FWCURLE_OK = 0,
    FWCURLE_UNSUPPORTED_PROTOCOL = 1,
    FWCURLE_URL_MALFORMAT = 3,
    FWCURLE_COULDNT_RESOLVE_HOST = 6,
    FWCURLE_COULDNT_CONNECT = 7,
    FWCURLE_WEIRD_SERVER_REPLY = 8,
    FWCURLE_HTTP2 = 16,
    FWCURLE_PARTIAL_FILE = 18,
    FWCURLE_WRITE_ERROR = 23,
    FWCURLE_OUT_OF_MEMORY = 27,
    FWCURLE_OPERATION_TIMEDOUT = 28,
    FWCURLE_SSL_CONNECT_ERROR = 35,
    FWCURLE_BAD_FUNCTION_ARGUMENT = 43,
    FWCURLE_GOT_NOTHING = 52,
    FWCURLE_SEND_ERROR = 55,
    FWCURLE_RECV_ERROR = 56,
    FWCURLE_PEER_FAILED_VERIFICATION = 60,
    FWCURLE_BAD_CONTENT_ENCODING = 61,
    FWCURLE_SEND_FAIL_REWIND = 65,
    FWCURLE_SSL_CACERT_BADFILE = 77,
    FWCURLE_HTTP2_STREAM = 92,
    FWCURLE_TOO_LARGE = 100, // since 8.6
};

// Option values, callback results and bit masks.
enum {
    FWCURL_ERROR_SIZE = 256,
    FWCURL_PROTO_HTTP = 1,
    FWCURL_PROTO_HTTPS = 2,
    FWCURL_HTTP_VERSION_1_0 = 1,
    FWCURL_HTTP_VERSION_1_1 = 2,
    FWCURL_HTTP_VERSION_2_0 = 3,
    FWCURL_HTTP_VERSION_2TLS = 4,
    FWCURL_HTTP_VERSION_3 = 30,
    FWCURL_POLL_IN = 1,
    FWCURL_POLL_OUT = 2,
    FWCURL_POLL_REMOVE = 4,
    FWCURL_CSELECT_IN = 1,
    FWCURL_CSELECT_OUT = 2,
    FWCURL_CSELECT_ERR = 4,
    FWCURL_SOCKET_TIMEOUT = -1,
    FWCURL_WRITEFUNC_PAUSE = 0x10000001,
    FWCURL_READFUNC_ABORT = 0x10000000,
    FWCURL_READFUNC_PAUSE = 0x10000001,
    FWCURL_SEEKFUNC_OK = 0,
    FWCURL_SEEKFUNC_FAIL = 1,
    FWCURL_PREREQFUNC_OK = 0,
    FWCURL_PREREQFUNC_ABORT = 1,
    FWCURLPIPE_NOTHING = 0,
    FWCURLPAUSE_RECV = 1,
    FWCURLPAUSE_SEND = 4,
    FWCURL_VERSION_LIBZ = 1 << 3,
    FWCURL_VERSION_BROTLI = 1 << 23,
    FWCURL_VERSION_ZSTD = 1 << 26,
    FWCURL_GLOBAL_DEFAULT = 3,
};

typedef void fwcurl_easy;
typedef void fwcurl_multi;

typedef struct fwcurl_list {
    char *_Nullable data;
    struct fwcurl_list *_Nullable next;
} fwcurl_list;

typedef struct fwcurl_address {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    // A `struct sockaddr`, whose header must not be included in two modules: Swift would see its names in one of them only.
    struct {
        unsigned short family;
        char data[14];
    } addr;
} fwcurl_address;

// One callback type serves the received header and body (CURLOPT_HEADERFUNCTION, CURLOPT_WRITEFUNCTION) and the request body
// (CURLOPT_READFUNCTION).
typedef size_t (*fwcurl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*fwcurl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
typedef int (*fwcurl_prereq_callback)(
    void *_Nullable context, char *_Nullable remote, char *_Nullable local, int remote_port, int local_port);
typedef int (*fwcurl_open_callback)(void *_Nullable context, int purpose, fwcurl_address *_Nonnull address);
typedef int (*fwcurl_close_callback)(void *_Nullable context, int descriptor);
typedef int (*fwcurl_socket_callback)(
    fwcurl_easy *_Nullable easy, int descriptor, int what, void *_Nullable context, void *_Nullable socket_context);
typedef int (*fwcurl_timer_callback)(fwcurl_multi *_Nullable multi, long timeout, void *_Nullable context);

// Initializes libcurl for the process. Returns a CURLcode.
int fwcurl_global_init(void);
// libcurl's version at run time as a number (0x075801 is 7.88.1) and as text, and its features (FWCURL_VERSION_...).
unsigned int fwcurl_version_number(void);
const char *_Nonnull fwcurl_version_text(void);
int fwcurl_features(void);
const char *_Nonnull fwcurl_strerror(int code);

fwcurl_easy *_Nullable fwcurl_easy_make(void);
void fwcurl_easy_free(fwcurl_easy *_Nonnull easy);
void fwcurl_easy_clear(fwcurl_easy *_Nonnull easy);
int fwcurl_easy_pause_state(fwcurl_easy *_Nonnull easy, int mask);
int fwcurl_set_long(fwcurl_easy *_Nonnull easy, int option, long value);
int fwcurl_set_offset(fwcurl_easy *_Nonnull easy, int option, int64_t value);
int fwcurl_set_pointer(fwcurl_easy *_Nonnull easy, int option, const void *_Nullable value);
int fwcurl_set_data_callback(fwcurl_easy *_Nonnull easy, int option, fwcurl_data_callback _Nullable callback);
int fwcurl_set_seek_callback(fwcurl_easy *_Nonnull easy, fwcurl_seek_callback _Nullable callback);
int fwcurl_set_prereq_callback(fwcurl_easy *_Nonnull easy, fwcurl_prereq_callback _Nullable callback);
int fwcurl_set_open_callback(fwcurl_easy *_Nonnull easy, fwcurl_open_callback _Nullable callback);
int fwcurl_set_close_callback(fwcurl_easy *_Nonnull easy, fwcurl_close_callback _Nullable callback);
// Both return 0 or NULL for a value that libcurl does not know.
long fwcurl_get_long(fwcurl_easy *_Nonnull easy, int info);
const char *_Nullable fwcurl_get_string(fwcurl_easy *_Nonnull easy, int info);

// Measurements of a handle's last transfer. Times are in microseconds from its addition; strings are valid until the next transfer.
struct fwcurl_measured {
    const char *_Nullable remote_address;
    const char *_Nullable local_address;
    long remote_port;
    long local_port;
    long http_version;
    long new_connections;
    long request_size;
    int64_t uploaded;
    int64_t downloaded;
    int64_t connected_us;
    int64_t secured_us;
};
void fwcurl_measure(fwcurl_easy *_Nonnull easy, struct fwcurl_measured *_Nonnull measured);
// The socket of the last transfer's connection, or -1 if it is closed.
int fwcurl_active_socket(fwcurl_easy *_Nonnull easy);

fwcurl_multi *_Nullable fwcurl_multi_make(void);
int fwcurl_multi_free(fwcurl_multi *_Nonnull multi);
int fwcurl_multi_add(fwcurl_multi *_Nonnull multi, fwcurl_easy *_Nonnull easy);
int fwcurl_multi_remove(fwcurl_multi *_Nonnull multi, fwcurl_easy *_Nonnull easy);
int fwcurl_multi_set_long(fwcurl_multi *_Nonnull multi, int option, long value);
int fwcurl_multi_set_socket_callback(
    fwcurl_multi *_Nonnull multi, fwcurl_socket_callback _Nonnull callback, void *_Nullable context);
int fwcurl_multi_set_timer_callback(
    fwcurl_multi *_Nonnull multi, fwcurl_timer_callback _Nonnull callback, void *_Nullable context);
// Lets libcurl act on a socket, or on its timers (FWCURL_SOCKET_TIMEOUT). Returns a CURLMcode.
int fwcurl_multi_act(fwcurl_multi *_Nonnull multi, int descriptor, int events);
// The next finished transfer's handle and CURLcode; NULL if there is none.
fwcurl_easy *_Nullable fwcurl_multi_next_done(fwcurl_multi *_Nonnull multi, int *_Nonnull code);

fwcurl_list *_Nullable fwcurl_list_append(fwcurl_list *_Nullable list, const char *_Nonnull text);
void fwcurl_list_free(fwcurl_list *_Nullable list);

// The TLS version ("TLSv1.3") and cipher suite of the handle's connection. NULL without TLS, or if the TLS library is not OpenSSL. Valid
// only while the transfer holds the connection.
const char *_Nullable fwcurl_tls_version(fwcurl_easy *_Nonnull easy);
const char *_Nullable fwcurl_tls_cipher(fwcurl_easy *_Nonnull easy);

#endif
#endif
