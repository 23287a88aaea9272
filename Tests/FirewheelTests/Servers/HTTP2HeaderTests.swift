#if os(Linux)
    import Foundation
    import HTTP2HeaderCheck
    import Testing

    /// What CFirewheelSystem declares of libnghttp2 and that differs from its header is a compile error in this package's tests.
    @Test(
        "Declarations of libnghttp2 are those of its header",
        .enabled(if: http2_header_check_has_nghttp2() || TestServer.areRequired, "the header is missing: apt-get install libnghttp2-dev"))
    func declaredHTTP2IsTheLibrarys() {
        #expect(http2_header_check_has_nghttp2())
    }
#endif
