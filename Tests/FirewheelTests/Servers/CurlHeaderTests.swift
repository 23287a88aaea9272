#if os(Linux)
    import CurlHeaderCheck
    import Foundation
    import Testing

    /// The numbers that CFirewheelCurl declares are compared with libcurl's header when this package's tests are compiled: a wrong one does
    /// not build.
    @Test(.enabled(if: isInstalled || TestServer.areRequired, "libcurl's header is not installed: apt-get install libcurl4-openssl-dev"))
    func declaredNumbersAreLibcurls() {
        #expect(curl_header_check_was_compiled())
    }

    private let isInstalled = curl_header_check_was_compiled()
#endif
