#if os(Linux)
    import CFirewheelSystem

    /// How TLS connections are verified, and the client on them: contexts, and so sessions, are shared only where all of it is equal.
    struct TLSOptions: Sendable, Hashable {
        var trust: TransportRoute.Trust?
        var identity: TransportRoute.Identity?
        var minimumVersion = TransportRoute.TLSVersion.tls12

        /// Whether the verdict about each certificate is asked for (``TLSStream/Step/asks(_:)``), and is not OpenSSL's own.
        var asksTrust: Bool { trust != nil }
    }

    extension TransportRoute {
        var tlsOptions: TLSOptions { TLSOptions(trust: trust, identity: identity, minimumVersion: minimumTLSVersion) }
    }

    /// What TLS connections have in common: authorities and options.
    final class TLSContext: @unchecked Sendable {
        // Sound because the context is never changed after its creation: connections only read it, and OpenSSL counts them.
        let context: OpaquePointer
        let library: SystemLibraryTable
        let options: TLSOptions
        /// Unique in the process, unlike the address of an object.
        let id: Int

        private static let lastID = Locked(0)

        /// Reads the store and makes a context. Blocks for tens of milliseconds if the store has not been read before, so it belongs on
        /// ``WorkerPool``.
        ///
        /// - Parameter places: The authorities; nil for the system's.
        static func load(
            _ options: TLSOptions = TLSOptions(), places: TLSStorePlaces? = nil,
            library: Result<SystemLibraryTable, SystemLibraryError> = TLSLibrary.system
        ) throws(TLSFailure) -> TLSContext {
            switch library {
            case .success(let library):
                let store = try TLSStore.load(places ?? TLSStorePlaces(library), library)
                return try TLSContext(options, store, library)
            case .failure(let error): throw .library(error)
            }
        }

        private init(_ options: TLSOptions, _ store: TLSStore, _ library: SystemLibraryTable) throws(TLSFailure) {
            let context = fwtls_context_create(library.functions, store.store, options.minimumVersion.rawValue, options.asksTrust)
            guard let context else { throw .outOfMemory }
            self.context = context
            self.library = library
            self.options = options
            id = Self.lastID.withLock { last in
                last += 1
                return last
            }
        }

        deinit { fwtls_context_free(context) }
    }
#endif
