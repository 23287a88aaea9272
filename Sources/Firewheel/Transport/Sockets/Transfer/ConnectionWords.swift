#if os(Linux)
    import Foundation
    import Glibc

    /// The phase of a transfer.
    enum TransferPhase {
        case connecting
        case sending
        case waiting
        case receiving

        var words: String {
            switch self {
            case .connecting: "connecting"
            case .sending: "sending the request"
            case .waiting: "waiting for the response"
            case .receiving: "receiving the response"
            }
        }
    }

    /// The messages for connections that cannot be made or break.
    enum ConnectionWords {
        /// The error for a request that must not be resent (RFC 9110 section 9.2.2): retrying it is the client's decision.
        static let mayHaveBeenActedOn = TransportError.failed(
            .networkConnectionLost,
            "connection lost, and the request is not sent again, since the server may have acted on it")

        /// - Parameter words: What has gone wrong.
        static func unreachable(_ proxy: ProxyServer, _ words: String) -> String { "cannot connect to the proxy \(proxy): \(words)" }

        /// Host and port.
        static func address(_ origin: TargetURI.Origin) -> String { "\(origin.bracketedHost):\(origin.port)" }

        /// Where connections to the server of a URL lead.
        static func place(_ destination: TransportRoute.Destination?, _ origin: TargetURI.Origin) -> String {
            if let socket = destination?.unixSocket { return name(socket) }
            guard let host = destination?.host else { return address(origin) }
            return "\(address(host)), which the session's hosts have for \(address(origin))"
        }

        private static func name(_ socket: UnixSocket) -> String { "the Unix socket \(socket.text.onOneLine.debugDescription)" }

        /// - Parameter systemError: The errno.
        static func refused(_ systemError: Int32, _ socket: UnixSocket) -> String {
            let words =
                switch systemError {
                case ENOENT: "there is no such file"
                case ECONNREFUSED where socket.isAbstract: "no program listens to it"
                case ECONNREFUSED: refusal(ofFile: socket.text)
                case EPROTOTYPE: "it is not a stream socket"
                case let code: FirewheelError.words(forSystemError: code)
                }
            return "cannot connect to \(name(socket)): \(words)"
        }

        /// The system refuses to connect to a file of any other kind, as to a socket without a listener.
        private static func refusal(ofFile path: String) -> String {
            var status = stat()
            guard stat(path, &status) == 0 else { return "connection refused" }
            switch status.st_mode & S_IFMT {
            case S_IFSOCK: return "no program listens to it"
            case S_IFDIR: return "it is a folder"
            default: return "it is not a socket"
            }
        }

        /// - Parameter systemError: The errno of the last socket that could not be opened or connected; 0 if it is not known.
        static func refused(_ systemError: Int32, _ origin: TargetURI.Origin) -> String {
            switch systemError {
            case ECONNREFUSED: "connection refused"
            case 0: "cannot connect to \(address(origin))"
            case EMFILE, ENFILE: "out of file descriptors"
            case let code: "cannot connect to \(address(origin)): \(FirewheelError.words(forSystemError: code))"
            }
        }

        /// - Parameter addresses: The addresses of a host, none of which this machine understands.
        static func unusable(_ addresses: [String]) -> String {
            let address = addresses.first ?? ""
            let zone = address.drop { $0 != "%" }.dropFirst()
            let words = zone.isEmpty ? "is not an IP address" : "has a zone that is not a network interface of this machine"
            return "the address \"\(address)\" \(words)"
        }

        static func lost(isReset: Bool, _ phase: TransferPhase) -> String {
            "connection \(isReset ? "reset" : "lost"), \(phase.words)"
        }
    }
#endif
