#if os(Linux)
    import Foundation
    import Glibc

    @testable import FirewheelTesting

    /// Takes in connections on the loopback address and answers whatever comes with bytes of its own, which need not be HTTP.
    final class RawServer: Sendable {
        /// The action on a connection after the response.
        enum Ending: Sendable {
            case close
            /// Stays open until the server goes.
            case stay
        }

        let port: Int
        /// The sizes of the pieces that have been sent.
        let sent = Journal<Int>()
        /// One entry for each connection that the client has ended.
        let ended = Journal<Void>()
        private let descriptor: Int32
        private let isDone = DispatchSemaphore(value: 0)

        /// - Parameters:
        ///   - answers: To what comes first, second and so on, each in pieces with a moment after each; the last to all that comes later.
        ///   - mayGoOn: If given, waited for before each piece but the first, for 20 seconds at the most.
        init(_ answers: [[String]], ending: Ending, waitingFor mayGoOn: DispatchSemaphore? = nil) throws {
            let (descriptor, port) = try Loopback.listen(backlog: 8)
            (self.descriptor, self.port) = (descriptor, port)
            let (isDone, sent, ended) = (isDone, sent, ended)
            let thread = Thread {
                Self.serve(descriptor, answers, ending, mayGoOn, sent, ended)
                isDone.signal()
            }
            thread.start()
        }

        var url: String { "http://127.0.0.1:\(port)/" }

        deinit {
            // Ends the wait for the next connection.
            shutdown(descriptor, Int32(SHUT_RDWR))
            isDone.wait()
            close(descriptor)
        }

        private static func serve(
            _ listener: Int32, _ answers: [[String]], _ ending: Ending, _ mayGoOn: DispatchSemaphore?, _ sent: Journal<Int>,
            _ ended: Journal<Void>
        ) {
            var open: [Int32] = []
            defer { for connection in open { close(connection) } }
            var number = 0
            while true {
                var polled = ([listener] + open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, nfds_t(polled.count), -1) > 0 || errno == EINTR else { return }
                for ready in polled where ready.revents != 0 {
                    var connection = ready.fd
                    if connection == listener {
                        connection = accept(listener, nil, nil)
                        guard connection >= 0 else { return }
                        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                        open.append(connection)
                    }
                    let isAnswered = answer(connection, answers.isEmpty ? [] : answers[min(number, answers.count - 1)], mayGoOn, sent)
                    number += 1
                    if isAnswered, case .stay = ending { continue }
                    if !isAnswered { ended.add(()) }
                    open.removeAll { $0 == connection }
                    finish(connection)
                }
            }
        }

        /// - Returns: False if the client has gone.
        private static func answer(_ connection: Int32, _ pieces: [String], _ mayGoOn: DispatchSemaphore?, _ sent: Journal<Int>) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            guard recv(connection, &bytes, bytes.count, 0) > 0 else { return false }
            for (number, piece) in pieces.enumerated() {
                if number > 0 { _ = mayGoOn?.wait(timeout: .now() + 20) }
                // One byte for each scalar, so that bytes that are not UTF-8 can be sent too.
                let data = piece.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                _ = send(connection, data, data.count, Int32(MSG_NOSIGNAL))
                sent.add(data.count)
                usleep(20_000)
            }
            return true
        }

        private static func finish(_ connection: Int32) {
            shutdown(connection, Int32(SHUT_WR))
            // A close with bytes unread would be a reset.
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while recv(connection, &bytes, bytes.count, 0) > 0 {}
            close(connection)
        }
    }
#endif
