import Firewheel
import Foundation

/// What is fetched, and what every response has to look like.
struct Target: Sendable {
    let url: String
    let bodyLength: Int

    /// Fetches `url` once: the length of this body is what all others are compared with.
    static func probe(_ url: String) async throws -> Target {
        let session = Session(configuration: SessionConfiguration())
        let bodyLength: Int
        do {
            bodyLength = try await session.request(url).validate().serializingData().value.count
        } catch {
            throw Failure("\(url): \(error)\nIs the server running? Tests/Servers/nginx.sh start")
        }
        // Known, so a wrong server on that port is found out.
        guard url != Options.defaultURL || bodyLength == 27 else {
            throw Failure("\(url) has \(bodyLength) bytes instead of 27. Is another server on this port?")
        }
        return Target(url: url, bodyLength: bodyLength)
    }

    func wrongLength(_ length: Int) -> Failure {
        Failure("a body of \(length) bytes, where the first response had \(bodyLength)")
    }
}

/// The first error of a round: the others usually follow from it.
final class FirstFailure: @unchecked Sendable {
    private let lock = NSLock()
    private var error: (any Error)?

    func record(_ error: any Error) {
        lock.withLock { self.error = self.error ?? error }
    }

    /// Throws the error that was recorded, if one was.
    func check() throws {
        if let error = lock.withLock({ error }) { throw error }
    }
}
