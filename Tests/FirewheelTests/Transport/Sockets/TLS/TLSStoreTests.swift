#if os(Linux)
    import Foundation
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: stores", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSStoreTests {
        private func temporaryFolder() throws -> URL {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-store-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            return url
        }

        private func words(_ places: TLSStorePlaces) -> String? {
            do throws(TLSFailure) {
                _ = try TLSContext.load(places: places)
                return nil
            } catch {
                guard let found = error.words() else { return "no words" }
                #expect(found.code == .secureConnectionFailed)
                #expect(found.text.contains("(package ca-certificates)"))
                return found.text
            }
        }

        @Test("A missing, unreadable or empty file is named")
        func badFiles() throws {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let missing = folder.appendingPathComponent("missing.pem").path
            #expect(words(TLSStorePlaces(file: missing))?.contains("cannot read the certificate store \(missing): ") == true)
            #expect(words(TLSStorePlaces(file: folder.path))?.contains("cannot read the certificate store \(folder.path): ") == true)
            for text in ["", "not a certificate", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n"] {
                let file = folder.appendingPathComponent("empty.pem")
                try text.write(to: file, atomically: true, encoding: .utf8)
                #expect(words(TLSStorePlaces(file: file.path))?.contains("the certificate store \(file.path) has no certificates") == true)
            }
        }

        @Test("Who may not read a store, or whose path leads nowhere, hears why")
        func unreadable() async throws {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("file.pem")
            try TestAuthority().root.pem.write(to: file, atomically: true, encoding: .utf8)
            let circle = folder.appendingPathComponent("circle.pem")
            try FileManager.default.createSymbolicLink(at: circle, withDestinationURL: circle)
            for (path, code) in [(file.path + "/more.pem", ENOTDIR), (circle.path, ELOOP)] {
                let reason = "cannot read the certificate store \(path): \(FirewheelError.words(forSystemError: code))"
                #expect(words(TLSStorePlaces(file: path))?.contains(reason) == true)
                #expect(words(TLSStorePlaces(file: nil, directories: [path]))?.contains(reason) == true)
            }
            await #expect(processExitsWith: .success) {
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-store-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let file = folder.appendingPathComponent("file.pem").path
                try TestAuthority().root.pem.write(toFile: file, atomically: true, encoding: .utf8)
                #expect(chmod(file, 0) == 0 && chmod(folder.path, 0o755) == 0)
                // For root modes do not count.
                let isRoot = geteuid() == 0
                if isRoot { #expect(seteuid(65_534) == 0) }
                let failure = Self.failure(TLSStorePlaces(file: file))
                if isRoot { #expect(seteuid(0) == 0) }
                let reason = "cannot read the certificate store \(file): \(FirewheelError.words(forSystemError: EACCES))"
                #expect(failure?.contains(reason) == true, "\(failure ?? "read")")
            }
        }

        @Test("A missing or empty directory is named")
        func badDirectories() throws {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let missing = folder.appendingPathComponent("missing").path
            #expect(
                words(TLSStorePlaces(file: nil, directories: [missing]))?.contains("cannot read the certificate store \(missing): ") == true
            )
            #expect(words(TLSStorePlaces(file: nil, directories: [folder.path]))?.contains("\(folder.path) has no certificates") == true)
        }

        @Test("Where descriptors are scarce a directory is an error, and not read in part")
        func scarceDescriptors() async {
            await #expect(processExitsWith: .success) {
                let authority = try TestAuthority()
                let folder = authority.pemFile.deletingLastPathComponent().appendingPathComponent("store-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                try FileManager.default.copyItem(at: authority.pemFile, to: folder.appendingPathComponent("1a2b3c4d.0"))
                let pipe = folder.appendingPathComponent("00000000.0").path
                #expect(mkfifo(pipe, 0o600) == 0)
                let ends = open(pipe, O_RDWR)
                let writer = fcntl(ends, F_DUPFD, 200)
                close(ends)
                let places = TLSStorePlaces(file: nil, directories: [folder.path])
                let failures = Journal<String?>()
                Thread.detachNewThread { failures.add(Self.failure(places)) }
                // Reading stands still at the first file until the writer is closed, and the descriptors run out meanwhile.
                let reader = { @Sendable in
                    (0..<200).first { number in
                        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == pipe
                    }
                }
                try await waitUntil("the first file") { reader() != nil }
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var scarce = limit
                scarce.rlim_cur = rlim_t(try #require(reader()))
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &scarce)
                close(writer)
                // Not by Dispatch, which would end the process now.
                while failures.count == 0 { usleep(100) }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let failure = failures.entries[0]
                #expect(failure?.contains("1a2b3c4d.0: ") == true, "\(failure ?? "none")")
                unlink(pipe)
                #expect(Self.failure(places) == nil)
                withExtendedLifetime(authority) {}
            }
        }

        private static func failure(_ places: TLSStorePlaces) -> String? {
            do throws(TLSFailure) {
                _ = try TLSContext.load(places: places)
                return nil
            } catch {
                return error.words()?.text ?? "no words"
            }
        }

        @Test("A system without any certificates says where they were looked for")
        func bareSystem() throws {
            var places = TLSStorePlaces(file: "/nonexistent/cert.pem", directories: ["/nonexistent/certs"])
            places.areChosen = false
            let found = try #require(words(places))
            #expect(found.contains("/nonexistent/cert.pem or /nonexistent/certs"))
        }

        @Test("Without a default file the default directory counts")
        func defaultDirectory() throws {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let authority = try TestAuthority()
            try authority.root.pem.write(to: folder.appendingPathComponent("0123abcd.0"), atomically: true, encoding: .utf8)
            try "no certificate".write(to: folder.appendingPathComponent("0123abcd.1"), atomically: true, encoding: .utf8)
            try TestAuthority().root.pem.write(to: folder.appendingPathComponent("other.pem"), atomically: true, encoding: .utf8)
            var places = TLSStorePlaces(file: "/nonexistent/cert.pem", directories: ["/nonexistent", folder.path])
            places.areChosen = false
            let context = try TLSContext.load(places: places)
            let pair = try TLSPair(context, TLSFrontContext(authority.identity(names: ["localhost"]), .init()))
            try pair.requireHandshake()
        }

        @Test("Parts of a file that cannot be read are skipped, and what is around them counts")
        func damagedParts() throws {
            let authority = try TestAuthority()
            let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            let key = try authority.identity(names: ["a"]).keyPEM
            let file = try PEMFile(text: "# comment\n" + damaged + key + authority.root.pem + "-----BEGIN CERTIFICATE-----\nMIIB")
            let context = try TLSContext.load(places: TLSStorePlaces(file: file.url.path))
            try TLSPair(context, TLSFrontContext(authority.identity(names: ["localhost"]), .init())).requireHandshake()
        }

        @Test("SSL_CERT_FILE and SSL_CERT_DIR replace the system's store")
        func variables() throws {
            let library = try TLSLibrary.system.get()
            let system = TLSStorePlaces(library) { _ in nil }
            #expect(system.file?.hasSuffix("cert.pem") == true && !system.directories.isEmpty && !system.areChosen)
            let file = TLSStorePlaces(library) { $0 == "SSL_CERT_FILE" ? "/a.pem" : nil }
            #expect(file.file == "/a.pem" && file.directories.isEmpty && file.areChosen)
            let directories = TLSStorePlaces(library) { $0 == "SSL_CERT_DIR" ? "/a:/b" : nil }
            #expect(directories.file == nil && directories.directories == ["/a", "/b"] && directories.areChosen)
            let empty = TLSStorePlaces(library) { _ in "" }
            #expect(empty == system)
        }

        @Test("A store is parsed once, and again when its file has changed")
        func cache() throws {
            let library = try TLSLibrary.system.get()
            let file = try PEMFile([TestAuthority().root])
            let places = TLSStorePlaces(file: file.url.path)
            let first = try TLSStore.load(places, library)
            #expect(try TLSStore.load(places, library) === first)
            try (TestAuthority().root.pem + TestAuthority().root.pem).write(to: file.url, atomically: true, encoding: .utf8)
            #expect(try TLSStore.load(places, library) !== first)
        }

        @Test("A directory is read again when a file in it, or what a link in it leads to, has changed", arguments: [true, false])
        func cacheOfDirectory(isLink: Bool) throws {
            let library = try TLSLibrary.system.get()
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let (entry, target) = (folder.appendingPathComponent("0123abcd.0"), try PEMFile([TestAuthority().root]))
            if isLink {
                try FileManager.default.createSymbolicLink(at: entry, withDestinationURL: target.url)
            } else {
                try FileManager.default.copyItem(at: target.url, to: entry)
            }
            let places = TLSStorePlaces(file: nil, directories: [folder.path])
            let first = try TLSStore.load(places, library)
            #expect(try TLSStore.load(places, library) === first)
            // The directory itself stays as it was.
            try (TestAuthority().root.pem + TestAuthority().root.pem)
                .write(to: isLink ? target.url : entry, atomically: isLink, encoding: .utf8)
            let second = try TLSStore.load(places, library)
            #expect(second !== first)
            #expect(try TLSStore.load(places, library) === second)
        }

        @Test("A system without OpenSSL 3 names library and package")
        func noLibrary() {
            for library in [TLSLibrary.load(ssl: "libnossl.so.3"), TLSLibrary.load(crypto: "libnocrypto.so.3")] {
                #expect(throws: TLSFailure.self) { try TLSContext.load(library: library) }
                guard case .failure(let error) = library else { continue }
                let words = TLSFailure.library(error).words()
                #expect(words?.code == .secureConnectionFailed)
                #expect(words?.text.contains("(package libssl3)") == true)
            }
        }
    }
#endif
