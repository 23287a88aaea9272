#if os(Linux)
    import Foundation

    /// Sends requests. A body from a source is asked for its next piece when all before it has been passed to the kernel.
    extension HTTP1Connection {
        /// Bodies up to this size are copied behind the head, so that one call sends all.
        private static let joinedBody = 32_768
        /// The most bytes of one turn, so that a fast server does not hold up other connections: `send` goes on for as long as the
        /// server reads.
        private static let mostBytes = 1 << 20

        var nextLook: MonotonicInstant? { sending.nextLook }

        /// Writes the request, and sends as much of it as the kernel takes.
        func sendRequest() {
            guard let transfer else { return }
            sending.hasBegun = true
            sending.output = loop.takeOutput()
            transfer.measured.requestStart = loop.now
            var ofUpgrade: HTTPHeaders?
            if let upgrade = transfer.upgrade {
                do throws(TransportError) { ofUpgrade = try transfer.makeHeadersForUpgrade(upgrade) } catch { return transfer.fail(error) }
            }
            do throws(RequestWriter.Problem) {
                try sending.writer.writeHead(
                    method: transfer.request.method, target: transfer.request.target, form: transfer.isForwarded ? .absolute : .origin,
                    headers: ofUpgrade ?? (transfer.isForwarded ? transfer.makeHeadersForProxy() : transfer.request.headers),
                    body: BodySource.length(of: transfer.request.bodySource),
                    expectsContinue: transfer.request.expectsContinue, to: &sending.output)
                transfer.measured.headBytesSent = Int64(sending.output.count)
                expectResponse(to: transfer, isLast: sending.writer.isLast)
                if let source = transfer.request.bodySource {
                    if transfer.request.expectsContinue, source.length != 0 {
                        sending.source = .awaitsContinue(source)
                        sending.nextLook = loop.now.advanced(by: transfer.request.continuePatience)
                    } else {
                        try open(source, transfer)
                    }
                }
            } catch {
                return transfer.fail(.failed(.badURL, "the request cannot be written"))
            }
            flush()
        }

        private func open(_ source: BodySource, _ transfer: SocketTransfer) throws(RequestWriter.Problem) {
            sending.hasOpenedSource = true
            switch source.open() {
            case .data(let data): try append(data)
            case .reader(let reader): sending.source = .reader(reader, isAsked: false)
            }
        }

        /// Puts a piece of the body behind what is to be sent. Small ones are copied, so that one call sends piece and framing.
        private func append(_ piece: Data) throws(RequestWriter.Problem) {
            if piece.count <= Self.joinedBody {
                try sending.writer.write(piece, to: &sending.output)
                sending.outputBody += piece.count
            } else {
                try sending.writer.beginPiece(piece.count, to: &sending.output)
                sending.piece = piece
                sending.pieceOffset = 0
            }
        }

        /// Sends the body that waits for the server's consent.
        func sendAwaitedBody() {
            guard case .awaitsContinue(let source) = sending.source, let transfer else { return }
            sending.source = .ended
            sending.nextLook = nil
            do throws(RequestWriter.Problem) { try open(source, transfer) } catch {
                return transfer.fail(.failed(.unknown, "the request cannot be written"))
            }
            flush()
        }

        /// Handles a response that needs no body: one that waits for the server's consent is not sent (RFC 9110 section 10.1.1).
        func skipAwaitedBody() {
            guard case .awaitsContinue = sending.source else { return }
            sending.source = .ended
            sending.nextLook = nil
            // The connection cannot be used again, because the server may still wait for the body.
            sending.hasFailed = true
            sending.isComplete = true
            sending.isBlocked = false
        }

        // MARK: Sending

        /// Passes on what there is, and asks for more.
        func flush() {
            guard let transfer, sending.hasBegun, !sending.isComplete, !sending.hasFailed, !transfer.isPaused else { return }
            sending.isBlocked = false
            var budget = Self.mostBytes
            while true {
                let sent: Wire.Sent
                if sending.outputOffset < sending.output.count {
                    sent = sendOutput(upTo: budget)
                } else if let piece = sending.piece {
                    sent = send(piece, upTo: budget)
                } else {
                    return goOn(transfer)
                }
                switch sent {
                case .bytes(let count):
                    transfer.lastActivity = loop.now
                    sending.bytesSent += count
                    budget -= count
                    noteSent(count, transfer)
                    guard budget > 0 else {
                        sending.isBlocked = true
                        return
                    }
                case .nothing:
                    sending.isBlocked = true
                    return
                case .failed(let code): return sendingBroke(code, transfer)
                }
            }
        }

        private func sendOutput(upTo limit: Int) -> Wire.Sent {
            sending.output.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sending.outputOffset...].prefix(limit))
                return wire.send(rest, hasMore: sending.piece != nil)
            }
        }

        private func send(_ piece: Data, upTo limit: Int) -> Wire.Sent {
            piece.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sending.pieceOffset...].prefix(limit))
                return wire.send(rest, hasMore: sending.writer.endsPieces)
            }
        }

        private func noteSent(_ count: Int, _ transfer: SocketTransfer) {
            let isFirst = transfer.measured.bodyBytesSent == 0
            defer {
                // From now on the kernel may hold bytes, which is looked at before the idle timeout.
                if isFirst, transfer.measured.bodyBytesSent > 0 { transfer.setTimer() }
            }
            if sending.outputOffset < sending.output.count {
                sending.outputOffset += count
                guard sending.outputOffset == sending.output.count else { return }
                transfer.measured.bodyBytesSent += Int64(sending.outputBody)
                sending.outputBody = 0
                sending.outputOffset = 0
                let buffer = sending.output
                sending.output = []
                loop.giveBack(buffer)
            } else if let piece = sending.piece {
                sending.pieceOffset += count
                transfer.measured.bodyBytesSent += Int64(count)
                guard sending.pieceOffset == piece.count else { return }
                sending.piece = nil
                sending.writer.endPiece(to: &sending.output)
            }
        }

        /// Goes on when all that there was has been sent.
        private func goOn(_ transfer: SocketTransfer) {
            switch sending.source {
            case .awaitsContinue: break
            case .reader(let reader, let isAsked):
                guard !isAsked else { break }
                sending.source = .reader(reader, isAsked: true)
                sending.asks += 1
                transfer.ask(reader, number: sending.asks)
            case .ended:
                sending.isComplete = true
                sending.nextLook = nil
                transfer.measured.requestEnd = loop.now
                if sending.end != nil { endEarly(transfer) }
            }
        }

        func received(_ piece: BodyPiece, for ask: Int) {
            guard let transfer, ask == sending.asks, case .reader(let reader, isAsked: true) = sending.source else { return }
            sending.source = .reader(reader, isAsked: false)
            do throws(RequestWriter.Problem) {
                switch piece {
                case .data(let data): try append(data)
                case .end(let trailers):
                    try sending.writer.end(trailers: trailers, to: &sending.output)
                    sending.source = .ended
                    reader.close()
                case .failed(let error): return transfer.fail(error)
                }
            } catch {
                return transfer.fail(transfer.request.error(for: error))
            }
            flush()
            finishWork(for: transfer)
        }

        // MARK: Ends

        /// Handles that the server takes no more. It may have answered before: the loop reports the socket again, to be read to its end.
        private func sendingBroke(_ code: Int32, _ transfer: SocketTransfer) {
            sending.hasFailed = true
            sending.errorCode = code
            sending.nextLook = nil
            endSource()
            if sending.end != nil { endEarly(transfer) }
        }

        func look() {
            guard let transfer else { return }
            sending.nextLook = nil
            if case .awaitsContinue = sending.source {
                sendAwaitedBody()
                return finishWork(for: transfer)
            }
            guard sending.end != nil else { return }
            let isStuck = sending.bytesSent == sending.bytesAtLook && !transfer.isPaused
            guard !isStuck else { return endEarly(transfer) }
            sending.bytesAtLook = sending.bytesSent
            sending.nextLook = loop.now.advanced(by: SocketTransfer.bodyPatience)
        }

        private func endSource() {
            if case .reader(let reader, _) = sending.source { reader.close() }
            sending.source = .ended
        }

        /// Releases what is left of a request.
        func endSending() {
            endSource()
            sending.output = []
            sending.piece = nil
            sending.end = nil
            sending.nextLook = nil
        }
    }
#endif
