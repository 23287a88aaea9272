#if os(Linux)
    import CodingHeaderCheck
    import Foundation
    import Testing

    /// What CFirewheelSystem declares of a library and that differs from its header is a compile error in this package's tests.
    @Test(
        "Declarations of zlib, brotli and zstd are those of their headers",
        .enabled(if: areInstalled || TestServer.areRequired, "headers are missing: apt-get install zlib1g-dev libbrotli-dev libzstd-dev"))
    func declaredLayoutsAreTheLibraries() {
        #expect(coding_header_check_has_zlib())
        #expect(coding_header_check_has_brotli())
        #expect(coding_header_check_has_zstd())
    }

    private let areInstalled = coding_header_check_has_zlib() && coding_header_check_has_brotli() && coding_header_check_has_zstd()
#endif
