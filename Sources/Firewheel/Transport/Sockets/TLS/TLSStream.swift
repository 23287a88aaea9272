#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// One TLS connection over a connected socket. Used on the loop's thread only, between ``TLSGate/enter()`` and ``TLSGate/leave()``.
    ///
    /// It watches no socket: its owner calls again when the socket is ready for what the last call wanted.
    final class TLSStream {
        /// What a step of the handshake has come to.
        enum Step {
            case done
            case wantsReading
            case wantsWriting
            /// The handshake stands still until ``answer(_:)``, and the socket is not to be watched.
            case asks(ServerCertificates)
            case failed(TLSFailure)
        }

        enum Received {
            /// ``TLSStream/hasMore`` tells whether to call again at once.
            case bytes(Int)
            /// Nothing for now. After a series of records that were not data ``TLSStream/hasMore`` may be set nevertheless.
            case wouldBlock
            /// The socket has to take an answer to the server first.
            case wantsWriting
            /// The server sends no more, and has said so (close_notify).
            case ended
            /// The connection has ended without close_notify: what has come may have been cut short (RFC 8446 section 6.1).
            case truncated
            case failed(TLSFailure)
        }

        enum Sent {
            /// At most a record.
            case bytes(Int)
            /// The next call has to begin with the same bytes, and may have more or fewer.
            case wouldBlock
            /// As `wouldBlock`, but until the socket can be read.
            case wantsReading
            case failed(TLSFailure)
        }

        private enum State {
            case handshake
            case asking(ServerCertificates)
            case ready
        }

        let peer: TLSPeer
        private let context: TLSContext
        private let sessions: TLSSessions?
        /// The connection that carries this one's bytes; nil if the socket does.
        private let carrier: TLSStream?
        private let key: TLSSessions.Key
        /// The session that was offered to the server.
        private let session: TLSSession?
        /// nil when closed.
        private var stream: OpaquePointer?
        private var state = State.handshake
        private var refusal: TransportError?
        private let asksForStatus: Bool

        /// The certificates that were verified, from the server's own to the anchor, or as many as a chain could be built of; for a resumed
        /// connection those of its session. Empty before the handshake has finished.
        private(set) var verifiedChain: [Data] = []
        /// When the first of these expires, or the first revocation list, or the client's verdict, in seconds since 1970.
        private var chainEnd: Int64 = 0
        /// For how many seconds a client's verdict serves resumed sessions. Each of them may bring another, without end.
        private static let longestVerdict: Int64 = 86_400
        var options: TLSOptions { context.options }
        // Taken when the handshake has finished, since they are read when the gate may be closed.
        /// `"TLSv1.3"`; nil before the handshake has finished.
        private(set) var version: String?
        /// By its name in RFCs: `"TLS_AES_256_GCM_SHA384"`.
        private(set) var cipher: String?
        /// The protocol that the server has chosen by ALPN; nil for none.
        private(set) var negotiatedProtocol: String?
        /// Whether a session was resumed, so that no certificate was shown.
        private(set) var isResumed = false
        /// Whether the server has seen the client's certificate; for a resumed connection, in the handshake of its session.
        private var hasShownIdentity = false
        /// For the metrics of its requests; nil before the handshake has finished.
        private(set) var details: ConnectionDetails?

        /// - Parameters:
        ///   - descriptor: A connected, non-blocking socket, which has to outlive the stream and stays the caller's.
        ///   - carrier: A connection over that socket that carries this one's bytes, as that to a proxy does. Nobody else may use it, and
        ///     it is closed with the stream. Default: nil, none.
        ///   - protocols: The names to offer by ALPN.
        ///   - sessions: Where a session to resume is taken from, and where those that the server issues are kept; nil to resume none.
        init(
            _ context: TLSContext, descriptor: Int32, carrier: TLSStream? = nil, peer: TLSPeer, protocols: [String], sessions: TLSSessions?
        ) throws(TLSFailure) {
            guard let name = peer.certificateName else { throw .hostName }
            self.context = context
            self.carrier = carrier
            self.peer = peer
            self.sessions = sessions
            key = TLSSessions.Key(
                context: context.id, name: name, isAddress: peer.isAddress, port: peer.port, protocols: protocols)
            session = sessions?.take(for: key)
            asksForStatus = context.options.trust?.judge?.wantsStapledResponse(of: peer.host) ?? false
            let offer = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + $0.utf8 }
            stream = fwtls_stream_create(
                context.context, descriptor, carrier?.stream, name, peer.isAddress, offer, offer.count, session?.session)
            guard let stream else { throw peer.isAddress ? .hostName : .outOfMemory }
            if asksForStatus, !fwtls_request_status(stream) { throw .outOfMemory }
        }

        deinit { close() }

        // MARK: Handshake

        /// Goes on with the handshake. One step may take a millisecond of processor time.
        func handshake() -> Step {
            guard let stream else { return .failed(.closed) }
            if case .asking(let certificates) = state { return .asks(certificates) }
            switch Int(fwtls_handshake(stream)) {
            case FWTLS_DONE:
                if case .handshake = state, let failure = finishHandshake(stream) {
                    return .failed(handshakeFailure(failure, stream))
                }
                return .done
            case FWTLS_WANTS_READ: return .wantsReading
            case FWTLS_WANTS_WRITE: return .wantsWriting
            case FWTLS_ASKS:
                let finding = finding
                var certificates = ServerCertificates(
                    host: peer.host, chain: Self.chain(stream, FWTLS_PRESENTED),
                    verifiedChain: finding == nil ? Self.chain(stream, FWTLS_VERIFIED) : [],
                    failure: finding.map { TLSFailure.certificate($0).error(for: peer, options: options) },
                    stapledResponse: Self.stapledResponse(stream))
                certificates.rules = options.trust?.rules
                certificates.hasAskedForStatus = asksForStatus
                state = .asking(certificates)
                return .asks(certificates)
            case FWTLS_TRUNCATED:
                return .failed(handshakeFailure(.closed, stream))
            default:
                return .failed(handshakeFailure(failure(stream), stream))
            }
        }

        /// Answers the handshake's question. It goes on with the next call of ``handshake()``, which also tells the server of a refusal.
        func answer(_ answer: TransportAnswer) {
            guard let stream, case .asking = state else { return }
            state = .handshake
            switch answer {
            case .accept: fwtls_answer(stream, true)
            case .refuse(let error):
                refusal = error
                fwtls_answer(stream, false)
            }
        }

        /// What OpenSSL itself has found about the certificates; nil if it trusts them, or has not seen any.
        var finding: TLSFinding? {
            guard let stream else { return nil }
            let found = fwtls_stream_finding(stream)
            guard found.result != 0 else { return nil }
            return TLSFinding(
                result: Int(found.result), text: String(cString: fwtls_verification_text(context.library.functions, found.result)),
                depth: Int(found.depth), presented: Int(found.presented), subject: Self.text(stream, FWTLS_SUBJECT),
                issuer: Self.text(stream, FWTLS_ISSUER), notBefore: Self.text(stream, FWTLS_NOT_BEFORE),
                notAfter: Self.text(stream, FWTLS_NOT_AFTER))
        }

        private func finishHandshake(_ stream: OpaquePointer) -> TLSFailure? {
            let chosen = Self.negotiatedProtocol(stream)
            if let failure = Self.failure(ofChoice: chosen, offered: key.protocols) { return failure }
            state = .ready
            version = fwtls_stream_version(stream).map { String(cString: $0) }
            cipher = fwtls_stream_cipher(stream).map { String(cString: $0) }
            negotiatedProtocol = chosen
            isResumed = fwtls_stream_is_resumed(stream)
            if isResumed, let session {
                (verifiedChain, chainEnd) = (session.verifiedChain, session.chainEnd)
                hasShownIdentity = session.hasShownIdentity
            } else {
                hasShownIdentity = fwtls_stream_has_signed(stream)
                (verifiedChain, chainEnd) = (Self.chain(stream, FWTLS_VERIFIED), min(fwtls_chain_end(stream), context.listEnd))
                if options.asksTrust { chainEnd = min(chainEnd, Int64(time(nil)) + Self.longestVerdict) }
            }
            let subject = hasShownIdentity ? options.identity?.identity.certificate.subject : nil
            details = ConnectionDetails(chain: verifiedChain, clientSubject: subject)
            keepSessions(stream)
            return nil
        }

        /// The server has to choose a protocol that was offered (RFC 7301 section 3.2). OpenSSL checks it only in newer releases.
        static func failure(ofChoice name: String?, offered: [String]) -> TLSFailure? {
            guard let name, !offered.contains(name) else { return nil }
            return .unofferedProtocol(name)
        }

        private func handshakeFailure(_ failure: TLSFailure, _ stream: OpaquePointer) -> TLSFailure {
            if let session { sessions?.forget(session, of: key) }
            if let refusal { return .refused(refusal) }
            return finding.map { .certificate($0) } ?? failure
        }

        private func failure(_ stream: OpaquePointer) -> TLSFailure {
            let problem = fwtls_stream_problem(stream)
            if problem.system_error == ENOMEM { return .outOfMemory }
            if problem.system_error != 0 { return .connection(problem.system_error) }
            let text = problem.text.map { String(cString: $0) } ?? ""
            let reason = Int(problem.library) == Self.sslLibrary ? Int(problem.reason) : 0
            if reason == Self.lengthMismatch, problem.is_in_certificates { return .noCertificates }
            return TLSFailure(reason: reason, text: text)
        }

        /// OpenSSL's number for errors of libssl: ERR_LIB_SSL.
        private static let sslLibrary = 20
        /// SSL_R_LENGTH_MISMATCH
        private static let lengthMismatch = 159

        // MARK: Bytes

        /// Receives until the buffer is full or there is nothing more for now. After `ended`, `truncated` and `failed` the result stays the
        /// same.
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
            guard let stream else { return .failed(.closed) }
            let result = fwtls_receive(stream, buffer.baseAddress, buffer.count)
            if sessions != nil { keepSessions(stream) }
            if result > 0 { return .bytes(result) }
            switch result {
            case FWTLS_WANTS_READ: return .wouldBlock
            case FWTLS_WANTS_WRITE: return .wantsWriting
            case FWTLS_ENDED: return .ended
            case FWTLS_TRUNCATED: return .truncated
            default: return .failed(failure(stream))
            }
        }

        /// Sends at most a record.
        func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
            guard let stream else { return .failed(.closed) }
            let result = fwtls_send(stream, bytes.baseAddress, bytes.count)
            if result >= 0 { return .bytes(result) }
            switch result {
            case FWTLS_WANTS_WRITE: return .wouldBlock
            case FWTLS_WANTS_READ: return .wantsReading
            default: return .failed(failure(stream))
            }
        }

        /// Whether receiving again has bytes, or the end, which the socket may not announce.
        var hasMore: Bool { stream.map { fwtls_has_more($0) } ?? false }

        /// Says that no more will be sent, if the socket takes that at once, and frees the connection. The socket stays open.
        func close() {
            guard let stream else { return }
            self.stream = nil
            if TLSGate.enter() {
                fwtls_send_close_notify(stream)
                TLSGate.leave()
            }
            fwtls_stream_free(stream)
            carrier?.close()
        }

        private func keepSessions(_ stream: OpaquePointer) {
            while let session = fwtls_take_session(stream) {
                let kept = TLSSession(
                    session, context.library, verifiedChain: verifiedChain, chainEnd: chainEnd, hasShownIdentity: hasShownIdentity)
                sessions?.keep(kept, for: key)
            }
        }

        // MARK: Facts

        private static func negotiatedProtocol(_ stream: OpaquePointer) -> String? {
            var count = 0
            guard let name = fwtls_stream_protocol(stream, &count), count > 0 else { return nil }
            return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
        }

        private static func stapledResponse(_ stream: OpaquePointer) -> Data? {
            var count = 0
            return fwtls_stream_status(stream, &count).map { Data(bytes: $0, count: count) }
        }

        private static func chain(_ stream: OpaquePointer, _ which: Int) -> [Data] {
            (0..<fwtls_chain_count(stream, CInt(which))).map { index in
                let size = fwtls_chain_certificate(stream, CInt(which), index, nil, 0)
                var certificate = Data(count: size)
                certificate.withUnsafeMutableBytes { buffer in
                    let start = buffer.bindMemory(to: UInt8.self).baseAddress
                    _ = fwtls_chain_certificate(stream, CInt(which), index, start, buffer.count)
                }
                return certificate
            }
        }

        private static func text(_ stream: OpaquePointer, _ which: Int) -> String {
            withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
                let start = buffer.bindMemory(to: CChar.self).baseAddress
                let count = fwtls_finding_text(stream, CInt(which), start, buffer.count)
                return String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }
#endif
