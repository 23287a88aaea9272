#if os(Linux)
    /// What a transport asks of its pool, on the loop's thread.
    enum PoolCommand: Sendable {
        case start(NewTransfer)
        case cancel(TransportTaskID)
        case pause(TransportTaskID)
        case resume(TransportTaskID)
        case proceed(TransportTaskID, TransportRequest.HeldBody)
        case acknowledge(TransportTaskID, bytes: Int)
        case resolved(NameResolver.Question, NameResolver.Answer)
        /// For the transfer with this id, if it waits for the connection with this ticket.
        case connected(TransportTaskID, ticket: UInt64, UnixConnector.Answer)
        /// Whether there is a way to where transfers lead.
        case network(NetworkDestination, UInt64, NetworkAnswer)
        /// A piece of a request's body.
        case piece(TransportTaskID, PiecePlace, BodyPiece)
        /// Go on decoding what is left of the bytes that were received.
        case decode(TransportTaskID)
        /// The authorities are read.
        case contextIsRead(TLSOptions, Result<TLSContext, TLSFailure>)
        case answer(TransportTaskID, TransportAnswer)
        case webSocket(TransportTaskID, WebSocketCommand)
        /// Go on sending the messages of a WebSocket.
        case goOnSending(TransportTaskID)
        case closeIdleConnections
        case close
        /// For tests: inspects state that only the loop may access.
        case inspect(@Sendable () -> Void)
    }

    /// What a piece of a body answers: a source may answer late, or twice.
    struct PiecePlace: Sendable {
        /// The number of the sending of the request, from 1.
        let `try`: Int
        /// The number of the piece, from 1.
        let ask: Int
    }

    /// Carries a transfer to the loop's thread. It is made by the thread that starts the request, because passing a request on as a value
    /// would copy it several times.
    struct NewTransfer: @unchecked Sendable {
        // Sound because the thread that has made it does nothing else with it.
        let transfer: SocketTransfer
    }

    extension ConnectionPool {
        func execute(_ command: PoolCommand) {
            switch command {
            case .start(let new): start(new.transfer)
            case .cancel(let id): transfers[id]?.cancel()
            case .pause(let id): transfers[id]?.setPaused(true)
            case .resume(let id): transfers[id]?.setPaused(false)
            case .proceed(let id, let body): transfers[id]?.proceed(body)
            case .acknowledge(let id, let bytes): transfers[id]?.acknowledge(bytes)
            case .resolved(let question, let answer): resolved(question, answer)
            case .connected(let id, let ticket, let answer): connected(id, ticket, answer)
            case .network(let destination, let number, let answer): networkIs(answer, for: destination, number)
            case .piece(let id, let place, let piece): transfers[id]?.received(piece, at: place)
            case .decode(let id): transfers[id]?.exchange?.flowHasChanged()
            case .contextIsRead(let options, let result): security.contextIsRead(options, result)
            case .answer(let id, let answer): transfers[id]?.answer(answer)
            case .webSocket(let id, let command): transfers[id]?.upgrade?.connection?.perform(command)
            case .goOnSending(let id): transfers[id]?.upgrade?.connection?.goOnSending()
            case .closeIdleConnections: closeIdleConnections()
            case .close: close()
            case .inspect(let look): look()
            }
        }
    }
#endif
