#if os(Linux)
    /// What a transfer knows of the WebSocket that it opens.
    // An object, because most transfers open none.
    final class SocketUpgrade {
        let offer: WebSocketOffer
        /// That of the request as it was last sent.
        var handshake: WebSocketHandshake?
        /// nil before the server has accepted.
        var connection: WebSocketConnection?

        init(_ offer: WebSocketOffer) {
            self.offer = offer
        }
    }

    extension SocketTransfer {
        /// The fields of a request for a WebSocket, with a new key for each connection (RFC 6455 section 4.1).
        func makeHeadersForUpgrade(_ upgrade: SocketUpgrade) throws(TransportError) -> HTTPHeaders {
            let canCompress = if case .success = CodingLibraries.system.zlib { true } else { false }
            let handshake = try WebSocketHandshake(upgrade.offer, headers: request.headers, canCompress: canCompress)
            upgrade.handshake = handshake
            return handshake.adding(to: request.headers)
        }
    }

    extension HTTP1Connection {
        /// Handles that the server has switched protocols: the connection is a WebSocket from here on.
        ///
        /// - Parameter rest: What was received behind the head.
        func switchToWebSocket(_ head: ResponseHead, rest: UnsafeRawBufferPointer, _ transfer: SocketTransfer) {
            guard let upgrade = transfer.upgrade, let handshake = upgrade.handshake else {
                return transfer.refused(.failed(.badServerResponse, "the server switched protocols unasked"))
            }
            guard sending.isComplete else {
                return transfer.refused(.failed(.badServerResponse, "the server switched protocols before it had the request"))
            }
            do throws(TransportError) {
                let agreement = try handshake.agreement(by: head)
                // Before this connection leaves the pool, so that their lane stays.
                let connection = WebSocketConnection(self, transfer, agreement, upgrade.offer.configuration, early: [UInt8](rest))
                detach()
                upgrade.connection = connection
                transfer.exchange = connection
                transfer.received(head)
                transfer.measured.bodyBytesReceived += Int64(rest.count)
                connection.start()
            } catch {
                transfer.refused(error)
            }
        }
    }
#endif
