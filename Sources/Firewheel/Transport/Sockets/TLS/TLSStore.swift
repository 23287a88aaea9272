#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// The certificates of authorities, parsed. Contexts share it.
    final class TLSStore: @unchecked Sendable {
        // Sound because the store is complete when it is handed out, and OpenSSL's own locks guard what verifications share.
        let store: OpaquePointer
        private(set) var hasLists = false
        /// When a revocation list next begins or ceases to be valid, in seconds since 1970. What was verified before may be otherwise then.
        private(set) var listEnd = Int64.max

        private struct Cached {
            let stamps: [String: FileStamp]
            let store: TLSStore
        }

        private static let cache = Locked<[TLSStorePlaces: Cached]>([:])
        /// Stores take about a megabyte.
        private static let mostCached = 4

        private init(_ library: SystemLibraryTable) throws(TLSFailure) {
            guard let store = fwtls_store_create(library.functions) else { throw .outOfMemory }
            self.store = store
        }

        deinit { fwtls_store_free(store) }

        /// The store of a session's rules.
        ///
        /// - Parameter places: Where the system's authorities are.
        static func load(
            _ rules: VerificationRules?, _ places: TLSStorePlaces, _ library: SystemLibraryTable
        ) throws(TLSFailure) -> TLSStore {
            guard let rules, rules.authorities != .system || !rules.revocationLists.isEmpty else { return try load(places, library) }
            // Others must not see what is added to it.
            let store = try TLSStore(library)
            switch rules.authorities {
            case .system: try store.read(places)
            case .systemAnd(let own):
                try store.read(places)
                try store.add(own)
            case .only(let own): try store.add(own)
            }
            for (index, data) in rules.revocationLists.enumerated() { try store.add(data, name: "tls.revocationLists[\(index)]") }
            return store
        }

        /// A store of these certificates alone, with revocation lists.
        ///
        /// - Parameter name: What the lists are called.
        static func of(
            _ authorities: [Certificate], lists: [Data], _ name: String, _ library: SystemLibraryTable
        ) throws(TLSFailure) -> TLSStore {
            let store = try TLSStore(library)
            try store.add(authorities)
            for (index, data) in lists.enumerated() { try store.add(data, name: "\(name)[\(index)]") }
            return store
        }

        /// Verifies a chain as a handshake does, without the name; the server's own certificate comes first.
        ///
        /// - Returns: nil if it is trusted.
        func finding(for chain: [Certificate], requiresLists: Bool, _ library: SystemLibraryTable) -> TLSFinding? {
            var rules = fwtls_rules()
            rules.checks_revocation = hasLists
            rules.requires_lists = requiresLists
            let found = BorrowedPieces.with(chain.map(\.der)) { fwtls_chain_verify(store, rules, $0.baseAddress, $0.count) }
            guard found.result != 0 else { return nil }
            let depth = Int(found.depth)
            // The chain that was built may be another one.
            let concerned = depth == 0 ? chain.first : nil
            return TLSFinding(
                result: Int(found.result), text: String(cString: fwtls_verification_text(library.functions, found.result)), depth: depth,
                presented: chain.count, subject: concerned?.subject ?? "", issuer: concerned?.issuer ?? "")
        }

        private func add(_ certificates: [Certificate]) throws(TLSFailure) {
            for certificate in certificates {
                guard certificate.der.withUnsafeBytes({ fwtls_store_add_certificate(store, $0.baseAddress, $0.count) }) else {
                    throw .configuration("the certificate \(certificate) of tls.authorities cannot be used")
                }
            }
        }

        /// Adds revocation lists.
        private func add(_ data: Data, name: String) throws(TLSFailure) {
            guard let lists = PEMBlock.revocationLists(in: data) else {
                throw .configuration("\(name) has no revocation list that can be read, in DER or in PEM")
            }
            let now = Int64(time(nil))
            for list in lists {
                var facts = fwtls_list()
                let result = list.withUnsafeBytes { fwtls_store_add_list(store, $0.baseAddress, $0.count, &facts) }
                switch Int(result) {
                case FWTLS_LIST_ADDED: break
                case FWTLS_LIST_PARTIAL:
                    // OpenSSL would pass over it, and a certificate that it names would count as good.
                    throw .configuration(
                        "\(name) is a revocation list for a part of the certificates or reasons (a delta, or an indirect list), which "
                            + "cannot be used")
                default: throw .configuration("\(name) is not a revocation list, or is damaged")
                }
                hasLists = true
                listEnd = [facts.start, facts.end].filter { $0 > now }.reduce(listEnd, min)
            }
        }

        /// Reads a store, unless one of the same unchanged files has been read before. Takes tens of milliseconds.
        static func load(_ places: TLSStorePlaces, _ library: SystemLibraryTable) throws(TLSFailure) -> TLSStore {
            // Taken before reading, so that a later change is noticed.
            let stamps = FileStamp.all(of: places)
            let cached = cache.withLock { cache in cache[places] }
            if let cached, cached.stamps == stamps { return cached.store }
            let store = try TLSStore(library)
            try store.read(places)
            let dropped = cache.withLock { cache in
                let all = cache
                if cache.count >= mostCached { cache.removeAll() }
                cache[places] = Cached(stamps: stamps, store: store)
                return all
            }
            // Released outside the lock.
            _ = dropped
            return store
        }

        private func read(_ places: TLSStorePlaces) throws(TLSFailure) {
            var count = 0
            if let file = places.file {
                switch StoreFile.read(file) {
                case .success(let bytes):
                    count += add(bytes)
                    if count == 0, places.areChosen { throw .store("the certificate store \(file) has no certificates") }
                case .failure(let error):
                    let isMissing = error.code == ENOENT || error.code == ENOTDIR
                    guard isMissing, !places.areChosen else {
                        throw .store(Self.unreadable(file, error))
                    }
                }
                // The default directory has the same certificates as the default file.
                if count > 0, !places.areChosen { return }
            }
            guard !places.directories.isEmpty else { return }
            let inFile = count
            var problem: String?
            for directory in places.directories {
                switch StoreFile.hashedNames(in: directory) {
                case .success(let names):
                    for name in names { count += try add(fileAt: "\(directory)/\(name)") }
                case .failure(let error):
                    // Otherwise a part would count as the whole store from now on.
                    if error.isScarcity { throw .store(Self.unreadable(directory, error)) }
                    problem = problem ?? Self.unreadable(directory, error)
                }
            }
            guard count == inFile else { return }
            guard places.areChosen else {
                throw .store("the system has no certificate store: there are no certificates in \(places.words)")
            }
            let folders = places.directories.joined(separator: ":")
            throw .store(
                problem ?? "the certificate store \(folders) has no certificates with names such as 1a2b3c4d.0, see openssl rehash")
        }

        private static func unreadable(_ path: String, _ failure: StoreFile.Failure) -> String {
            "cannot read the certificate store \(path): \(FirewheelError.words(forSystemError: failure.code))"
        }

        /// Adds the certificates of a file, if it can be read, and returns how many there are.
        private func add(fileAt path: String) throws(TLSFailure) -> Int {
            switch StoreFile.read(path) {
            case .success(let bytes): return add(bytes)
            case .failure(let error) where error.isScarcity: throw .store(Self.unreadable(path, error))
            case .failure: return 0
            }
        }

        private func add(_ bytes: [UInt8]) -> Int {
            bytes.withUnsafeBytes { fwtls_store_add(store, $0.baseAddress, $0.count) }
        }
    }
#endif
