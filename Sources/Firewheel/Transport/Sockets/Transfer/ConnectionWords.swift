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

        /// A WebSocket whose connection has ended without a close frame.
        static func lostWebSocket(isReset: Bool, isWithinMessage: Bool) -> String {
            let how = isReset ? "the connection was reset" : "the server closed the connection"
            return "\(how) without closing the WebSocket\(isWithinMessage ? ", in the middle of a message" : "")"
        }

        /// - Parameter words: What has gone wrong.
        static func unreachable(_ proxy: ProxyServer, _ words: String) -> String { "cannot connect to the proxy \(proxy): \(words)" }

        /// Host and port.
        static func address(_ origin: TargetURI.Origin) -> String { "\(origin.bracketedHost):\(origin.port)" }

        /// Where connections to the server of a URL lead.
        static func place(_ destination: TransportRoute.Destination?, _ origin: TargetURI.Origin) -> String {
            if let socket = destination?.unixSocket { return "\(socket)" }
            guard let host = destination?.host else { return address(origin) }
            return "\(address(host)) (set for \(address(origin)) in the session's hosts)"
        }

        /// An error that names the host of the URL, with the place where the connection led.
        static func located(_ error: TransportError, _ destination: TransportRoute.Destination?) -> TransportError {
            guard case .failed(let code, let words) = error else { return error }
            guard let place = destination?.unixSocket?.description ?? destination?.host.map(address) else { return error }
            return .failed(code, "\(words) (connected to \(place))")
        }

        /// - Parameter systemError: The errno of the last socket that could not be opened or connected; 0 if it is not known.
        static func refused(_ systemError: Int32, _ origin: TargetURI.Origin) -> String {
            switch systemError {
            case ECONNREFUSED, EMFILE, ENFILE: reason(systemError)
            case 0: "cannot connect to \(address(origin))"
            case let code: "cannot connect to \(address(origin)): \(reason(code))"
            }
        }

        /// - Parameter systemError: The errno; 0 if it is not known.
        static func reason(_ systemError: Int32) -> String {
            switch systemError {
            case ECONNREFUSED: "connection refused"
            case EMFILE, ENFILE: "out of file descriptors"
            case 0: "the reason is not known"
            case let code: FirewheelError.words(forSystemError: code)
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
