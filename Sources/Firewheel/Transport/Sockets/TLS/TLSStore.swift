#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// The certificates of authorities, parsed. Contexts share it.
    final class TLSStore: @unchecked Sendable {
        // Sound because the store is complete when it is handed out, and OpenSSL's own locks guard what verifications share.
        let store: OpaquePointer
        private(set) var hasLists = false
        /// When the first revocation list expires, in seconds since 1970.
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
            guard let rules else { return try load(places, library) }
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
                throw .configuration("\(name) has no revocation list, in DER or in PEM, or a damaged one")
            }
            for list in lists {
                var end: Int64 = 0
                guard list.withUnsafeBytes({ fwtls_store_add_list(store, $0.baseAddress, $0.count, &end) }) else {
                    throw .configuration("\(name) is not a revocation list, or is damaged")
                }
                listEnd = min(listEnd, end)
                hasLists = true
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
