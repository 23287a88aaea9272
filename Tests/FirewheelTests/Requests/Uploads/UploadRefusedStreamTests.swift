#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// HTTP/2 streams that the server refuses before it acts on them (RFC 9113 section 8.7).
    @Suite("Uploads whose HTTP/2 streams are refused", .enabled(if: HTTP2Bench.isPossible), .timeLimit(.minutes(5)))
    struct UploadRefusedStreamTests {
        private static func makeSession() -> Session {
            let configuration = SessionConfiguration.with {
                $0.httpVersions = .http2PriorKnowledge
                $0.expectsContinue = .never
            }
            return Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
        }

        @Test("A body that can be produced again goes again, and another is an error that says so", arguments: UploadKind.allCases)
        func refused(kind: UploadKind) async throws {
            let server = try FramesServer()
            let folder = try DownloadTests.Folder()
            let session = Self.makeSession()
            let body = UploadKind.pattern(40_000)
            let request = try kind.upload(body, to: server.url, in: session, folder: folder)
            let task = Task { await request.serializingString().response }
            let received = Journal<Data>()
            await onThreads(1) { _ in
                guard let peer = try? server.accept(), let first = try? peer.request(), (try? peer.next(.data)) != nil else { return }
                peer.reset(first, 7)
                guard kind.isRepeatable else { return }
                // It goes again on a connection of its own.
                guard let other = try? server.accept(), let second = try? other.request() else { return }
                var again = Data()
                while let frame = try? other.next(.data) {
                    again += frame.payload
                    guard frame.isLast else { continue }
                    received.add(again)
                    return other.answer(second, "taken")
                }
            }
            let response = await task.value
            guard kind.isRepeatable else {
                #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable), "\(response)")
                #expect(response.words.contains("the server refused the HTTP/2 stream"))
                return
            }
            #expect(response.value == "taken" && received.entries == [body], "\(response)")
        }
    }
#endif
