#if os(Linux)
    import Foundation

    /// Sends the body of a request. A source is asked for its next piece when the codec has written all before it.
    extension HTTP2Exchange {
        struct Sending {
            /// What is still to come of a body.
            enum Source {
                /// Nothing.
                case ended
                /// All of it, once the server agrees.
                case awaitsContinue(BodySource)
                /// Bytes in memory, which are passed on in pieces.
                case data(Data)
                case reader(any BodyReader, isAsked: Bool)
            }

            var source = Source.ended
            /// Whether the codec has room for a piece.
            var isWanted = false
            /// How many pieces the source was asked for.
            var asks = 0
            var hasOpenedSource = false
            /// Whether the body is not sent because the response came first.
            var isSkipped = false
            var bytesSent: Int64 = 0
            /// When to look whether the request goes on, or the server has agreed.
            var nextLook: MonotonicInstant?
            /// The number of sent bytes at the last look.
            var bytesAtLook: Int64 = 0
            /// Whether the connection tells when the codec has written more.
            var isAwaited = false
            /// Where the request begins in the connection's output at the earliest; nil while none of it was written.
            var start: Int64?
            /// Where the last bytes of the body end in the connection's output at the latest.
            var bodyEnd: Int64?

            var isEnded: Bool { if case .ended = source { !isSkipped } else { false } }
        }

        var nextLook: MonotonicInstant? { sending.nextLook }

        /// Whether the codec has written the whole request.
        var isRequestWritten: Bool { sending.isEnded && stream?.isRequestSent == true }

        /// Whether the server can have received any of the request.
        var mayHaveBeenSent: Bool { sending.start.map { connection.sending.sent > $0 } ?? false }

        var bytesHeldByKernel: Int { sending.bodyEnd.map { connection.bytesHeld(before: $0) } ?? 0 }

        /// Begins with the body of a request that was submitted.
        func beginBody(of stream: HTTP2Stream, _ transfer: SocketTransfer) throws(RequestWriter.Problem) {
            awaitWriting()
            // Data of length 0 has nothing to send.
            guard stream.outgoing != nil, let source = transfer.request.bodySource else { return }
            guard transfer.request.expectsContinue else { return try open(source, stream) }
            sending.source = .awaitsContinue(source)
            sending.nextLook = loop.now.advanced(by: transfer.request.continuePatience)
        }

        private func open(_ source: BodySource, _ stream: HTTP2Stream) throws(RequestWriter.Problem) {
            sending.hasOpenedSource = true
            switch source.open() {
            case .data(let data) where data.count <= BodySource.pieceSize:
                try codec.send(data, on: stream)
                try end(of: stream)
            case .data(let data): sending.source = .data(data)
            case .reader(let reader): sending.source = .reader(reader, isAsked: false)
            }
        }

        private func end(of stream: HTTP2Stream, trailers: HTTPHeaders = [:]) throws(RequestWriter.Problem) {
            try codec.endBody(of: stream, trailers: trailers)
            sending.source = .ended
            awaitWriting()
            connection.noteOutput()
        }

        /// Sends the body that waits for the server's consent.
        func sendAwaitedBody() {
            guard case .awaitsContinue(let source) = sending.source, let transfer, let stream else { return }
            sending.source = .ended
            sending.nextLook = nil
            do throws(RequestWriter.Problem) { try open(source, stream) } catch { return transfer.fail(transfer.request.error(for: error)) }
            sendMore()
        }

        /// Handles a response that needs no body: one that waits for the server's consent is not sent (RFC 9110 section 10.1.1).
        func skipAwaitedBody() {
            guard case .awaitsContinue = sending.source else { return }
            sending.source = .ended
            sending.nextLook = nil
            sending.isSkipped = true
        }

        /// Gives the codec the next piece, or asks for it, if there is room.
        func sendMore() {
            guard sending.isWanted, let transfer, let stream, !transfer.isPaused else { return }
            switch sending.source {
            case .ended, .awaitsContinue, .reader(_, isAsked: true): return
            case .data(let data):
                sending.isWanted = false
                do throws(RequestWriter.Problem) {
                    try codec.send(data.prefix(BodySource.pieceSize), on: stream)
                    let rest = data.dropFirst(BodySource.pieceSize)
                    if rest.isEmpty { try end(of: stream) } else { sending.source = .data(rest) }
                } catch {
                    return transfer.fail(transfer.request.error(for: error))
                }
                connection.noteOutput()
            case .reader(let reader, isAsked: false):
                sending.isWanted = false
                sending.source = .reader(reader, isAsked: true)
                sending.asks += 1
                transfer.ask(reader, number: sending.asks)
            }
        }

        func received(_ piece: BodyPiece, for ask: Int) {
            guard let transfer, let stream, ask == sending.asks, case .reader(let reader, isAsked: true) = sending.source else { return }
            sending.source = .reader(reader, isAsked: false)
            do throws(RequestWriter.Problem) {
                switch piece {
                case .data(let data): try codec.send(data, on: stream)
                case .end(let trailers):
                    try end(of: stream, trailers: trailers)
                    reader.close()
                case .failed(let error): return transfer.fail(error)
                }
            } catch {
                return transfer.fail(transfer.request.error(for: error))
            }
            connection.noteOutput()
        }

        // MARK: What was written

        /// Handles that the codec has written bytes of the body.
        func noteSent(_ count: Int, _ transfer: SocketTransfer) {
            transfer.lastActivity = loop.now
            sending.bytesSent += Int64(count)
            sending.bodyEnd = connection.sending.taken + Int64(codec.held.count)
            let isFirst = transfer.measured.bodyBytesSent == 0
            transfer.measured.bodyBytesSent += Int64(count)
            // From now on the kernel may hold bytes, which is looked at before the idle timeout.
            if isFirst { transfer.setTimer() }
        }

        /// Has ``noteWritten(from:)`` called.
        private func awaitWriting() {
            guard !sending.isAwaited else { return }
            sending.isAwaited = true
            connection.sending.unwritten.append(self)
        }

        /// Handles that the codec has written what it could.
        ///
        /// - Parameter start: Where that begins in the connection's output.
        /// - Returns: Whether there is no more to wait for: the request is written, or its body has not ended.
        func noteWritten(from start: Int64) -> Bool {
            guard let transfer else { return true }
            if sending.start == nil { sending.start = start }
            if sending.isEnded, !isRequestWritten { return false }
            sending.isAwaited = false
            guard isRequestWritten else { return true }
            if transfer.measured.requestEnd == nil { transfer.measured.requestEnd = loop.now }
            sending.nextLook = nil
            if isResponseWhole { finish(transfer) }
            return true
        }

        // MARK: Ends

        func look() {
            guard let transfer else { return }
            sending.nextLook = nil
            if case .awaitsContinue = sending.source { return sendAwaitedBody() }
            guard isResponseWhole else { return }
            let isStuck = sending.bytesSent == sending.bytesAtLook && !transfer.isPaused
            guard !isStuck else { return endEarly(transfer) }
            sending.bytesAtLook = sending.bytesSent
            sending.nextLook = loop.now.advanced(by: SocketTransfer.bodyPatience)
        }

        /// Releases what is left of a request.
        func endSending() {
            if case .reader(let reader, _) = sending.source { reader.close() }
            sending.source = .ended
            sending.nextLook = nil
        }
    }
#endif
