#if os(Linux)
    import TLSHeaderCheck
    import Testing

    /// What CFirewheelSystem declares of OpenSSL and that differs from its headers is a compile error in this package's tests.
    @Test(
        "Declarations of OpenSSL are those of its headers",
        .enabled(if: tls_header_check_was_compiled() || TestServer.areRequired, "headers are missing: apt-get install libssl-dev"))
    func declaredFunctionsAreOpenSSLs() {
        #expect(tls_header_check_was_compiled())
    }
#endif
