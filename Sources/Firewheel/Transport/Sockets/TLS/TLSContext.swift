#if os(Linux)
    import CFirewheelSystem

    /// How TLS connections are verified, and the client on them: contexts, and so sessions, are shared only where all of it is equal.
    struct TLSOptions: Sendable, Hashable {
        var trust: TransportRoute.Trust?
        var identity: TransportRoute.Identity?
        var minimumVersion = TLSVersion.v1_2
        var maximumVersion: TLSVersion?

        /// Whether the verdict about each certificate is asked for (``TLSStream/Step/asks(_:)``), and is not OpenSSL's own.
        var asksTrust: Bool { trust?.judge != nil }

        /// The versions in words.
        var versions: String {
            guard let maximumVersion else { return "\(minimumVersion.name) or later" }
            return maximumVersion == minimumVersion ? minimumVersion.name : "\(minimumVersion.name) or \(maximumVersion.name)"
        }
    }

    extension TransportRoute {
        var tlsOptions: TLSOptions {
            TLSOptions(trust: trust, identity: identity, minimumVersion: minimumTLSVersion, maximumVersion: maximumTLSVersion)
        }

        /// Those of the connection to the proxy itself.
        var tlsOptionsOfProxy: TLSOptions {
            var options = tlsOptions
            options.identity = proxyIdentity
            return options
        }
    }

    /// What TLS connections have in common: authorities and options.
    final class TLSContext: @unchecked Sendable {
        // Sound because the context is never changed after its creation: connections only read it, and OpenSSL counts them.
        let context: OpaquePointer
        let library: SystemLibraryTable
        let options: TLSOptions
        /// When a revocation list that has to be valid next begins or ceases to be, in seconds since 1970.
        let listEnd: Int64
        /// Unique in the process, unlike the address of an object.
        let id: Int

        private static let lastID = Locked(0)

        /// Reads the store and makes a context. Blocks for tens of milliseconds if the store has not been read before, so it belongs on
        /// ``WorkerPool``.
        ///
        /// - Parameter places: Where the system's authorities are; nil for its own places.
        static func load(
            _ options: TLSOptions = TLSOptions(), places: TLSStorePlaces? = nil,
            library: Result<SystemLibraryTable, SystemLibraryError> = TLSLibrary.system
        ) throws(TLSFailure) -> TLSContext {
            switch library {
            case .success(let library):
                let store = try TLSStore.load(options.trust?.rules, places ?? TLSStorePlaces(library), library)
                return try TLSContext(options, store, library)
            case .failure(let error): throw .library(error)
            }
        }

        private init(_ options: TLSOptions, _ store: TLSStore, _ library: SystemLibraryTable) throws(TLSFailure) {
            let requiresLists = options.trust?.rules?.requiresRevocationLists ?? true
            var rules = fwtls_rules()
            rules.minimum_version = options.minimumVersion.number
            rules.maximum_version = options.maximumVersion?.number ?? 0
            rules.asks = options.asksTrust
            rules.checks_revocation = store.hasLists
            rules.requires_lists = requiresLists
            var hasVersions = true
            let context = fwtls_context_create(library.functions, store.store, rules, &hasVersions)
            guard hasVersions else {
                throw .configuration(
                    "no version of TLS is left: tls.minimumVersion, tls.maximumVersion and the configuration of OpenSSL exclude each other")
            }
            guard let context else { throw .outOfMemory }
            if let identity = options.identity?.identity, let reason = fwtls_context_use(context, identity.key.identity) {
                let words = String(cString: reason)
                fwtls_context_free(context)
                throw .configuration("the client certificate \(identity.certificate.subject.onOneLine) cannot be used: \(words)")
            }
            listEnd = requiresLists ? store.listEnd : .max
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
