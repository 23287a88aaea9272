#if os(Linux)
    import Foundation

    /// One request and its response as a stream of a connection that speaks HTTP/2.
    ///
    /// The connection is read whatever this exchange's transfer wants. What comes while it wants nothing is kept here, in order; the server
    /// gets no more room for it, so that this is at most the stream's window. What is sent is in `HTTP2Exchange+Sending`.
    final class HTTP2Exchange: Exchange, HTTP2StreamOwner {
        /// What has come and the transfer did not want yet.
        private enum Kept {
            case interim(ResponseHead)
            case head(ResponseHead)
            case body([UInt8])
            case end(HTTPHeaders)
            case closed(HTTP2StreamEnd)
        }

        /// Pieces of a body that are kept are joined up to this size.
        private static let keptPiece = 65_536

        let connection: HTTP2Connection
        /// nil once the transfer is told nothing more.
        @exclusivity(unchecked) private(set) var transfer: SocketTransfer?
        /// nil until the request is submitted.
        @exclusivity(unchecked) private(set) var stream: HTTP2Stream?
        @exclusivity(unchecked) private var kept: [Kept] = []
        /// How many of those were handled.
        @exclusivity(unchecked) private var keptOffset = 0
        /// The bytes of the body that the transfer has got, and those of them that the server does not know of.
        @exclusivity(unchecked) private var takenBytes: Int64 = 0
        @exclusivity(unchecked) private var unconsumed = 0
        /// The trailer fields of a whole response, if it came before the request was sent.
        @exclusivity(unchecked) private var end: HTTPHeaders?
        /// The limit of streams when the request was submitted, as far as it was known.
        @exclusivity(unchecked) private var limitAtStart = 0
        @exclusivity(unchecked) var sending = Sending()

        init(_ connection: HTTP2Connection) { self.connection = connection }

        var codec: HTTP2Codec { connection.codec }
        var loop: EventLoop { connection.loop }
        var wire: Wire { connection.wire }
        var headBytesReceived: Int { stream?.headBytes ?? 0 }
        var expectedBody: Int64 { stream?.declaredLength ?? 0 }
        var isResponseWhole: Bool { end != nil }
        var sharedTimer: LoopTimer? { nil }

        // MARK: The request

        func begin(_ transfer: SocketTransfer) {
            self.transfer = transfer
            connection.enter(self, isPaused: transfer.isPaused)
        }

        /// Submits the request to the codec.
        func submit() {
            guard let transfer, stream == nil else { return }
            do throws(RequestWriter.Problem) {
                let request = transfer.request
                let body = BodySource.length(of: request.bodySource)
                limitAtStart = codec.streamLimit
                let submitted = try codec.submit(
                    method: request.method, target: request.target, headers: request.headers, body: body,
                    mayBeLonger: request.bodySource?.isData == false, expectsContinue: request.expectsContinue, owner: self)
                connection.forgetUnsubmitted(self)
                // Otherwise the connection is full or has failed since.
                guard let stream = submitted else { return moveOn() }
                self.stream = stream
                transfer.measured.requestStart = loop.now
                transfer.measured.headBytesSent = Int64(stream.headBytesSent)
                try beginBody(of: stream, transfer)
            } catch {
                return transfer.fail(.failed(.badURL, "the request cannot be written"))
            }
            connection.noteOutput()
        }

        /// Handles that the server has answered a ping.
        func connectionIsAlive() {
            if let transfer, !transfer.isPaused { submit() }
        }

        /// Goes on elsewhere, because nothing of the request was sent.
        func moveOn() { transfer?.goAgain() }

        func flowHasChanged() {
            guard let transfer else { return }
            guard let stream else {
                guard !transfer.isPaused else { return }
                if connection.isLeaving { return moveOn() }
                if !connection.awaitsPong { connection.submitWhenAlive(self, isPaused: false) }
                return
            }
            codec.hold(stream, transfer.isPaused)
            if !transfer.isStopped, transfer.decodeRest() { handleKept() }
            if self.transfer === transfer { sendMore() }
            finishWork(for: transfer)
            connection.noteOutput()
        }

        // MARK: Receiving

        func received(_ event: HTTP2StreamEvent, on stream: HTTP2Stream) {
            guard let transfer else {
                if case .closed = event { connection.noteRoom() }
                return
            }
            let hadNews = transfer.hasNews
            switch event {
            case .bodyWanted:
                sending.isWanted = true
                sendMore()
            case .bodySent(let count): noteSent(count, transfer)
            case .interim(let head): arrived(.interim(head), transfer)
            case .head(let head): arrived(.head(head), transfer)
            case .body(let bytes):
                transfer.lastActivity = loop.now
                if kept.isEmpty, transfer.takesBytes { take(bytes, transfer) } else { keep(bytes) }
            case .end(let trailers): arrived(.end(trailers), transfer)
            case .closed(let end):
                connection.noteRoom()
                arrived(.closed(judged(end, transfer)), transfer)
            }
            if !hadNews, self.transfer === transfer, transfer.hasNews { connection.pool.noteNews(of: transfer) }
        }

        private func arrived(_ part: Kept, _ transfer: SocketTransfer) {
            switch part {
            case .closed: break
            default:
                transfer.lastActivity = loop.now
                transfer.measured.noteBytes(at: loop.now)
            }
            guard kept.isEmpty, transfer.takesBytes else { return kept.append(part) }
            handle(part, transfer)
        }

        private func keep(_ bytes: UnsafeRawBufferPointer) {
            if case .body(var last)? = kept.last, kept.count > keptOffset, last.count < Self.keptPiece {
                // Out of the array, so that the bytes are not copied.
                kept.removeLast()
                last.append(contentsOf: bytes)
                kept.append(.body(last))
            } else {
                kept.append(.body([UInt8](bytes)))
            }
        }

        /// Handles what was kept, as far as the transfer wants it now.
        private func handleKept() {
            while keptOffset < kept.count, let transfer, transfer.takesBytes {
                let part = kept[keptOffset]
                keptOffset += 1
                handle(part, transfer)
            }
            // Also where something is left: with a server that is always ahead of the client there always is.
            kept.removeFirst(min(keptOffset, kept.count))
            keptOffset = 0
            if let transfer { consumeTaken(transfer) }
        }

        private func handle(_ part: Kept, _ transfer: SocketTransfer) {
            switch part {
            case .interim(let head):
                transfer.received(interim: head)
                if head.statusCode == 100 { sendAwaitedBody() }
            case .head(let head):
                if !head.hasBegunWithoutBody { skipAwaitedBody() }
                transfer.received(head)
            case .body(let bytes): bytes.withUnsafeBytes { take($0, transfer) }
            case .end(let trailers): responseEnded(trailers, transfer)
            case .closed(let end): closed(end, transfer)
            }
        }

        private func take(_ bytes: UnsafeRawBufferPointer, _ transfer: SocketTransfer) {
            takenBytes += Int64(bytes.count)
            unconsumed += bytes.count
            transfer.received(bytes, following: max(0, (stream?.declaredLength ?? 0) - takenBytes))
            consumeTaken(transfer)
        }

        /// Gives the server room for more, unless the transfer has enough.
        private func consumeTaken(_ transfer: SocketTransfer) {
            guard unconsumed > 0, self.transfer === transfer, transfer.takesBytes, let stream else { return }
            codec.consume(unconsumed, of: stream)
            unconsumed = 0
        }

        // MARK: Ends

        /// Handles that the response is whole. The request may not be.
        private func responseEnded(_ trailers: HTTPHeaders, _ transfer: SocketTransfer) {
            end = trailers
            skipAwaitedBody()
            if isRequestWritten { return finish(transfer) }
            // RFC 9113 section 8.1: the server wants no more of it, unless it has accepted the request.
            let wantsRest = (200..<300).contains(transfer.head?.statusCode ?? 0) && !sending.isSkipped && !transfer.isDiscarding
            guard wantsRest, stream?.isOver == false else { return finish(transfer) }
            sending.bytesAtLook = sending.bytesSent
            sending.nextLook = loop.now.advanced(by: SocketTransfer.bodyPatience)
            transfer.setTimer()
        }

        /// The codec takes a request for unsent until it has seen what follows it in the output.
        private func judged(_ end: HTTP2StreamEnd, _ transfer: SocketTransfer) -> HTTP2StreamEnd {
            guard end == .refused, let failure = codec.failure, mayHaveBeenSent else { return end }
            return .lost(failure)
        }

        private func closed(_ end: HTTP2StreamEnd, _ transfer: SocketTransfer) {
            switch end {
            case .complete: endEarly(transfer)
            case .failed(let error): transfer.refused(error)
            case .lost(let error):
                transfer.connectionBroke(error, isUnsent: !mayHaveBeenSent, bodyHasBegun: sending.hasOpenedSource)
            case .refused:
                connection.noteRefusal(isExplained: codec.streamLimit < limitAtStart)
                transfer.wasRefused(bodyHasBegun: sending.hasOpenedSource)
            case .needsHTTP1: transfer.needsHTTP1(bodyHasBegun: sending.hasOpenedSource)
            }
        }

        func endEarly(_ transfer: SocketTransfer) {
            guard end != nil else { return transfer.finish(error: nil, closing: true) }
            finish(transfer)
        }

        /// Finishes with a whole response.
        func finish(_ transfer: SocketTransfer) {
            transfer.ended(trailers: end ?? [:])
            leave()
        }

        func close() { leave() }

        private func leave() {
            guard transfer != nil else { return }
            transfer = nil
            kept = []
            keptOffset = 0
            // A stream whose two sides have ended closes by itself.
            if let stream, end == nil || !isRequestWritten { codec.cancel(stream) }
            endSending()
            connection.left(self)
        }

        /// Has news of a transfer reported.
        func finishWork(for transfer: SocketTransfer) {
            if self.transfer === transfer, transfer.hasNews { connection.pool.noteNews(of: transfer) }
        }
    }
#endif
