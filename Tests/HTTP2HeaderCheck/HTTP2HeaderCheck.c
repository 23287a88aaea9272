// Compares what CFirewheelSystem declares of libnghttp2 with its own header at compile time, where that is installed.
#include "HTTP2HeaderCheck.h"

#if defined(__linux__) && defined(__has_include)
#include "../../Sources/CFirewheelSystem/HTTP2Layouts.h"
#if __has_include(<nghttp2/nghttp2.h>)
#include <nghttp2/nghttp2.h>
#define HAS_NGHTTP2 1
#endif
#endif

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)
#define SAME_PLACE(our_type, ours, their_type, theirs)                                                                       \
    _Static_assert(offsetof(our_type, ours) == offsetof(their_type, theirs), #theirs);                                       \
    _Static_assert(sizeof(((our_type *)0)->ours) == sizeof(((their_type *)0)->theirs), #theirs)
#define SAME_TYPE(function, type) _Static_assert(__builtin_types_compatible_p(__typeof__(&function), type), #function)

#if defined(HAS_NGHTTP2)
SAME_PLACE(struct fwnghttp2_info, age, nghttp2_info, age);
SAME_PLACE(struct fwnghttp2_info, version_number, nghttp2_info, version_num);
SAME_PLACE(struct fwnghttp2_info, version_text, nghttp2_info, version_str);
SAME_PLACE(struct fwnghttp2_info, protocol, nghttp2_info, proto_str);
SAME(sizeof(struct fwnghttp2_name_value), sizeof(nghttp2_nv));
SAME_PLACE(struct fwnghttp2_name_value, name, nghttp2_nv, name);
SAME_PLACE(struct fwnghttp2_name_value, value, nghttp2_nv, value);
SAME_PLACE(struct fwnghttp2_name_value, name_count, nghttp2_nv, namelen);
SAME_PLACE(struct fwnghttp2_name_value, value_count, nghttp2_nv, valuelen);
SAME_PLACE(struct fwnghttp2_name_value, flags, nghttp2_nv, flags);
SAME(sizeof(struct fwnghttp2_setting), sizeof(nghttp2_settings_entry));
SAME_PLACE(struct fwnghttp2_setting, id, nghttp2_settings_entry, settings_id);
SAME_PLACE(struct fwnghttp2_setting, value, nghttp2_settings_entry, value);
SAME(sizeof(union fwnghttp2_source), sizeof(nghttp2_data_source));
SAME_PLACE(union fwnghttp2_source, descriptor, nghttp2_data_source, fd);
SAME_PLACE(union fwnghttp2_source, pointer, nghttp2_data_source, ptr);
SAME(sizeof(struct fwnghttp2_provider), sizeof(nghttp2_data_provider));
SAME_PLACE(struct fwnghttp2_provider, source, nghttp2_data_provider, source);
SAME_PLACE(struct fwnghttp2_provider, read, nghttp2_data_provider, read_callback);
SAME(sizeof(struct fwnghttp2_frame), sizeof(nghttp2_frame_hd));
SAME_PLACE(struct fwnghttp2_frame, length, nghttp2_frame_hd, length);
SAME_PLACE(struct fwnghttp2_frame, stream, nghttp2_frame_hd, stream_id);
SAME_PLACE(struct fwnghttp2_frame, type, nghttp2_frame_hd, type);
SAME_PLACE(struct fwnghttp2_frame, flags, nghttp2_frame_hd, flags);
SAME_PLACE(struct fwnghttp2_reset, head, nghttp2_rst_stream, hd);
SAME_PLACE(struct fwnghttp2_reset, code, nghttp2_rst_stream, error_code);
SAME_PLACE(struct fwnghttp2_go_away, head, nghttp2_goaway, hd);
SAME_PLACE(struct fwnghttp2_go_away, last_stream, nghttp2_goaway, last_stream_id);
SAME_PLACE(struct fwnghttp2_go_away, code, nghttp2_goaway, error_code);
SAME_PLACE(struct fwnghttp2_go_away, text, nghttp2_goaway, opaque_data);
SAME_PLACE(struct fwnghttp2_go_away, text_count, nghttp2_goaway, opaque_data_len);

SAME(FWNGHTTP2_FRAME_DATA, NGHTTP2_DATA);
SAME(FWNGHTTP2_FRAME_HEADERS, NGHTTP2_HEADERS);
SAME(FWNGHTTP2_FRAME_RESET, NGHTTP2_RST_STREAM);
SAME(FWNGHTTP2_FRAME_SETTINGS, NGHTTP2_SETTINGS);
SAME(FWNGHTTP2_FRAME_PING, NGHTTP2_PING);
SAME(FWNGHTTP2_FRAME_GO_AWAY, NGHTTP2_GOAWAY);
SAME(FWNGHTTP2_FLAG_END_STREAM, NGHTTP2_FLAG_END_STREAM);
SAME(FWNGHTTP2_FLAG_ACK, NGHTTP2_FLAG_ACK);
SAME(FWNGHTTP2_SETTING_ENABLE_PUSH, NGHTTP2_SETTINGS_ENABLE_PUSH);
SAME(FWNGHTTP2_SETTING_STREAMS, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
SAME(FWNGHTTP2_SETTING_WINDOW, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE);
SAME(FWNGHTTP2_SETTING_HEADER_LIST_SIZE, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
SAME(FWNGHTTP2_DATA_EOF, NGHTTP2_DATA_FLAG_EOF);
SAME(FWNGHTTP2_DATA_NO_END_STREAM, NGHTTP2_DATA_FLAG_NO_END_STREAM);
SAME(FWNGHTTP2_DATA_NO_COPY, NGHTTP2_DATA_FLAG_NO_COPY);
SAME(FWNGHTTP2_NEVER_INDEXED, NGHTTP2_NV_FLAG_NO_INDEX);
SAME(FWNGHTTP2_ERROR_DEFERRED, NGHTTP2_ERR_DEFERRED);
SAME(FWNGHTTP2_ERROR_STREAM_FAILURE, NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE);
SAME(FWNGHTTP2_ERROR_PAUSE, NGHTTP2_ERR_PAUSE);
SAME(FWNGHTTP2_ERROR_FIELD, NGHTTP2_ERR_HTTP_HEADER);
SAME(FWNGHTTP2_ERROR_MESSAGE, NGHTTP2_ERR_HTTP_MESSAGING);
SAME(FWNGHTTP2_ERROR_NO_MEMORY, NGHTTP2_ERR_NOMEM);
SAME(FWNGHTTP2_ERROR_CALLBACK_FAILURE, NGHTTP2_ERR_CALLBACK_FAILURE);
SAME(FWNGHTTP2_ERROR_FLOODED, NGHTTP2_ERR_FLOODED);

SAME_TYPE(nghttp2_version, nghttp2_info *(*)(int));
SAME_TYPE(nghttp2_session_callbacks_new, int (*)(nghttp2_session_callbacks **));
SAME_TYPE(nghttp2_session_callbacks_del, void (*)(nghttp2_session_callbacks *));
SAME_TYPE(nghttp2_option_new, int (*)(nghttp2_option **));
SAME_TYPE(nghttp2_option_del, void (*)(nghttp2_option *));
SAME_TYPE(nghttp2_option_set_no_auto_window_update, void (*)(nghttp2_option *, int));
SAME_TYPE(nghttp2_option_set_max_send_header_block_length, void (*)(nghttp2_option *, size_t));
SAME_TYPE(
    nghttp2_session_client_new2, int (*)(nghttp2_session **, const nghttp2_session_callbacks *, void *, const nghttp2_option *));
SAME_TYPE(nghttp2_session_del, void (*)(nghttp2_session *));
SAME_TYPE(nghttp2_session_mem_recv, ssize_t (*)(nghttp2_session *, const uint8_t *, size_t));
SAME_TYPE(nghttp2_session_mem_send, ssize_t (*)(nghttp2_session *, const uint8_t **));
SAME_TYPE(nghttp2_session_want_write, int (*)(nghttp2_session *));
SAME_TYPE(nghttp2_session_get_outbound_queue_size, size_t (*)(nghttp2_session *));
SAME_TYPE(nghttp2_session_get_stream_user_data, void *(*)(nghttp2_session *, int32_t));
SAME_TYPE(nghttp2_session_check_request_allowed, int (*)(nghttp2_session *));
SAME(sizeof(nghttp2_settings_id), sizeof(int));
SAME_TYPE(nghttp2_session_get_remote_settings, uint32_t (*)(nghttp2_session *, nghttp2_settings_id));
SAME_TYPE(nghttp2_session_set_next_stream_id, int (*)(nghttp2_session *, int32_t));
SAME_TYPE(nghttp2_session_set_local_window_size, int (*)(nghttp2_session *, uint8_t, int32_t, int32_t));
SAME_TYPE(nghttp2_session_consume_connection, int (*)(nghttp2_session *, size_t));
SAME_TYPE(nghttp2_session_consume_stream, int (*)(nghttp2_session *, int32_t, size_t));
SAME_TYPE(nghttp2_session_terminate_session, int (*)(nghttp2_session *, uint32_t));
SAME_TYPE(nghttp2_session_resume_data, int (*)(nghttp2_session *, int32_t));
SAME_TYPE(nghttp2_submit_settings, int (*)(nghttp2_session *, uint8_t, const nghttp2_settings_entry *, size_t));
SAME_TYPE(
    nghttp2_submit_request,
    int32_t (*)(
        nghttp2_session *, const nghttp2_priority_spec *, const nghttp2_nv *, size_t, const nghttp2_data_provider *, void *));
SAME_TYPE(nghttp2_submit_trailer, int (*)(nghttp2_session *, int32_t, const nghttp2_nv *, size_t));
SAME_TYPE(nghttp2_submit_rst_stream, int (*)(nghttp2_session *, uint8_t, int32_t, uint32_t));
SAME_TYPE(nghttp2_submit_ping, int (*)(nghttp2_session *, uint8_t, const uint8_t *));

// The parameters of the callbacks, in their order.
typedef nghttp2_session *session;
SAME(sizeof(nghttp2_frame *), sizeof(void *));
_Static_assert(__builtin_types_compatible_p(nghttp2_on_frame_recv_callback, int (*)(session, const nghttp2_frame *, void *)), "frame");
_Static_assert(__builtin_types_compatible_p(nghttp2_on_frame_send_callback, int (*)(session, const nghttp2_frame *, void *)), "sent");
_Static_assert(
    __builtin_types_compatible_p(nghttp2_on_invalid_frame_recv_callback, int (*)(session, const nghttp2_frame *, int, void *)),
    "invalid frame");
_Static_assert(__builtin_types_compatible_p(nghttp2_on_begin_headers_callback, int (*)(session, const nghttp2_frame *, void *)), "section");
_Static_assert(
    __builtin_types_compatible_p(
        nghttp2_on_header_callback,
        int (*)(session, const nghttp2_frame *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, void *)),
    "field");
_Static_assert(
    __builtin_types_compatible_p(
        nghttp2_on_invalid_header_callback,
        int (*)(session, const nghttp2_frame *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, void *)),
    "invalid field");
_Static_assert(
    __builtin_types_compatible_p(
        nghttp2_on_data_chunk_recv_callback, int (*)(session, uint8_t, int32_t, const uint8_t *, size_t, void *)),
    "data");
_Static_assert(__builtin_types_compatible_p(nghttp2_on_stream_close_callback, int (*)(session, int32_t, uint32_t, void *)), "closed");
_Static_assert(
    __builtin_types_compatible_p(
        nghttp2_send_data_callback,
        int (*)(session, nghttp2_frame *, const uint8_t *, size_t, nghttp2_data_source *, void *)),
    "data to send");
_Static_assert(
    __builtin_types_compatible_p(
        nghttp2_data_source_read_callback,
        ssize_t (*)(session, int32_t, uint8_t *, size_t, uint32_t *, nghttp2_data_source *, void *)),
    "body");
bool http2_header_check_has_nghttp2(void) { return true; }
#else
bool http2_header_check_has_nghttp2(void) { return false; }
#endif
