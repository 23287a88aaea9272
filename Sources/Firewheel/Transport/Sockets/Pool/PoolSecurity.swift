#if os(Linux)
    /// What the secure connections of a pool have in common: the authorities, and sessions to resume. Used on the loop's thread only.
    final class PoolSecurity {
        private let places: TLSStorePlaces?
        private let loadTLS: TLSLibrary.Loader
        private(set) var contexts: [TLSOptions: TLSContext] = [:]
        /// The keys of ``contexts``, the oldest first.
        private var known: [TLSOptions] = []
        /// Each session with rules of its own has a context, and a context may have a store of a megabyte.
        static let mostContexts = 16
        private var waiting: [TLSOptions: [SecureHandshake]] = [:]
        private var loading: Set<TLSOptions> = []
        private(set) var sessions = TLSSessions()

        /// - Parameters:
        ///   - places: Where the certificates of authorities are; nil for the system's.
        ///   - loadTLS: Gives OpenSSL. Called on another thread.
        init(places: TLSStorePlaces?, loadTLS: @escaping TLSLibrary.Loader) {
            self.places = places
            self.loadTLS = loadTLS
        }

        /// Begins a handshake as soon as the authorities are read, which takes tens of milliseconds of another thread. That thread also
        /// loads libnghttp2, because the loop does not wait for files.
        ///
        /// - Returns: Whether it has begun.
        func provide(_ options: TLSOptions, to handshake: SecureHandshake, of pool: ConnectionPool) -> Bool {
            if let context = contexts[options] {
                handshake.begin(.success(context))
                return true
            }
            waiting[options, default: []].append(handshake)
            guard loading.insert(options).inserted else { return false }
            let loadHTTP2 = pool.limits.versions == .http1Only ? nil : pool.loadHTTP2
            let (inbox, places, loadTLS, pool) = (pool.loop.inbox, places, loadTLS, PoolReference(object: pool))
            WorkerPool.shared.run {
                _ = loadHTTP2?()
                let result: Result<TLSContext, TLSFailure>
                do throws(TLSFailure) {
                    result = .success(try TLSContext.load(options, places: places, library: loadTLS()))
                } catch {
                    result = .failure(error)
                }
                inbox.post(LoopMessage(pool: pool, command: .contextIsRead(options, result)))
            }
            return false
        }

        func contextIsRead(_ options: TLSOptions, _ result: Result<TLSContext, TLSFailure>) {
            loading.remove(options)
            if case .success(let context) = result { keep(context, for: options) }
            for handshake in waiting.removeValue(forKey: options) ?? [] { handshake.begin(result) }
        }

        /// Connections keep the context that they were made with, so the oldest can be dropped at any time.
        private func keep(_ context: TLSContext, for options: TLSOptions) {
            if contexts.updateValue(context, forKey: options) == nil { known.append(options) }
            if known.count > Self.mostContexts { contexts[known.removeFirst()] = nil }
        }

        func stopProviding(to handshake: SecureHandshake) {
            for options in waiting.keys { waiting[options]?.removeAll { $0 === handshake } }
        }

        /// Releases what belongs to the loop's thread.
        func close() {
            (contexts, known) = ([:], [])
            sessions = TLSSessions()
        }
    }
#endif
