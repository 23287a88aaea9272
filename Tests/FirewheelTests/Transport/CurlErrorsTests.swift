#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Testing

    @testable import Firewheel

    /// libcurl's HTTP/2 errors, which differ between versions, map to the same codes. Its other results are in `ErrorTableTests`.
    @Suite("Errors of libcurl over HTTP/2")
    struct CurlErrorsTests {
        private func kind(_ code: Int, _ message: String) -> URLError.Code? {
            let error = CurlErrors.error(Int32(code), CurlErrors.Circumstances(message: message))
            guard case .failed(let kind, let reason) = error else { return nil }
            #expect(!reason.isEmpty && (message.isEmpty || reason == message))
            return kind
        }

        @Test(
            "A stream that the server resets, or ends without a response, is cannotParseResponse",
            arguments: [
                "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
                "HTTP/2 stream 1 was closed cleanly, but before getting  all response header fields, treated as error",
                "HTTP/2 stream 1 reset by server (error 0x2 INTERNAL_ERROR)",
            ])
        func reset(message: String) {
            #expect(kind(Int(FWCURLE_HTTP2_STREAM), message) == .cannotParseResponse)
        }

        @Test("A connection that ends below an HTTP/2 stream is networkConnectionLost")
        func lost() {
            let message = "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream"
            // libcurl 7.81, 7.88 and 8.5, and the newest, with or without a message.
            #expect(kind(Int(FWCURLE_HTTP2_STREAM), message) == .networkConnectionLost)
            #expect(kind(Int(FWCURLE_PARTIAL_FILE), message) == .networkConnectionLost)
            #expect(kind(Int(FWCURLE_RECV_ERROR), "") == .networkConnectionLost)
            #expect(kind(Int(FWCURLE_HTTP2), "") == .networkConnectionLost)
        }

        @Test("Bytes that the HTTP/2 library cannot parse are cannotParseResponse")
        func malformed() {
            let message = "process_pending_input: nghttp2_session_mem_recv() returned -902:The user callback function failed"
            for code in [FWCURLE_HTTP2, FWCURLE_RECV_ERROR] { #expect(kind(Int(code), message) == .cannotParseResponse) }
        }
    }
#endif
