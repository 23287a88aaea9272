#if os(Linux)
    import CurlHeaderCheck
    import Foundation
    import Testing

    /// A constant of CFirewheelCurl that differs from libcurl's header is a compile error in this package's tests.
    @Test(.enabled(if: isInstalled || TestServer.areRequired, "libcurl's header is not installed: apt-get install libcurl4-openssl-dev"))
    func declaredNumbersAreLibcurls() {
        #expect(curl_header_check_was_compiled())
    }

    private let isInstalled = curl_header_check_was_compiled()
#endif
