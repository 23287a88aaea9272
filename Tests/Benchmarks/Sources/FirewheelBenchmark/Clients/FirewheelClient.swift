import Dispatch
import Firewheel
import Foundation

/// Firewheel with its chain or with async/await, in a session of its own made before the clock starts.
struct FirewheelClient {
    private let work: Work
    private let session: Session
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - transport: nil is the session's default, `SocketTransport`.
    ///   - cache: All responses but the first ones come from it; nil for none.
    init(_ work: Work, transport: (any Transport)?, cache: HTTPCache? = nil) {
        self.work = work
        var configuration = Self.configuration(work)
        configuration.cache = cache
        session = Session(configuration: configuration, transport: transport)
        queue = work.makeHandlerQueue()
    }

    static func onURLSession(_ work: Work) -> FirewheelClient {
        FirewheelClient(work, transport: URLSessionTransport(configuration: configuration(work)))
    }

    /// With a cache in memory. The server says nothing about freshness.
    static func cached(_ work: Work) -> FirewheelClient {
        FirewheelClient(work, transport: nil, cache: HTTPCache(defaultFreshness: 3600))
    }

    /// With a cache in a directory, which is removed.
    static func cachedOnDisk(_ work: Work, _ run: (FirewheelClient) async throws -> Double) async throws -> Double {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await run(
            FirewheelClient(work, transport: nil, cache: try HTTPCache(directory: directory, defaultFreshness: 3600)))
    }

    static func configuration(_ work: Work) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        // As many connections as the C loop opens, but at least the default, which matters for queued requests.
        configuration.maximumConnectionsPerHost = max(work.inFlight, configuration.maximumConnectionsPerHost)
        for field in work.extraFields { configuration.headers.add(field) }
        return configuration
    }

    /// Chains in which each response handler starts the next request.
    func runChains() async throws -> Double {
        let (work, session, queue) = (work, session, queue)
        if work.upload != nil { return try await runUploads(ofSequence: false) }
        let sequences =
            switch work.task {
            case .json:
                Sequences { done in
                    session.request(work.url).validate().responseDecodable(queue: queue, of: [Person].self) { response in
                        done(Result { try work.check(response.result.get()) })
                    }
                }
            case .file:
                try Sequences { [file = work.newFile()] done in
                    session.download(work.url) { _, _ in (file, .removePreviousFile) }.validate().responseURL(queue: queue) { response in
                        done(Result { try work.check(response.result.get()) })
                    }
                }
            default:
                Sequences { done in
                    session.request(work.url).validate().responseData(queue: queue) { response in
                        done(
                            Result {
                                let body = try response.result.get()
                                try work.check(status: response.statusCode)
                                try work.check(length: body.count)
                            })
                    }
                }
            }
        return try await sequences.run(shares: work.shares)
    }

    /// Chains that send the file, as a file or in one of two kinds of streams.
    func runUploads(ofSequence isSequence: Bool) async throws -> Double {
        let (work, session, queue) = (work, session, queue)
        let sequences = try Sequences { [file = work.fileToSend()] done in
            let request: UploadRequest
            if work.task == .sendFile {
                request = session.upload(file, to: work.url, method: .put)
            } else if isSequence {
                request = session.upload(FileSequence(file), to: work.url, method: .put)
            } else if let stream = InputStream(url: file) {
                request = session.upload(stream, to: work.url, method: .put)
            } else {
                return done(.failure(Failure("cannot read \(file.path)")))
            }
            request.validate().responseData(queue: queue) { response in
                done(Result { try work.check(answer: String(decoding: response.result.get(), as: UTF8.self)) })
            }
        }
        return try await sequences.run(shares: work.shares)
    }

    /// Child tasks that each make their requests one after the other. `validate()` makes any status but 2xx a failure.
    func runTasks() async throws -> Double {
        let (work, session) = (work, session)
        return try await FirewheelBenchmark.runTasks(shares: work.shares) {
            if work.task == .json {
                try work.check(await session.request(work.url).validate().serializingDecodable([Person].self).value)
            } else {
                try work.check(length: await session.request(work.url).validate().serializingData().value.count)
            }
        }
    }
}
