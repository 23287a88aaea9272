#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Servers that do not speak TLS as they should after the handshake.
    @Suite("Bad connections with TLS on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct BadConnectionTests {
        private static let versions = [TLSFront.Version.tls12, .tls13]

        /// An answer, and what becomes of it when the connection ends behind it: nil for an error.
        private static let answers: [(bytes: String, withCloseNotify: String?)] = [
            ("", nil), ("HTTP/1.1 200 OK\r\nContent-Le", nil), ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", nil),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", nil),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", nil),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b", nil),
            ("HTTP/1.1 200 OK\r\n\r\n", ""), ("HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"),
            ("HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nto the end", "to the end"),
        ]

        /// RFC 8446 section 6.1: without close_notify somebody else may have cut the connection.
        @Test(
            "Only close_notify ends a body that goes on to the end of the connection, and nothing ends another one early",
            arguments: 0..<answers.count, [TLSFront.Ending.closeNotify, .truncated, .reset])
        func truncation(number: Int, ending: TLSFront.Ending) async throws {
            let answer = Self.answers[number]
            for version in Self.versions {
                let authority = try TestAuthority()
                let server = try RawServer([[answer.bytes]], ending: .close)
                let front = try TLSFront(
                    to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                    options: .with {
                        $0.maximumVersion = version
                        $0.ending = ending
                    })
                defer { front.stop() }
                let session = authority.socketSession()
                let response = try await session.sending(Data("x".utf8), to: front.url()).raw()
                if ending == .closeNotify, let text = answer.withCloseNotify {
                    #expect(response.text == text, "\(response)")
                } else {
                    #expect(response.kind == .transportFailed(.networkConnectionLost), "\(response)")
                }
                withExtendedLifetime(authority) {}
            }
        }

        @Test(
            "What ends with its framing is whole, however the connection ends",
            arguments: [TLSFront.Ending.closeNotify, .truncated, .reset])
        func whole(ending: TLSFront.Ending) async throws {
            for bytes in [
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
            ] {
                let authority = try TestAuthority()
                let server = try RawServer([[bytes]], ending: .close)
                let front = try TLSFront(
                    to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.ending = ending })
                defer { front.stop() }
                let session = authority.socketSession()
                for _ in 0..<3 {
                    let response = await session.request(front.url()).raw()
                    #expect(response.text == "whole", "\(response)")
                }
                withExtendedLifetime(authority) {}
            }
        }

        /// What happens to the first large record, which has application data.
        enum Damage: String, CaseIterable, Sendable {
            case changedByte, half, halfThenReset, twice, plainRecord, hugeRecord

            func edit(_ record: [UInt8]) -> RecordRelay.Edit {
                guard record.count > 5_000 else { return .init(bytes: record) }
                switch self {
                case .changedByte: return .init(bytes: record.dropLast() + [record[record.count - 1] ^ 1])
                case .half: return .init(bytes: Array(record.prefix(record.count / 2)), ending: .end)
                case .halfThenReset: return .init(bytes: Array(record.prefix(record.count / 2)), ending: .reset)
                case .twice: return .init(bytes: record + record)
                case .plainRecord: return .init(bytes: record + Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
                case .hugeRecord: return .init(bytes: [23, 3, 3, 255, 255] + [UInt8](repeating: 0, count: 70_000))
                }
            }

            var code: URLError.Code {
                switch self {
                case .half, .halfThenReset: .networkConnectionLost
                case .changedByte, .twice, .plainRecord, .hugeRecord: .secureConnectionFailed
                }
            }

            var words: String {
                switch self {
                case .half, .halfThenReset: ""
                case .changedByte, .twice: "decryption failed or bad record mac"
                case .plainRecord, .hugeRecord: "a record is malformed"
                }
            }
        }

        @Test("Damaged records are errors", arguments: Damage.allCases, versions)
        func damage(damage: Damage, version: TLSFront.Version) async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = version })
            defer { bench.stop() }
            bench.server.route("*") { _ in .data(pattern(60_000)) }
            let relay = try RecordRelay(to: bench.front.port, edit: damage.edit)
            defer { relay.stop() }
            let (response, seconds) = await bench.session.request("https://127.0.0.1:\(relay.port)/").timed()
            #expect(response.kind == .transportFailed(damage.code), "\(response)")
            if damage.code == .secureConnectionFailed {
                let words = ": the TLS connection with 127.0.0.1:\(relay.port) failed: \(damage.words)"
                #expect(response.words.contains(words), "\(response.words)")
            }
            #expect(seconds < 10)
            // No other connection is harmed.
            #expect(await bench.session.request(bench.url()).raw().content == pattern(60_000))
        }

        @Test("Records that come one byte at a time, or with 10,000 updates of keys, are only slow", arguments: [true, false])
        func slow(inPieces: Bool) async throws {
            let bench = try SecureBench(.with { if inPieces { $0.pieceSize = 1 } else { $0.keyUpdateInterval = 1 } })
            defer { bench.stop() }
            bench.server.route("*") { _ in .data(pattern(10_000)) }
            for _ in 0..<2 { #expect(await bench.session.request(bench.url()).raw().content == pattern(10_000)) }
            #expect(bench.front.handshakes.count == 1)
        }

        @Test("A server that sends 10,000 tickets behind a handshake is only slow, and few of them are kept (RFC 8446 section 4.6.1)")
        func tickets() async throws {
            let bench = try SecureBench(.with { $0.ticketCount = 10_000 })
            defer { bench.stop() }
            bench.server.route("*") { _ in MockResponse.text("hello").closing() }
            for _ in 0..<2 {
                // On a busy machine reading them takes long.
                let response = await bench.session.request(bench.url()).timeout(idle: 120).raw()
                #expect(response.text == "hello", "\(response)")
            }
            #expect(bench.front.handshakes.map(\.isResumed) == [false, true])
        }

        @Test("A server that asks for another handshake is told no (TLS 1.2), and sends the response or ends the connection")
        func renegotiation() async throws {
            let bench = try SecureBench(
                .with {
                    $0.maximumVersion = .tls12
                    $0.renegotiates = true
                })
            defer { bench.stop() }
            bench.server.route("*") { _ in .text("hello") }
            for _ in 0..<2 {
                let response = await bench.session.request(bench.url()).raw()
                // OpenSSL's server ends the connection, perhaps before it has sent the response.
                let code = (response.error as? FirewheelError)?.urlErrorCode
                let isLost = code == .networkConnectionLost || code == .secureConnectionFailed
                #expect(response.text == "hello" || isLost, "\(response)")
            }
        }

        @Test("A server that wants the client's certificate refuses the connection with an error that says so", arguments: versions)
        func clientCertificate(version: TLSFront.Version) async throws {
            let authority = try TestAuthority()
            let server = try MockServer()
            defer { server.shutdown() }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with {
                    $0.maximumVersion = version
                    $0.clientAuthorities = [authority.root]
                })
            defer { front.stop() }
            let session = authority.socketSession()
            let response = await session.request(front.url()).raw()
            #expect(
                response.kind == .transportFailed(version == .tls13 ? .clientCertificateRequired : .secureConnectionFailed), "\(response)")
            #expect(response.words.contains("client certificate"), "\(response.words)")
            #expect(server.requestCount == 0)
        }

        @Test(
            "A kept connection that ends, whatever way, harms no later request",
            arguments: [TLSFront.Ending.closeNotify, .truncated, .reset])
        func keptConnection(ending: TLSFront.Ending) async throws {
            let bench = try SecureBench(.with { $0.ending = ending })
            defer { bench.stop() }
            bench.server.route("*") { .text($0.bodyText) }
            let transport = bench.authority.socketTransport()
            let (session, opened) = (Session(transport: transport), try transport.open())
            for number in 0..<5 {
                #expect(try await session.sending(Data("\(number)".utf8), to: bench.url()).raw().text == "\(number)")
                bench.server.closeIdleConnections()
                try await waitUntil("the end") { bench.front.handshakes.allSatisfy { !$0.isOpen } }
                // The front closes its socket a moment later.
                let counts = Journal<Int>()
                let look = PoolCommand.inspect { counts.add(opened.pool.object.connections.count) }
                try await waitUntil("the end at the client") {
                    opened.inbox.post(LoopMessage(pool: opened.pool, command: look))
                    return counts.entries.contains(0)
                }
            }
            #expect(bench.front.handshakes.count == 5)
        }
    }
#endif
