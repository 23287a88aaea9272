#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import FirewheelTesting

    /// `openssl s_server`, one connection at a time. It encrypts any text, which need not be HTTP.
    final class OpenSSLServer: Sendable {
        let port: Int
        /// One entry for each connection that a client has ended.
        let ended: Journal<Void>
        private let process: Int32
        private let isDone = DispatchSemaphore(value: 0)

        /// - Parameter answers: The answers to the first request, the second and so on, each in pieces with a pause after each.
        init(_ answers: [[String]]) throws {
            let authority = try #require(
                ProcessInfo.processInfo.environment["FIREWHEEL_TEST_CA"], "not running: Tests/Servers/servers.sh start")
            let certificate = authority.replacing("/ca.pem", with: "/server.pem")
            let key = authority.replacing("/ca.pem", with: "/server.key")
            let (input, output) = (Pipe(), Pipe())
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            self.process = process.processIdentifier
            let received = Received(output.fileHandleForReading)
            ended = received.ended
            received.wait(for: "ACCEPT 127.0.0.1:")
            guard let port = Int(received.wait(for: "\n").filter { $0.isASCII && $0.isNumber }) else { throw NotListening() }
            self.port = port
            let isDone = isDone
            let thread = Thread {
                for pieces in answers where received.wait(for: "HTTP/1.1\r\n") != "" {
                    received.wait(for: "\r\n\r\n")
                    for piece in pieces {
                        input.fileHandleForWriting.write(Data(piece.utf8))
                        usleep(20_000)
                    }
                }
                while received.read() {}
                process.waitUntilExit()
                isDone.signal()
            }
            thread.start()
        }

        var url: String { "https://127.0.0.1:\(port)/" }

        deinit {
            kill(process, SIGKILL)
            isDone.wait()
        }
    }

    private struct NotListening: Error {}

    /// Unread output of a program. Used by one thread at a time.
    private final class Received: @unchecked Sendable {
        // Sound because the creator hands it over to the server's thread and does not use it again.
        private let file: FileHandle
        private var text = ""
        private var all = ""
        let ended = Journal<Void>()

        init(_ file: FileHandle) {
            self.file = file
        }

        /// - Returns: False at the end.
        func read() -> Bool {
            let data = file.availableData
            text += String(decoding: data, as: UTF8.self)
            all += String(decoding: data, as: UTF8.self)
            // With or without TLS's close_notify.
            if ended.count == 0, all.contains("\nDONE\n") || all.contains("\nERROR\n") { ended.add(()) }
            return !data.isEmpty
        }

        /// Takes everything up to the end of a mark.
        ///
        /// - Returns: The text; empty if the program ended first.
        @discardableResult
        func wait(for mark: String) -> String {
            while true {
                if let range = text.range(of: mark) {
                    let taken = String(text[..<range.upperBound])
                    text = String(text[range.upperBound...])
                    return taken
                }
                guard read() else { return "" }
            }
        }
    }
#endif
