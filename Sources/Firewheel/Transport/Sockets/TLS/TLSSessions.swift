#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// A session of an earlier connection, which a new one may resume. Used on the loop's thread only.
    final class TLSSession {
        let session: OpaquePointer
        private let library: SystemLibraryTable
        /// The chain that was verified for it: a resumed handshake verifies none.
        let verifiedChain: [Data]
        /// When the first certificate of the chain expires, or the first revocation list, in seconds since 1970.
        let chainEnd: Int64
        /// Whether the server has seen the client's certificate.
        let hasShownIdentity: Bool
        /// Whether it may be used only once.
        let isSingle: Bool
        /// In seconds since 1970.
        private let end: Int64

        /// Takes over a session of OpenSSL.
        init(
            _ session: OpaquePointer, _ library: SystemLibraryTable, verifiedChain: [Data], chainEnd: Int64, hasShownIdentity: Bool
        ) {
            self.session = session
            self.library = library
            self.verifiedChain = verifiedChain
            self.chainEnd = chainEnd
            self.hasShownIdentity = hasShownIdentity
            isSingle = fwtls_session_is_single(library.functions, session)
            end = min(chainEnd, fwtls_session_end(library.functions, session))
        }

        deinit { fwtls_session_free(library.functions, session) }

        /// - Parameter now: In seconds since 1970.
        func isUsable(now: Int64) -> Bool { now < end && fwtls_session_is_resumable(library.functions, session) }
    }

    /// The sessions of a transport. Used on the loop's thread only.
    ///
    /// A resumed handshake verifies no certificate, so sessions are kept under all that the verification has used, and no longer than its
    /// certificates are valid.
    final class TLSSessions {
        struct Key: Hashable {
            /// ``TLSContext/id``, for the authorities and the client's identity.
            let context: Int
            let name: String
            let isAddress: Bool
            let port: Int
            let protocols: [String]
        }

        private struct Entry {
            let session: TLSSession
            /// Grows with every session that is kept.
            let number: Int
        }

        /// Connections that are made at the same time need one each.
        static let mostOfKey = 64
        /// A session takes about 4.5 kB, its share of the certificates included.
        static let most = 256

        /// The oldest first. No list is empty.
        private var entries: [Key: [Entry]] = [:]
        private(set) var count = 0
        private var lastNumber = 0

        /// A session to resume; the newest.
        func take(for key: Key, now: Int64 = Int64(time(nil))) -> TLSSession? {
            change(key) { kept in
                kept.removeAll { !$0.session.isUsable(now: now) }
                guard let session = kept.last?.session else { return nil }
                if session.isSingle { kept.removeLast() }
                return session
            }
        }

        func keep(_ session: TLSSession, for key: Key) {
            lastNumber += 1
            change(key) { kept in
                // The newest replaces one that can be used again.
                kept.removeAll { !$0.session.isSingle }
                if kept.count >= Self.mostOfKey { kept.removeFirst() }
                kept.append(Entry(session: session, number: lastNumber))
            }
            if count > Self.most { dropOldest() }
        }

        /// Forgets a session that a handshake has failed with.
        func forget(_ session: TLSSession, of key: Key) {
            change(key) { kept in kept.removeAll { $0.session === session } }
        }

        private func dropOldest() {
            let oldest = entries.min { ($0.value.first?.number ?? .max) < ($1.value.first?.number ?? .max) }
            if let oldest { change(oldest.key) { _ = $0.removeFirst() } }
        }

        private func change<Result>(_ key: Key, _ body: (inout [Entry]) -> Result) -> Result {
            var kept = entries.removeValue(forKey: key) ?? []
            count -= kept.count
            defer {
                count += kept.count
                if !kept.isEmpty { entries[key] = kept }
            }
            return body(&kept)
        }
    }
#endif
