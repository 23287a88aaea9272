#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// Bytes to send, and the bodies of requests within them.
    extension HTTP2Codec {
        /// Whether there are bytes to send.
        var wantsToSend: Bool { !held.isEmpty || fwhttp2_wants_to_send(session) }

        /// Appends bytes to send, at least this many unless there are fewer. Events wait for ``deliverEvents()``.
        func takeOutput(to output: inout [UInt8], least: Int) {
            let before = output.count
            if !held.isEmpty {
                output.append(contentsOf: held)
                held = []
            }
            takeFromLibrary(to: &output, least: max(0, least - (output.count - before)))
        }

        /// Takes what says why the library has ended the connection, which it tells only then. Bodies stay where they are, and so does what
        /// is beyond a limit: they wait for the socket.
        func takeEarly() {
            if held.count < Self.mostHeld { takeFromLibrary(to: &held, least: Self.mostHeld - held.count, bodies: false) }
        }

        private func takeFromLibrary(to output: inout [UInt8], least: Int, bodies: Bool = true) {
            swap(&self.output, &output)
            let result = fwhttp2_send(session, least, bodies)
            swap(&self.output, &output)
            if result < 0, failure == nil { fail(HTTP2Words.library(result)) }
        }

        func send(_ bytes: UnsafeRawBufferPointer) { output.append(contentsOf: bytes) }

        func headWasSent(_ stream: HTTP2Stream?) { stream?.isSent = true }

        func goAwayWasSent(_ code: HTTP2ErrorCode, _ text: String) {
            if code != .noError { fail(HTTP2Words.violation(code, text)) }
        }

        /// How many bytes of a body can be sent, and what follows them.
        func readBody(of stream: HTTP2Stream, limit: Int) -> (count: Int, next: Int) {
            guard !stream.isOver, let body = stream.outgoing, !body.isHeld else { return (0, FWHTTP2_BODY_LATER) }
            let count = min(limit, body.queuedBytes)
            guard count == body.queuedBytes else { return (count, FWHTTP2_BODY_MORE) }
            guard body.hasEnd else {
                if !body.isAsked {
                    stream.outgoing?.isAsked = true
                    post(.bodyWanted, stream)
                }
                return (count, count > 0 ? FWHTTP2_BODY_MORE : FWHTTP2_BODY_LATER)
            }
            guard !body.trailers.isEmpty else { return (count, FWHTTP2_BODY_END) }
            let id = stream.id
            let result = body.trailers.withFields { fwhttp2_submit_trailers(session, id, $0.baseAddress, $0.count) }
            return (count, result == 0 ? FWHTTP2_BODY_TRAILERS : FWHTTP2_BODY_END)
        }

        func writeBody(of stream: HTTP2Stream, frameHead: UnsafeRawBufferPointer, count: Int) {
            output.append(contentsOf: frameHead)
            meter.earn(count + 10)
            // The library asks for the bytes as soon as it knows that they are there.
            stream.outgoing?.take(count, to: &output)
            guard count > 0 else { return }
            if stream.unreportedBytes == 0, !stream.isOver { events.append(.bodySent(stream)) }
            stream.unreportedBytes += count
        }
    }
#endif
