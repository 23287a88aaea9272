#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    @Suite("TLS: words of errors")
    struct TLSErrorWordsTests {
        private static let failed = "the TLS handshake with localhost:443 failed: "

        @Test(
            "Each failure has its code and its sentence",
            arguments: [
                (.notTLS, "localhost:443 does not speak TLS"), (.closed, failed + "connection closed"),
                (.connection(ECONNRESET), failed + "connection reset"),
                (.oldVersion, failed + "the server does not offer TLS 1.2 or later"),
                (.alert(70), failed + "the server does not offer TLS 1.2 or later (alert protocol_version)"),
                (.alert(80), failed + "the server sent the alert internal_error"), (.alert(200), failed + "the server sent the alert 200"),
                (.noCertificates, failed + "the server sent no certificate, or a malformed list of them"),
                (.badExtension, failed + "the server's choice of a protocol, or another extension that it sent, is not valid"),
                (.unofferedProtocol("h2"), failed + "the server chose the protocol \"h2\", which was not offered"),
                (.other("no shared cipher"), failed + "no shared cipher"), (.hostName, "no certificate can be for the host \"localhost\""),
            ] as [(TLSFailure, String)])
        func words(failure: TLSFailure, text: String) {
            #expect(failure.error(for: .test) == .failed(.secureConnectionFailed, text))
        }

        @Test(
            "Codes of certificates are those that URLError has for them",
            arguments: [
                (9, URLError.Code.serverCertificateNotYetValid), (10, .serverCertificateHasBadDate), (18, .serverCertificateHasUnknownRoot),
                (19, .serverCertificateHasUnknownRoot), (20, .serverCertificateHasUnknownRoot), (62, .serverCertificateUntrusted),
                (66, .serverCertificateUntrusted), (1, .serverCertificateUntrusted),
            ])
        func codes(result: Int, code: URLError.Code) {
            let finding = TLSFinding(result: result, text: "text")
            #expect(finding.code == code)
            #expect(finding.words(for: "host", nil).hasPrefix("the certificate of host "))
        }

        @Test("An IPv6 address has brackets in front of its port")
        func address() {
            #expect(TLSPeer(host: "::1", port: 443, isAddress: true).address == "[::1]:443")
        }
    }
#endif
