#if os(Linux)
    import Foundation
    import Glibc
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: bytes and ends", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSBytesTests {
        @Test("An error that somebody has left in OpenSSL's queue fails no connection", arguments: [TLSFront.Version.tls12, .tls13])
        func staleError(version: TLSFront.Version) throws {
            let authority = try TestAuthority()
            let server = try TLSFrontContext(authority.identity(names: ["localhost"]), .with { $0.maximumVersion = version })
            let pair = try TLSPair(.trusting(authority), server)
            // Every call finds one, those included that find nothing on the socket.
            var isReady = false
            for _ in 0..<20 where !isReady {
                try #require(tlstest_leave_error())
                let step = pair.stream.handshake()
                isReady = step.isDone
                if let failure = step.failure { throw MockServerError.tls(reason: "the handshake failed: \(failure)") }
                pair.move()
            }
            #expect(isReady)
            var buffer = [UInt8](repeating: 0, count: 100)
            func receive() throws -> TLSStream.Received {
                try #require(tlstest_leave_error())
                return buffer.withUnsafeMutableBytes { pair.stream.receive(into: $0) }
            }
            guard case .wouldBlock = try receive() else { throw MockServerError.tls(reason: "the stale error counts") }
            pair.serverSends([1, 2, 3])
            pair.move()
            guard case .bytes(3) = try receive() else { throw MockServerError.tls(reason: "not received") }
            try #require(tlstest_leave_error())
            guard case .bytes(5) = pair.sendAll(Array("hello".utf8)) else { throw MockServerError.tls(reason: "not sent") }
            while pair.move() {}
            #expect(pair.received == Array("hello".utf8))
            pair.serverCloses()
            pair.move()
            guard case .ended = try receive() else { throw MockServerError.tls(reason: "close_notify was not seen") }
        }

        let authority: TestAuthority
        let context: TLSContext

        init() throws {
            authority = try TestAuthority()
            context = try .trusting(authority)
        }

        private func pair(_ version: TLSFront.Version = .tls13, sendBuffer: Int32? = nil) throws -> TLSPair {
            let server = try TLSFrontContext(authority.identity(names: ["localhost"]), .with { $0.maximumVersion = version })
            let pair = try TLSPair(context, server, sendBuffer: sendBuffer)
            try pair.requireHandshake()
            return pair
        }

        /// A megabyte, with a period that is no power of 2.
        private static let megabyte: [UInt8] = {
            var bytes = (0..<1_009).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            while bytes.count < 1 << 20 { bytes += bytes }
            return bytes
        }()
        private var megabyte: [UInt8] { Self.megabyte }

        @Test(
            "A repeated call with fewer or more bytes goes on where the last one stopped, through small socket buffers",
            arguments: [TLSFront.Version.tls12, .tls13])
        func repeatedSends(version: TLSFront.Version) throws {
            for sizes in [[.max], [16_384, 100, 1, 70_000], [20_000, 1], [.max, 5, 16_385]] {
                let pair = try pair(version, sendBuffer: 4_096)
                guard case .bytes(megabyte.count) = pair.sendAll(megabyte, sizes: sizes) else {
                    throw MockServerError.tls(reason: "not sent")
                }
                while pair.move() {}
                let isWhole = pair.received == megabyte
                #expect(isWhole)
            }
        }

        @Test("A megabyte is received in pieces of any size", arguments: [1_000, 65_536])
        func receiving(size: Int) throws {
            let pair = try pair(sendBuffer: 8_192)
            pair.serverSends(megabyte)
            let isWhole = pair.receiveAll(pieces: size).bytes == megabyte
            #expect(isWhole)
        }

        @Test("Bytes of a record that were not asked for are announced, since the socket does not")
        func buffered() throws {
            let pair = try pair()
            #expect(!pair.stream.hasMore)
            pair.serverSends(Array("0123456789".utf8))
            while pair.move() {}
            var four = [UInt8](repeating: 0, count: 4)
            guard case .bytes(4) = four.withUnsafeMutableBytes({ pair.stream.receive(into: $0) }) else {
                throw MockServerError.tls(reason: "no bytes")
            }
            #expect(pair.stream.hasMore)
            #expect(pair.receiveAll().bytes == Array("456789".utf8))
            #expect(!pair.stream.hasMore)
        }

        @Test("One call takes several records, and says that the end, which came with them, is still to be told")
        func severalRecords() throws {
            let pair = try pair()
            while pair.move() {}
            _ = pair.receiveAll()
            for part in ["one", "two", "three"] { pair.serverSends(Array(part.utf8)) }
            while pair.move() {}
            var buffer = [UInt8](repeating: 0, count: 100)
            guard case .bytes(11) = buffer.withUnsafeMutableBytes({ pair.stream.receive(into: $0) }) else {
                throw MockServerError.tls(reason: "not all of them")
            }
            #expect(!pair.stream.hasMore)
            pair.serverSends(Array("four".utf8))
            pair.serverCloses()
            while pair.move() {}
            guard case .bytes(4) = buffer.withUnsafeMutableBytes({ pair.stream.receive(into: $0) }) else {
                throw MockServerError.tls(reason: "no bytes")
            }
            #expect(pair.stream.hasMore)
            guard case .ended = pair.receiveAll().last else { throw MockServerError.tls(reason: "no end") }
            #expect(!pair.stream.hasMore)
        }

        @Test("A record that is not whole yet counts as nothing")
        func halfRecord() throws {
            let pair = try pair()
            while pair.move() {}
            _ = pair.receiveAll()
            pair.pieceSize = 0
            pair.serverSends(Array("hello".utf8))
            pair.move()
            pair.deliver(7)
            var buffer = [UInt8](repeating: 0, count: 100)
            guard case .wouldBlock = buffer.withUnsafeMutableBytes({ pair.stream.receive(into: $0) }) else {
                throw MockServerError.tls(reason: "not blocked")
            }
            #expect(!pair.stream.hasMore)
        }

        @Test(
            "close_notify is an end, and the connection's end without it is not (RFC 8446 section 6.1)",
            arguments: [TLSFront.Version.tls12, .tls13])
        func ends(version: TLSFront.Version) throws {
            let closed = try pair(version)
            closed.serverSends(Array("all".utf8))
            closed.serverCloses()
            while closed.move() {}
            closed.endConnection()
            var (bytes, last) = closed.receiveAll()
            #expect(bytes == Array("all".utf8))
            guard case .ended = last else { throw MockServerError.tls(reason: "\(last)") }

            let truncated = try pair(version)
            truncated.serverSends(Array("some".utf8))
            while truncated.move() {}
            truncated.endConnection()
            (bytes, last) = truncated.receiveAll()
            #expect(bytes == Array("some".utf8))
            guard case .truncated = last else { throw MockServerError.tls(reason: "\(last)") }
            guard case .truncated = truncated.receiveAll().last else { throw MockServerError.tls(reason: "it has changed") }

            let reset = try pair(version)
            _ = reset.sendAll(Array("unread".utf8))
            reset.endConnection()
            guard case .failed(.connection(ECONNRESET)) = reset.receiveAll().last else { throw MockServerError.tls(reason: "no reset") }
        }

        @Test("After the server's close_notify the rest of a request can be sent")
        func halfClosed() throws {
            let pair = try pair()
            pair.serverCloses()
            guard case .ended = pair.receiveAll().last else { throw MockServerError.tls(reason: "no end") }
            _ = pair.sendAll(Array("rest".utf8))
            while pair.move() {}
            #expect(pair.received == Array("rest".utf8))
        }

        @Test("A response that came before sending failed can be read")
        func earlyResponse() throws {
            let pair = try pair()
            pair.serverSends(Array("response".utf8))
            while pair.move() {}
            pair.endConnection()
            guard case .failed(.connection(EPIPE)) = pair.sendAll(Array("request".utf8)) else { throw MockServerError.tls(reason: "sent") }
            #expect(pair.receiveAll().bytes == Array("response".utf8))
        }

        @Test("Closing sends close_notify once, without waiting for the server's")
        func closing() throws {
            let pair = try pair()
            pair.stream.close()
            pair.stream.close()
            while pair.move() {}
            #expect(pair.hasEnded && pair.serverError.isEmpty)
            guard case .failed = pair.stream.send(UnsafeRawBufferPointer(start: nil, count: 0)) else {
                throw MockServerError.tls(reason: "sent")
            }
            #expect(!pair.stream.hasMore)
        }

        @Test("New keys are answered in the middle of bodies both ways (RFC 8446 section 4.6.3)")
        func keyUpdates() throws {
            let pair = try pair(sendBuffer: 8_192)
            let part = Array(megabyte[..<100_000])
            for _ in 0..<5 {
                #expect(pair.serverUpdatesKeys())
                pair.serverSends(part)
                let isWhole = pair.receiveAll().bytes == part
                #expect(isWhole)
                guard case .bytes = pair.sendAll(part) else { throw MockServerError.tls(reason: "not sent") }
            }
            while pair.move() {}
            #expect(pair.received.count == 500_000)
        }

        @Test("Many records that are not data do not hold up a call for long, and what follows them is read")
        func manyKeyUpdates() throws {
            let pair = try pair()
            for _ in 0..<60 { #expect(pair.serverUpdatesKeys()) }
            pair.serverSends([1, 2, 3])
            pair.move()
            var buffer = [UInt8](repeating: 0, count: 100)
            guard case .wouldBlock = buffer.withUnsafeMutableBytes({ pair.stream.receive(into: $0) }) else {
                throw MockServerError.tls(reason: "all of them were read at once")
            }
            // The others were received ahead.
            #expect(pair.stream.hasMore)
            #expect(pair.receiveAll().bytes == [1, 2, 3])
        }

        @Test("An answer to new keys that the socket does not take does not mix with the body")
        func blockedKeyUpdate() throws {
            let pair = try pair(sendBuffer: 4_096)
            // Fills the socket.
            var position = 0
            while case .bytes(let count) = megabyte[position...].withUnsafeBytes({ pair.stream.send($0) }) { position += count }
            #expect(pair.serverUpdatesKeys())
            pair.serverSends([1, 2, 3])
            var buffer = [UInt8](repeating: 0, count: 100)
            pair.pieceSize = .max
            _ = buffer.withUnsafeMutableBytes { pair.stream.receive(into: $0) }
            guard case .bytes = pair.sendAll(Array(megabyte[position...]), sizes: [50, 1, 40_000]) else {
                throw MockServerError.tls(reason: "not sent")
            }
            while pair.move() {}
            let isWhole = pair.received == megabyte
            #expect(isWhole)
        }

        @Test("A server that asks for another handshake is told no, and the connection goes on")
        func renegotiation() throws {
            let pair = try pair(.tls12)
            #expect(pair.serverRenegotiates())
            while pair.move() {}
            let (bytes, last) = pair.receiveAll()
            #expect(bytes.isEmpty)
            switch last {
            case .wouldBlock, .failed(.alert): break
            default: Issue.record("\(last)")
            }
            while pair.move() {}
            #expect(pair.serverError.contains("no renegotiation"), "\(pair.serverError)")
        }

        @Test("A changed byte is an error, whatever came before")
        func changedByte() throws {
            let pair = try pair()
            while pair.move() {}
            _ = pair.receiveAll()
            pair.serverSendsRaw(TLSScript.record(23, [UInt8](repeating: 1, count: 50)))
            guard case .failed(let failure) = pair.receiveAll().last else { throw MockServerError.tls(reason: "accepted") }
            guard case .failed(.secureConnectionFailed, let text) = failure.error(for: .test, isHandshake: false) else {
                throw MockServerError.tls(reason: "\(failure)")
            }
            #expect(text.hasPrefix("the TLS connection with localhost:443 failed: "))
        }

        @Test("Behind half a message of TLS's own, sending has to wait for the rest (RFC 8446 section 5.1)")
        func halfTicket() throws {
            let server = try TLSFrontContext(
                authority.identity(names: ["localhost"]),
                .with {
                    $0.ticketCount = 1
                    $0.ticketDataSize = 20_000
                })
            let pair = try TLSPair(context, server)
            while case .wantsReading = pair.stream.handshake() { pair.move() }
            pair.pieceSize = 0
            pair.move()
            // The ticket's first record, and a part of the second.
            pair.deliver(17_000)
            #expect(pair.receiveAll().bytes.isEmpty)
            for _ in 0..<2 {
                guard case .wantsReading = pair.sendAll([1, 2, 3]) else { throw MockServerError.tls(reason: "it was not held up") }
            }
            pair.pieceSize = .max
            guard case .bytes(3) = pair.sendAll([1, 2, 3]) else { throw MockServerError.tls(reason: "it was not sent") }
            pair.move()
            #expect(pair.received == [1, 2, 3])
        }
    }
#endif
