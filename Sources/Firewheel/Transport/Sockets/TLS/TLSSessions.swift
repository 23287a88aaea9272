#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// A session of an earlier connection, which a new one may resume. Used on the loop's thread only.
    final class TLSSession {
        let session: OpaquePointer
        private let library: SystemLibraryTable
        /// The chain that was verified for it: a resumed handshake verifies none.
        let verifiedChain: [Data]
        /// Whether it may be used only once.
        let isSingle: Bool
        /// In seconds since 1970.
        private let end: Int64

        /// Takes over a session of OpenSSL.
        init(_ session: OpaquePointer, _ library: SystemLibraryTable, verifiedChain: [Data]) {
            self.session = session
            self.library = library
            self.verifiedChain = verifiedChain
            isSingle = fwtls_session_is_single(library.functions, session)
            end = fwtls_session_end(library.functions, session)
        }

        deinit { fwtls_session_free(library.functions, session) }

        /// - Parameter now: In seconds since 1970.
        func isUsable(now: Int64) -> Bool { now < end && fwtls_session_is_resumable(library.functions, session) }
    }

    /// The sessions of a transport. Used on the loop's thread only.
    ///
    /// A resumed handshake verifies no certificate, so sessions are kept under all that the verification has used.
    final class TLSSessions {
        struct Key: Hashable {
            /// ``TLSContext/id``, for the authorities and the client's identity.
            let context: Int
            let name: String
            let isAddress: Bool
            let port: Int
            let protocols: [String]
        }

        /// Connections that are made at the same time need one each.
        static let mostOfKey = 8
        static let most = 64

        /// The oldest first.
        private var entries: [(key: Key, session: TLSSession)] = []

        var count: Int { entries.count }

        /// A session to resume; the newest.
        func take(for key: Key, now: Int64 = Int64(time(nil))) -> TLSSession? {
            entries.removeAll { $0.key == key && !$0.session.isUsable(now: now) }
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let session = entries[index].session
            if session.isSingle { entries.remove(at: index) }
            return session
        }

        func keep(_ session: TLSSession, for key: Key) {
            // The newest replaces one that can be used again.
            entries.removeAll { $0.key == key && !$0.session.isSingle }
            if entries.count(where: { $0.key == key }) >= Self.mostOfKey, let oldest = entries.firstIndex(where: { $0.key == key }) {
                entries.remove(at: oldest)
            }
            if entries.count >= Self.most { entries.removeFirst() }
            entries.append((key, session))
        }

        /// Forgets a session that a handshake has failed with.
        func forget(_ session: TLSSession) {
            entries.removeAll { $0.session === session }
        }
    }
#endif
