#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Stores of authorities, as a session sees them.
    @Suite("Certificate stores on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct StoreOnWireTests {
        private func session(_ places: TLSStorePlaces) -> Session {
            Session(transport: SocketTransport(configuration: .default, places: places))
        }

        @Test("A store that is missing, unreadable or empty is named with the package, and the server hears nothing")
        func badStores() async throws {
            let bench = try SecureBench()
            defer { bench.stop() }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-stores-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (missing, empty) = (folder.appendingPathComponent("missing.pem").path, try PEMFile(text: "no certificate"))
            let cases = [
                (TLSStorePlaces(file: missing), "cannot read the certificate store \(missing): "),
                (TLSStorePlaces(file: folder.path), "cannot read the certificate store \(folder.path): "),
                (TLSStorePlaces(file: empty.url.path), "the certificate store \(empty.url.path) has no certificates"),
                (TLSStorePlaces(file: nil, directories: [missing]), "cannot read the certificate store \(missing): "),
                (TLSStorePlaces(file: nil, directories: [folder.path]), "the certificate store \(folder.path) has no certificates"),
            ]
            for (places, words) in cases {
                let session = session(places)
                // Those of several requests that wait for it, and of a later one.
                async let first = session.request(bench.url()).raw()
                async let second = session.request(bench.url()).raw()
                for response in [await first, await second, await session.request(bench.url()).raw()] {
                    #expect(response.kind == .transportFailed(.secureConnectionFailed), "\(response)")
                    #expect(response.words.contains(words) && response.words.contains("(package ca-certificates)"), "\(response.words)")
                }
            }
            #expect(bench.server.requestCount == 0)
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
        }

        @Test("While a store is read, which may take long, other requests go on")
        func slowStore() async throws {
            let bench = try SecureBench()
            defer { bench.stop() }
            bench.server.route("*") { .text($0.path) }
            let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-slow-\(UUID().uuidString).pem").path
            try #require(mkfifo(pipe, 0o600) == 0)
            defer { unlink(pipe) }
            let session = session(TLSStorePlaces(file: pipe))
            async let secure = session.request(bench.url("/secure")).raw()
            // Succeeds only when somebody reads it, who then waits for what is written.
            let writer = Locked(Int32(-1))
            try await waitUntil("the reader of the store") {
                writer.withLock { writer in
                    writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                    return writer >= 0
                }
            }
            let file = FileHandle(fileDescriptor: writer.withLock { $0 }, closeOnDealloc: true)
            for number in 0..<3 {
                let response = await session.request(bench.server.url("/\(number)")).raw()
                #expect(response.text == "/\(number)", "\(response)")
            }
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
            try file.write(contentsOf: Data(bench.authority.root.pem.utf8))
            try file.close()
            let response = await secure
            #expect(response.text == "/secure", "\(response)")
        }

        @Test("A store that is there later is used then")
        func laterStore() async throws {
            let bench = try SecureBench()
            defer { bench.stop() }
            bench.server.route("*") { _ in .text("hello") }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-later-\(UUID().uuidString).pem")
            defer { try? FileManager.default.removeItem(at: file) }
            let session = session(TLSStorePlaces(file: file.path))
            #expect(await session.request(bench.url()).raw().kind == .transportFailed(.secureConnectionFailed))
            try bench.authority.root.pem.write(to: file, atomically: true, encoding: .utf8)
            #expect(await session.request(bench.url()).raw().text == "hello")
        }

        @Test("SSL_CERT_FILE and SSL_CERT_DIR replace the system's authorities")
        func variables() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let (bench, other) = (try SecureBench(), try SecureBench())
                defer {
                    bench.stop()
                    other.stop()
                }
                for server in [bench.server, other.server] { server.route("*") { _ in .text("hello") } }
                func responses() async -> [DataResponse<Data?>] {
                    let session = Session(transport: SocketTransport())
                    return [await session.request(bench.url()).raw(), await session.request(other.url()).raw()]
                }
                func expectUnknown(_ response: DataResponse<Data?>) {
                    #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot), "\(response)")
                }
                setenv("SSL_CERT_FILE", bench.authority.pemFile.path, 1)
                let byFile = await responses()
                #expect(byFile[0].text == "hello", "\(byFile[0])")
                expectUnknown(byFile[1])

                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-certs-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                try other.authority.root.pem.write(
                    to: folder.appendingPathComponent("1a2b3c4d.0"), atomically: true, encoding: .utf8)
                setenv("SSL_CERT_DIR", folder.path, 1)
                #expect(await responses().map(\.text) == ["hello", "hello"])

                unsetenv("SSL_CERT_FILE")
                let byFolder = await responses()
                expectUnknown(byFolder[0])
                #expect(byFolder[1].text == "hello", "\(byFolder[1])")

                unsetenv("SSL_CERT_DIR")
                setenv("SSL_CERT_FILE", "/nowhere/certificates.pem", 1)
                for response in await responses() {
                    #expect(response.words.contains("cannot read the certificate store /nowhere/certificates.pem: "), "\(response)")
                    #expect(response.words.contains("(package ca-certificates)"))
                }
            }
        }
    }
#endif
