#if os(Linux)
    import Firewheel
    import Foundation

    extension ErrorTable {
        /// The error of a WebSocket with a server that answers the handshake and then does this.
        private static func webSocket(
            _ name: String, answer: @escaping @Sendable (String) -> String = { WebSocketPeer.accept($0) },
            _ configuration: WebSocketConfiguration = WebSocketConfiguration(),
            use: @escaping @Sendable (WebSocketRequest) -> Void = { _ in },
            script: @escaping @Sendable (WebSocketPeer.Connection) -> Void = { $0.awaitEnd() }
        ) -> Failure {
            Failure(name) {
                let peer = try WebSocketPeer(answer: answer, script: script)
                let socket = Session.onTest().webSocket(peer.url, configuration: configuration)
                if socket.resume().isResumed { use(socket) }
                return await socket.everything().error
            }
        }

        private static func with(_ change: (inout WebSocketConfiguration) -> Void) -> WebSocketConfiguration {
            var configuration = WebSocketConfiguration()
            change(&configuration)
            return configuration
        }

        static let webSockets: [Failure] = [
            webSocket("A server does not open a WebSocket", answer: { _ in "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n" }),
            webSocket(
                "A server's answer to the handshake is wrong",
                answer: { _ in
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
                }),
            webSocket(
                "A server closes a WebSocket with an error",
                script: { connection in
                    connection.close(.internalServerError, "disk full")
                    connection.awaitEnd()
                }),
            webSocket(
                "A server breaks the protocol of a WebSocket",
                script: { connection in
                    connection.send([0x83, 0x00])
                    connection.awaitEnd()
                }),
            webSocket(
                "A message of a WebSocket is too large", with { $0.maximumMessageSize = 4 },
                script: { connection in
                    connection.send("12345")
                    connection.awaitEnd()
                }),
            webSocket("The connection of a WebSocket ends without a close frame", script: { _ in }),
            webSocket("A server answers no ping", with { ($0.pingInterval, $0.pongTimeout) = (0.01, 0.01) }),
            Failure("A message is sent to a closed WebSocket") {
                let peer = try WebSocketPeer()
                let socket = Session.onTest().webSocket(peer.url)
                try await socket.send("x")
                socket.close()
                do { try await socket.send("y") } catch { return error }
                return nil
            },
            webSocket("A WebSocket is closed with a code that must not be sent", use: { $0.close(code: .abnormalClosure) }),
        ]
    }
#else
    extension ErrorTable {
        /// No transport opens them here.
        static let webSockets: [Failure] = []
    }
#endif
