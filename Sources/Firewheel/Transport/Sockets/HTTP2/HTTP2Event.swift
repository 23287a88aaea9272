#if os(Linux)
    /// What happens to one request over HTTP/2.
    ///
    /// In order: any number of `interim`s, at most one `head`, any number of `body`s, at most one `end`, exactly one `closed`. `bodyWanted`
    /// and `bodySent` can come anywhere before `closed`.
    enum HTTP2StreamEvent {
        /// The head of an interim response (1xx).
        case interim(ResponseHead)
        /// The head of the final response.
        case head(ResponseHead)
        /// The next bytes of the body, valid within the call. Give them back with ``HTTP2Codec/consume(_:of:)``, or the server stops.
        case body(UnsafeRawBufferPointer)
        /// The response is whole. The request may not be.
        case end(trailers: HTTPHeaders)
        /// There is room for the next piece of the request's body: ``HTTP2Codec/send(_:on:)`` or ``HTTP2Codec/endBody(of:trailers:)``.
        case bodyWanted
        /// This many more bytes of the request's body were written to the output.
        case bodySent(Int)
        /// The stream is over.
        case closed(HTTP2StreamEnd)
    }

    /// How a stream ended.
    enum HTTP2StreamEnd: Equatable {
        /// The response is whole. If the request is not, the server did not want the rest (RFC 9113 section 8.1).
        case complete
        /// The server has not processed the request, which can be sent again on another connection, whatever its method (section 8.7).
        case refused
        /// The server wants the request over HTTP/1.1 and has not processed it.
        case needsHTTP1
        /// The server has ended the stream with an error, or the response or the connection breaks the rules.
        case failed(TransportError)
        /// The connection is lost. The server may have acted on the request.
        case lost(TransportError)
    }

    /// What happens to a connection over HTTP/2.
    enum HTTP2ConnectionEvent {
        /// ``HTTP2Codec/canSubmit`` may have changed: the server has changed its limits, or a stream that was given up has left.
        case roomChanged
        /// The server accepts no further requests. Those that it has not processed are `refused`, the others go on.
        case goAway(HTTP2GoAway)
        /// The server has answered a ping.
        case pong
        /// The connection cannot be used any more: send what the codec still gives, and close it. Comes last.
        case failed(TransportError)
    }

    /// Handles the events of streams. The codec holds it until `closed`, or until the stream is cancelled.
    protocol HTTP2StreamOwner: AnyObject {
        func received(_ event: HTTP2StreamEvent, on stream: HTTP2Stream)
    }

    /// Handles the events of a connection.
    protocol HTTP2ConnectionOwner: AnyObject {
        func received(_ event: HTTP2ConnectionEvent)
    }
#endif
