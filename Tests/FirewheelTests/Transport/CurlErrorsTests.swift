#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Testing

    @testable import Firewheel

    /// libcurl's HTTP/2 errors, which differ between versions, map to the same codes. Its other results are in `ErrorTableTests`.
    @Suite("Errors of libcurl over HTTP/2")
    struct CurlErrorsTests {
        private func kind(_ code: Int, _ message: String) -> URLError.Code? {
            failure(code, message)?.code
        }

        private func failure(
            _ code: Int, _ message: String, verifyResult: Int = 0, phase: TransferPhase = .waiting, systemError: Int32 = 0
        ) -> (code: URLError.Code, text: String)? {
            let origin = TargetURI.Origin(isSecure: true, host: "stub.test", port: 443, isAddress: false)
            let circumstances = CurlErrors.Circumstances(
                message: message, origin: origin, phase: phase, verifyResult: verifyResult, systemError: systemError)
            guard case .failed(let kind, let text) = CurlErrors.error(Int32(code), circumstances) else { return nil }
            #expect(!text.isEmpty)
            return (kind, text)
        }

        @Test("Messages of several versions of libcurl and OpenSSL become the same text without their codes")
        func sentences() {
            func text(_ code: Int, _ message: String, verifyResult: Int = 0, systemError: Int32 = 0) -> String? {
                failure(code, message, verifyResult: verifyResult, systemError: systemError)?.text
            }
            let handshake = Int(FWCURLE_SSL_CONNECT_ERROR)
            for reason in ["wrong version number", "packet length too long", "record layer failure"] {
                #expect(text(handshake, "error:0A00010B:SSL routines::\(reason)") == "stub.test:443 does not speak TLS")
            }
            #expect(
                text(handshake, "error:0A000410:SSL routines::sslv3 alert handshake failure")
                    == "the TLS handshake with stub.test:443 failed: sslv3 alert handshake failure")
            #expect(
                text(handshake, "OpenSSL SSL_connect: Connection reset by peer in connection to stub.test:443")
                    == "the TLS handshake with stub.test:443 failed: connection reset")
            let store = Int(FWCURLE_SSL_CACERT_BADFILE)
            for message in [
                "error setting certificate verify locations:  CAfile: /etc/ssl/ca.crt CApath: none",
                "error setting certificate file: /etc/ssl/ca.crt", "error adding trust anchors from file: /etc/ssl/ca.crt",
            ] {
                #expect(text(store, message) == "cannot read the certificate store /etc/ssl/ca.crt (package ca-certificates)")
            }
            let short = Int(FWCURLE_PARTIAL_FILE)
            #expect(text(short, "transfer closed with 100 bytes remaining to read") == "the body ended 100 bytes early")
            #expect(text(short, "end of response with 1 bytes missing") == "the body ended 1 byte early")
            #expect(text(short, "transfer closed with outstanding read data remaining") == "the body ended before its last chunk")
            let certificate = Int(FWCURLE_PEER_FAILED_VERIFICATION)
            #expect(
                text(certificate, "SSL certificate problem: EE certificate key too weak", verifyResult: 66)
                    == "the certificate of stub.test is not trusted: EE certificate key too weak")
            for (message, result) in [
                ("SSL: no alternative certificate subject name matches target host name 'stub.test'", 0),
                ("SSL: certificate subject name 'other.test' does not match target hostname 'stub.test'", 1),
            ] {
                #expect(text(certificate, message, verifyResult: result) == "the certificate of stub.test is for another host")
            }
            #expect(
                text(Int(FWCURLE_SEND_ERROR), "Connection died, tried 5 times before giving up") == "connection lost 5 times in a row")
            let connect = Int(FWCURLE_COULDNT_CONNECT)
            #expect(text(connect, "x", systemError: EHOSTUNREACH) == "cannot connect to stub.test:443: no route to host")
            #expect(text(connect, "x") == "cannot connect to stub.test:443")
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
