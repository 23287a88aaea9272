#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// A certificate must be valid: from a trusted authority, for this host, for this day.
    @Suite("nginx: TLS", .needs(.tls), .timeLimit(.minutes(5)))
    struct NginxTLSTests {
        @Test("A certificate of a trusted authority is accepted", arguments: [(TestServer.tls, "h2"), (.tlsHTTP1, "http/1.1")])
        func good(server: TestServer, protocolName: String) async throws {
            let response = try await server.once("/")
            #expect(response.text == #"{"message":"Hello, World!"}"#)
            let hop = try #require(response.hop)
            #expect(hop.networkProtocolName == protocolName)
            #expect(hop.negotiatedTLSProtocolVersion == "TLSv1.3")
            #expect(hop.negotiatedTLSCipherSuite?.isEmpty == false)
            #expect(try #require(hop.secureConnectionStartDate) < #require(hop.secureConnectionEndDate))
        }

        @Test("A certificate for the loopback address is accepted")
        func address() async throws {
            let session = try TestServer.tls.session()
            let url = try TestServer.tls.url("/echo-method").replacing("localhost", with: "127.0.0.1")
            #expect(await session.request(url).raw().text == "GET")
            withExtendedLifetime(session) {}
        }

        @Test(
            "Each kind of bad certificate is refused with its own error",
            arguments: [
                (TestServer.expired, URLError.Code.serverCertificateHasBadDate, "has expired"),
                (.notYetValid, .serverCertificateNotYetValid, "is not valid yet"),
                (.selfSigned, .serverCertificateHasUnknownRoot, "is self-signed"),
                (.unknownAuthority, .serverCertificateHasUnknownRoot, "is from an unknown authority"),
                (.wrongHost, .serverCertificateUntrusted, "is for another host"),
            ])
        func bad(server: TestServer, code: URLError.Code, words: String) async throws {
            let response = try await server.once("/")
            #expect(response.kind == .transportFailed(code))
            #expect(response.words.contains(": the certificate of localhost \(words)"), "\(response.words)")
            #expect(response.response == nil)

            let session = try server.session()
            let download = await session.download(try server.url("/file")).serializingDownloadedFileURL().response
            #expect((download.error as? FirewheelError)?.kind == .transportFailed(code))
            #expect(download.fileURL == nil)
            withExtendedLifetime(session) {}
        }

        @Test("Only the system's authorities are trusted by default")
        func unknownToTheSystem() async throws {
            let session = Session()
            let response = await session.request(try TestServer.tls.url("/")).raw()
            #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot))
            withExtendedLifetime(session) {}
        }

        @Test("After one server's certificate is refused the session can use another server")
        func goesOn() async throws {
            let session = try TestServer.tls.session()
            for _ in 0..<3 {
                #expect(await session.request(try TestServer.expired.url("/")).raw().error != nil)
                #expect(await session.request(try TestServer.tls.url("/echo-method")).raw().text == "GET")
            }
            withExtendedLifetime(session) {}
        }

        @Test("A server that requires a client certificate answers 400")
        func clientCertificate() async throws {
            let response = try await TestServer.clientCertificate.once("/")
            #expect(response.statusCode == 400)
            #expect(response.text?.contains("No required SSL certificate was sent") == true)
        }

        @Test("A server that requires a client certificate serves a client that has one")
        func identity() async throws {
            let identity = try ClientIdentity(
                certificates: TestServer.file("FIREWHEEL_CLIENT_CERTIFICATE"), key: TestServer.file("FIREWHEEL_CLIENT_KEY"))
            let session = try TestServer.clientCertificate.session(.with { $0.tls.identities = ["localhost": identity] })
            for _ in 0..<3 {
                #expect(await session.request(try TestServer.clientCertificate.url("/echo-method")).raw().text == "GET")
            }
            withExtendedLifetime(session) {}
        }

        @Test("http to a TLS port gives nginx's 400, and https to a plain port is an error")
        func mixedUp() async throws {
            let session = try TestServer.tls.session()
            let plain = try TestServer.tls.url("/").replacing("https://", with: "http://")
            #expect(await session.request(plain).raw().statusCode == 400)
            let secure = try TestServer.plain.url("/").replacing("http://", with: "https://")
            #expect(await session.request(secure).raw().kind == .transportFailed(.secureConnectionFailed))
            withExtendedLifetime(session) {}
        }
    }
#endif
