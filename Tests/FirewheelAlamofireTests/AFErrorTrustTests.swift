#if os(Linux)
    import FirewheelAlamofire
    import FirewheelTesting
    import Testing

    @Suite("AFError: of servers that are not trusted", .enabled(if: (try? TestAuthority()) != nil, "no OpenSSL"), .timeLimit(.minutes(5)))
    struct AFErrorTrustTests {
        private typealias Cause = AFErrorTests.Cause

        private struct Refusing: ServerTrustEvaluating {
            let error: any Error
            func evaluate(_ trust: ServerTrust, forHost host: String) throws { throw error }
        }

        private let authority: TestAuthority
        private let server: MockServer

        init() throws {
            authority = try TestAuthority()
            server = try MockServer(tls: MockTLS(authority.serverIdentity(for: ["localhost"])))
        }

        private func failure(_ evaluators: [String: any ServerTrustEvaluating]) async throws -> AFError {
            var configuration = SessionConfiguration()
            configuration.tls.authorities = .only([authority.certificate])
            let session = Firewheel.Session(
                configuration: configuration, serverTrustManager: ServerTrustManager(evaluators: evaluators))
            let error = await session.request(server.url()).serializingData().response.error
            return try #require(error?.asAFError)
        }

        @Test("A host without an evaluator is named")
        func evaluator() async throws {
            defer { server.shutdown() }
            let error = try await failure([:])
            guard case .serverTrustEvaluationFailed(.noRequiredEvaluator("localhost")) = error else { throw error }
        }

        @Test("Pins that do not match come with what was compared")
        func pins() async throws {
            defer { server.shutdown() }
            let (own, stranger) = (try #require(server.certificate), try TestAuthority().certificate)
            let certificates = try await failure(["localhost": PinnedCertificatesTrustEvaluator(certificates: [stranger])])
            guard case .serverTrustEvaluationFailed(.certificatePinningFailed("localhost", [stranger], let received)) = certificates else {
                throw certificates
            }
            #expect(received == [own, authority.certificate])
            let keys = try await failure(["localhost": PublicKeysTrustEvaluator(certificates: [stranger])])
            guard case .serverTrustEvaluationFailed(.publicKeyPinningFailed("localhost", [stranger.publicKeyPin], let pins)) = keys else {
                throw keys
            }
            #expect(pins == [own.publicKeyPin, authority.certificate.publicKeyPin])
        }

        @Test("No pins at all are reasons of their own")
        func withoutPins() async throws {
            defer { server.shutdown() }
            let certificates = try await failure(["localhost": PinnedCertificatesTrustEvaluator(certificates: [])])
            guard case .serverTrustEvaluationFailed(.noCertificatesFound) = certificates else { throw certificates }
            let keys = try await failure(["localhost": PublicKeysTrustEvaluator(certificates: [])])
            guard case .serverTrustEvaluationFailed(.noPublicKeysFound) = keys else { throw keys }
        }

        @Test("Without certificates in the main bundle, evaluators that take their pins from it trust no server")
        func bundleWithoutPins() async throws {
            defer { server.shutdown() }
            let certificates = try await failure(["localhost": PinnedCertificatesTrustEvaluator()])
            guard case .serverTrustEvaluationFailed(.noCertificatesFound) = certificates else { throw certificates }
            let keys = try await failure(["localhost": PublicKeysTrustEvaluator()])
            guard case .serverTrustEvaluationFailed(.noPublicKeysFound) = keys else { throw keys }
        }

        @Test("Alamofire's options say whether a server without an OCSP response is trusted")
        func revocationOptions() async throws {
            defer { server.shutdown() }
            let error = try await failure(["localhost": .revocationChecking(options: [.ocsp, .requirePositiveResponse])])
            #expect((error.underlyingError as? FirewheelError)?.kind == .serverTrustEvaluationFailed(.revocationCheckFailed))
            var configuration = SessionConfiguration()
            configuration.tls.authorities = .only([authority.certificate])
            let evaluators: [String: any ServerTrustEvaluating] = [
                "localhost": .composite(evaluators: [
                    .revocationChecking, RevocationTrustEvaluator(options: .any),
                    .pinnedCertificates(certificates: [authority.certificate]),
                    .publicKeys(certificates: [authority.certificate]),
                ]),
                "b.test": .pinnedCertificates, "c.test": .publicKeys,
            ]
            let session = Firewheel.Session(
                configuration: configuration, serverTrustManager: ServerTrustManager(evaluators: evaluators))
            #expect(await session.request(server.url()).serializingData().response.response?.statusCode == 404)
        }

        @Test("A failed check is an evaluation with Firewheel's error")
        func checks() async throws {
            defer { server.shutdown() }
            let error = try await failure(["localhost": RevocationTrustEvaluator(requiresStapledResponse: true)])
            guard case .serverTrustEvaluationFailed(.trustEvaluationFailed(let cause as FirewheelError)) = error else { throw error }
            #expect(cause.kind == .serverTrustEvaluationFailed(.revocationCheckFailed))
        }

        @Test("An evaluator's own error is wrapped, an AFError is not")
        func custom() async throws {
            defer { server.shutdown() }
            let error = try await failure(["localhost": Refusing(error: Cause())])
            guard case .serverTrustEvaluationFailed(.customEvaluationFailed(let cause)) = error else { throw error }
            #expect(cause as? Cause == Cause())
            let own = AFError.serverTrustEvaluationFailed(reason: .noPublicKeysFound)
            let same = try await failure(["localhost": Refusing(error: own)])
            guard case .serverTrustEvaluationFailed(.noPublicKeysFound) = same else { throw same }
        }
    }
#endif
