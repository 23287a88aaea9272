import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Foundation's URLSession with completion handlers, or with a delegate where the body is dropped.
struct URLSessionClient {
    private let work: Work
    private let url: URL
    private let session: URLSession

    init(_ work: Work) throws {
        guard let url = URL(string: work.url) else { throw Failure("not a URL") }
        self.work = work
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = work.inFlight
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: work.task == .drop ? Dropper(work) : nil, delegateQueue: nil)
    }

    func run() async throws -> Double {
        let (work, url, session) = (work, url, session)
        let sequences =
            switch work.task {
            case .file:
                Sequences { done in
                    session.downloadTask(with: url) { location, response, error in
                        done(
                            Result {
                                guard let location else { throw error ?? Failure("no file") }
                                try work.check(status: (response as? HTTPURLResponse)?.statusCode)
                                // The downloaded file is removed when this returns.
                                let file = try work.newFile()
                                try FileManager.default.moveItem(at: location, to: file)
                                try work.check(file)
                            })
                    }.resume()
                }
            case .drop:
                Sequences { done in
                    let task = session.dataTask(with: url)
                    (session.delegate as? Dropper)?.done = done
                    task.resume()
                }
            default:
                Sequences { done in
                    session.dataTask(with: url) { body, response, error in
                        done(
                            Result {
                                guard let body else { throw error ?? Failure("no body") }
                                try work.check(status: (response as? HTTPURLResponse)?.statusCode)
                                try work.check(body)
                            })
                    }.resume()
                }
            }
        return try await sequences.run(shares: work.shares)
    }
}

/// Counts the bytes of one task at a time and drops them.
private final class Dropper: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Sound because `done` is set before its task starts, and the session calls its delegate on one serial queue.
    var done: Sequences.Done?
    private let work: Work
    private var length = 0

    init(_ work: Work) {
        self.work = work
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        length += data.count
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        done?(
            Result {
                if let error { throw error }
                try work.check(status: (task.response as? HTTPURLResponse)?.statusCode)
                try work.check(length: length)
            })
    }
}
