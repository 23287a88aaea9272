#if os(Linux)
    import Foundation

    /// One request and its response on a connection that speaks HTTP/2. Its codec moves the bytes.
    final class HTTP2Stream {
        /// Odd, and larger than those before (RFC 9113 section 5.1.1).
        @exclusivity(unchecked) var id: Int32 = 0
        /// nil once nothing more is reported.
        @exclusivity(unchecked) var owner: (any HTTP2StreamOwner)?
        /// Where the codec lists the stream; nil once the library has forgotten it.
        @exclusivity(unchecked) var place: Int?
        /// Whether `closed` is posted, or the stream is cancelled.
        @exclusivity(unchecked) var isOver = false

        // The request.
        let isHead: Bool
        /// The size of its fields as lines of HTTP/1, which is what metrics count.
        @exclusivity(unchecked) var headBytesSent = 0
        /// Whether its fields were written to the output.
        @exclusivity(unchecked) var isSent = false
        @exclusivity(unchecked) var outgoing: HTTP2OutgoingBody?
        /// The bytes of the body that were written and not reported.
        @exclusivity(unchecked) var unreportedBytes = 0

        // The response.
        @exclusivity(unchecked) var hasHead = false
        /// Whether the server has ended its side, so that the response is whole.
        @exclusivity(unchecked) var hasEnded = false
        /// The bytes of heads and trailer fields.
        @exclusivity(unchecked) var headBytes = 0
        /// How long the body must be; nil if anything goes.
        @exclusivity(unchecked) var declaredLength: Int64?
        @exclusivity(unchecked) var receivedBytes: Int64 = 0
        /// The code with which the server has reset the stream.
        @exclusivity(unchecked) var resetCode: HTTP2ErrorCode?

        init(isHead: Bool, owner: any HTTP2StreamOwner) {
            self.isHead = isHead
            self.owner = owner
        }

        /// How many bytes of the body are still to come; nil if it is not known.
        var missingBytes: Int64? { declaredLength.map { $0 - receivedBytes } }

        /// Whether the whole request was written to the output.
        var isRequestSent: Bool { isSent && (outgoing?.isSent ?? true) }

        var phase: TransferPhase {
            if hasHead { return .receiving }
            return isRequestSent ? .waiting : .sending
        }
    }

    /// The body of a request as far as it is known, and what follows it.
    struct HTTP2OutgoingBody {
        /// The bytes that the body is still to get; nil if its length is not known.
        private(set) var missing: UInt64?
        /// Pieces that were not written to the output yet.
        private var pieces: [Data] = []
        /// How many bytes of the first piece were.
        private var offset = 0
        /// The bytes of all pieces that were not.
        private(set) var queuedBytes = 0
        /// Whether no more pieces come.
        private(set) var hasEnd = false
        /// The trailer fields; empty if there are none.
        private(set) var trailers = HTTP2FieldList()
        /// Whether a piece was asked for.
        var isAsked = false
        /// Whether nothing of it may be written for now.
        var isHeld = false

        /// - Parameter length: nil if it is not known.
        init(length: UInt64?) { missing = length }

        var isSent: Bool { hasEnd && queuedBytes == 0 }

        mutating func append(_ piece: Data) throws(RequestWriter.Problem) {
            guard !hasEnd else { throw .wrongLength }
            if let missing {
                guard UInt64(piece.count) <= missing else { throw .wrongLength }
                self.missing = missing - UInt64(piece.count)
            }
            isAsked = false
            guard !piece.isEmpty else { return }
            pieces.append(piece)
            queuedBytes += piece.count
        }

        mutating func end(trailers: HTTPHeaders) throws(RequestWriter.Problem) {
            guard !hasEnd, missing ?? 0 == 0 else { throw .wrongLength }
            try self.trailers.write(trailers: trailers)
            hasEnd = true
        }

        /// Moves bytes of the pieces to the output. There are as many.
        mutating func take(_ count: Int, to output: inout [UInt8]) {
            var rest = min(count, queuedBytes)
            queuedBytes -= rest
            while rest > 0, let piece = pieces.first {
                let taken = min(rest, piece.count - offset)
                piece.withUnsafeBytes { output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + taken)])) }
                offset += taken
                rest -= taken
                if offset == piece.count {
                    pieces.removeFirst()
                    offset = 0
                }
            }
        }
    }
#endif
