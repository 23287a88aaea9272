import Dispatch
import FirewheelAlamofire

/// The same requests as ``FirewheelClient``'s with Alamofire's types, in a session as its initializer makes it.
struct AlamofireClient {
    private let work: Work
    private let session: Session

    init(_ work: Work) {
        self.work = work
        session = Session(configure: {
            $0.maximumConnectionsPerHost = max(work.inFlight, $0.maximumConnectionsPerHost)
            for field in work.extraFields { $0.headers.add(field) }
        })
    }

    /// Chains in which each response handler starts the next request.
    func runChains() async throws -> Double {
        let (work, session, queue) = (work, session, work.makeHandlerQueue())
        return try await Sequences { done in
            session.request(work.url).validate().responseData(queue: queue) { response in
                done(
                    Result {
                        let body = try response.result.get()
                        try work.check(status: response.response?.statusCode)
                        try work.check(length: body.count)
                    })
            }
        }.run(shares: work.shares)
    }

    /// Child tasks that each make their requests one after the other.
    func runTasks() async throws -> Double {
        let (work, session) = (work, session)
        return try await FirewheelBenchmark.runTasks(shares: work.shares) {
            try work.check(length: await session.request(work.url).validate().serializingData().value.count)
        }
    }
}
