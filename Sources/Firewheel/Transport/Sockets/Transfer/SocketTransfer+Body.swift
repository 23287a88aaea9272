#if os(Linux)
    import Foundation

    /// The response's body: decoded, counted, and collected or handed over in pieces.
    extension SocketTransfer {
        /// The sizes of pieces that are read in place.
        static let leastPiece = 16_384
        private static let mostPiece = PieceMemory.size
        /// The most bytes that are decoded in one turn: a body can expand a thousand times.
        private static let workOfTurn = 2 << 20
        /// Pieces of one turn that are together smaller than this are joined.
        private static let joinedPiece = 65_536
        /// Bytes that are fewer than this begin no large piece.
        private static let leastJoined = 4_096

        /// Room to read the next bytes of the body into; nil if they have to be looked at first.
        ///
        /// - Parameter plain: The number of bytes that certainly belong to the body.
        func bodyRoom(_ plain: Int64) -> UnsafeMutableRawBufferPointer? {
            guard decoder == nil, !isDiscarding, plain >= Self.leastPiece else { return nil }
            switch request.delivery {
            case .whole: return body.room(expected: plain)
            case .chunks: return pieceSpace(expected: min(plain, Int64(max(Self.leastPiece, request.receiveWindow - outstanding))))
            }
        }

        /// Room behind what the next piece has; nil if the system has no memory left.
        private func pieceSpace(expected: Int64) -> UnsafeMutableRawBufferPointer? {
            if let pieceRoom { return UnsafeMutableRawBufferPointer(rebasing: pieceRoom[pieceFilled...].prefix(Int(clamping: expected))) }
            let isLarge = pieceSize == Self.mostPiece
            guard let memory = isLarge ? PieceMemory.shared.take() : malloc(pieceSize) else { return nil }
            let room = UnsafeMutableRawBufferPointer(start: memory, count: Int(min(Int64(pieceSize), expected)))
            pieceIsLarge = isLarge
            pieceRoom = room
            return room
        }

        /// Handles that bytes of the body were read into the room.
        func filledRoom(_ count: Int) {
            measured.bodyBytesReceived += Int64(count)
            if let limit = request.maximumBodySize, count > limit - measured.decodedBytes { return fail(.bodyTooLarge) }
            measured.decodedBytes += count
            guard request.delivery == .chunks else { return body.commit(count) }
            filledPiece(count)
        }

        private func filledPiece(_ count: Int) {
            pieceFilled += count
            noteOutstanding(count)
            if pieceFilled == pieceRoom?.count { endPiece() }
        }

        /// Ends the piece that is being filled, if there is one.
        private func endPiece() {
            guard pieceFilled > 0, let room = pieceRoom, let memory = room.baseAddress else { return }
            let count = pieceFilled
            pieceFilled = 0
            // The next piece is larger if this one was filled, and smaller if most of it was not.
            if count == room.count { pieceSize = min(pieceSize * 2, Self.mostPiece) }
            if count < room.count / 4 { pieceSize = max(pieceSize / 2, Self.leastPiece) }
            // Small pieces must not hold large memory.
            if pieceIsLarge, count < room.count / 2 {
                pieces.append(Data(bytes: memory, count: count))
                return freePieceRoom()
            }
            pieceRoom = nil
            if pieceIsLarge { return pieces.append(PieceMemory.shared.data(memory, count: count)) }
            let fitted = count < room.count / 2 ? realloc(memory, count) ?? memory : memory
            pieces.append(Data(bytesNoCopy: fitted, count: count, deallocator: .free))
        }

        func freePieceRoom() {
            guard let memory = pieceRoom?.baseAddress else { return }
            if pieceIsLarge { PieceMemory.shared.giveBack(memory) } else { free(memory) }
            pieceRoom = nil
            pieceFilled = 0
        }

        /// Handles bytes of the body that were read elsewhere.
        ///
        /// - Parameter following: The number of bytes that are expected behind these, if it is known; 0 otherwise.
        func received(_ bytes: UnsafeRawBufferPointer, following: Int64) {
            measured.bodyBytesReceived += Int64(bytes.count)
            if isDiscarding { return discard(bytes.count) }
            if let decoder { return decode(bytes, with: decoder) }
            if let limit = request.maximumBodySize, bytes.count > limit - measured.decodedBytes { return fail(.bodyTooLarge) }
            measured.decodedBytes += bytes.count
            switch request.delivery {
            case .whole: if !body.append(bytes, following: following) { fail(.failed(.unknown, "out of memory")) }
            case .chunks: collect(bytes)
            }
        }

        /// Joins bytes of a body to large pieces.
        private func collect(_ bytes: UnsafeRawBufferPointer) {
            // A copy of its own is cheaper for a small body.
            if pieceFilled == 0, bytes.count < Self.leastJoined { return keep(Data(bytes)) }
            var rest = bytes
            while !rest.isEmpty {
                guard let room = pieceSpace(expected: .max) else { return fail(.failed(.unknown, "out of memory")) }
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(room.count))
                room.copyMemory(from: part)
                filledPiece(part.count)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            }
        }

        private func keep(_ piece: Data) {
            endPiece()
            pieces.append(piece)
            noteOutstanding(piece.count)
        }

        func noteOutstanding(_ count: Int) {
            outstanding += count
            if outstanding >= request.receiveWindow { isWindowFull = true }
        }

        var hasPieces: Bool { !pieces.isEmpty || pieceFilled > 0 }

        /// The pieces since the last call.
        func takePieces() -> [Data] {
            endPiece()
            guard pieces.count > 1 else {
                defer { pieces.removeAll() }
                return pieces
            }
            defer { pieces.removeAll(keepingCapacity: true) }
            var joined: [Data] = []
            var last = Data()
            for piece in pieces {
                if !last.isEmpty, last.count + piece.count > Self.joinedPiece {
                    joined.append(last)
                    last = piece
                } else if last.isEmpty {
                    last = piece
                } else {
                    last.append(piece)
                }
            }
            joined.append(last)
            return joined
        }

        // MARK: Codings

        /// Decodes as much as the client has room for and one turn has time for, and keeps the rest.
        private func decode(_ bytes: UnsafeRawBufferPointer, with decoder: ContentDecoder) {
            var rest = bytes
            var budget = Self.workOfTurn
            while true {
                do throws(TransportError) {
                    let progress = try decodeStep(rest, with: decoder)
                    rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
                    if progress.isDrained { return }
                    // Between several codings more bytes may pass than come out.
                    let isHidden = progress.written == 0 || decoder.hasSeveralCodings
                    budget -= isHidden ? ContentDecoder.workOfCall : progress.written
                } catch {
                    return fail(error)
                }
                guard budget > 0, !isWindowFull else { break }
            }
            encodedRest = [UInt8](rest)
            needsDecoding = true
            guard !isWindowFull else { return }
            lastActivity = loop.now
            loop.inbox.post(LoopMessage(pool: PoolReference(object: pool), command: .decode(id)))
        }

        private func decodeStep(_ bytes: UnsafeRawBufferPointer, with decoder: ContentDecoder) throws(TransportError)
            -> ContentDecoder.Progress
        {
            let progress: ContentDecoder.Progress
            switch request.delivery {
            case .whole:
                guard let room = body.room(expected: Int64(ContentDecoder.pieceSize)) else { throw .failed(.unknown, "out of memory") }
                progress = try decoder.decode(bytes, into: room)
                body.commit(progress.written)
            case .chunks:
                progress = try decoder.decode(bytes, room: max(1, request.receiveWindow - outstanding)) { keep($0) }
            }
            measured.decodedBytes += progress.written
            return progress
        }

        /// Decodes what was kept. False if the client still has no room for all of it.
        func decodeRest() -> Bool {
            guard needsDecoding, let decoder else { return true }
            needsDecoding = false
            let rest = encodedRest
            encodedRest = []
            rest.withUnsafeBytes { decode($0, with: decoder) }
            return !needsDecoding
        }

        // MARK: Flow control

        func acknowledge(_ bytes: Int) {
            outstanding = max(0, outstanding - max(0, bytes))
            if outstanding == 0, let connection = upgrade?.connection { connection.messagesWereConsumed() }
            guard isWindowFull, outstanding <= request.receiveWindow / 2 else { return }
            isWindowFull = false
            restartClocks()
            exchange?.flowHasChanged()
            setTimer()
        }

        /// Whether the client wants no more of the response for now.
        var isStopped: Bool { isPaused || isHeadHeld || isWindowFull }

        /// Whether received bytes can be handled.
        var takesBytes: Bool { !isStopped && !needsDecoding }
    }
#endif
