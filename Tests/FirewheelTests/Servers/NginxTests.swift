#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Where the nginx of `Tests/Servers/nginx.sh` is, as `nginx.sh env` says it.
    private struct Nginx {
        let http: String
        let tls: String
        let authority: String

        /// nil where it is not running. Where it has to run (`FIREWHEEL_SERVERS_REQUIRED`), that is a failure of ``runs``.
        static let current: Nginx? = {
            let environment = ProcessInfo.processInfo.environment
            guard let http = environment["FIREWHEEL_NGINX_HTTP"], let tls = environment["FIREWHEEL_NGINX_TLS"],
                let authority = environment["FIREWHEEL_TEST_CA"]
            else { return nil }
            return Nginx(http: http, tls: tls, authority: authority)
        }()

        static let isRequired = ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil

        func trustingSession() -> Session {
            let transport = CurlTransport(configuration: .default, certificates: CurlCertificates(file: authority))
            return Session(transport: transport)
        }
    }

    @Suite(
        "A real server: nginx", .enabled(if: Nginx.current != nil || Nginx.isRequired, "nginx is not running: Tests/Servers/nginx.sh start")
    )
    struct NginxTests {
        @Test func isRunningWhereItHasTo() throws {
            _ = try #require(Nginx.current)
        }

        @Test func answersOverPlainHTTP() async throws {
            let nginx = try #require(Nginx.current)
            let session = Session()
            let response = await session.request(nginx.http + "/").validate().serializingString().response
            #expect(response.value == #"{"message":"Hello, World!"}"#)
            #expect(response.metrics?.transactionMetrics.first?.networkProtocolName == "http/1.1")
        }

        @Test func gzipIsDecoded() async throws {
            let nginx = try #require(Nginx.current)
            let session = Session()
            let response = await session.request(nginx.http + "/gzip").validate().serializingData().response
            let transaction = try #require(response.metrics?.transactionMetrics.first)
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(transaction.countOfResponseBodyBytesAfterDecoding == response.data.map { Int64($0.count) })
            #expect(try #require(transaction.countOfResponseBodyBytesReceived) < Int64(response.data?.count ?? 0))
        }

        /// RFC 9113: requests to one origin share one connection.
        @Test func requestsAreMultiplexedOverTLS() async throws {
            let nginx = try #require(Nginx.current)
            let session = nginx.trustingSession()
            let url = nginx.tls + "/"
            let transactions = await withTaskGroup(of: TransactionMetrics?.self) { group in
                for _ in 0..<64 {
                    group.addTask { await session.request(url).validate().serializingData().response.metrics?.transactionMetrics.first }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(transactions.count == 64)
            #expect(transactions.allSatisfy { $0.networkProtocolName == "h2" })
            #expect(Set(transactions.compactMap(\.localPort)).count == 1)
            #expect(transactions.allSatisfy { $0.negotiatedTLSProtocolVersion?.hasPrefix("TLSv1.") == true })
            #expect(transactions.allSatisfy { $0.negotiatedTLSCipherSuite?.isEmpty == false })
            let first = try #require(transactions.first { $0.isReusedConnection == false })
            let start = try #require(first.secureConnectionStartDate)
            let end = try #require(first.secureConnectionEndDate)
            #expect(start < end)
        }

        /// Nothing but the system's authorities is trusted unless said otherwise.
        @Test func unknownAuthorityIsRefused() async throws {
            let nginx = try #require(Nginx.current)
            let session = Session(transport: CurlTransport(configuration: .default, certificates: CurlCertificates()))
            let response = await session.request(nginx.tls + "/").serializingData().response
            let error = try #require(response.error as? FirewheelError)
            #expect(error.kind == .transportFailed(.serverCertificateHasUnknownRoot))
        }

        @Test func methodsReachTheServer() async throws {
            let nginx = try #require(Nginx.current)
            let session = nginx.trustingSession()
            for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
                let text = try await session.request(nginx.tls + "/echo-method", method: method).validate().serializingString().value
                #expect(text == method.rawValue)
            }
        }
    }
#endif
