import Foundation

/// TLS connections that were opened.
struct ConnectionCount: Codable {
    var all: Int
    /// Those that resumed a TLS session.
    var resumed: Int
}

/// The server's log of new TLS connections, which tells of every client alike.
///
/// The count is wrong if other programs use the server meanwhile.
struct ConnectionLog {
    private let work: Work
    private let lengthBefore: Int

    /// Notes how long the log is. nil if the work's connections are not in it or not to be counted.
    init?(_ work: Work) async throws {
        guard work.wire != .http, work.task == .get, work.counting == nil, work.url.hasPrefix(work.wire.server(fresh: work.fresh)) else {
            return nil
        }
        self.work = work
        lengthBefore = try await Self.read().count
    }

    /// The connections since then. Throws a ``Failure`` if one of them spoke another version of HTTP than it should.
    func count() async throws -> ConnectionCount {
        let lines = String(decoding: try await Self.read().dropFirst(lengthBefore), as: UTF8.self).split(separator: "\n")
        let expected = work.wire.loggedProtocol
        if let line = lines.first(where: { !$0.hasPrefix(expected) }) {
            throw Failure("a connection with '\(line)' instead of \(expected)")
        }
        return ConnectionCount(all: lines.count, resumed: lines.count { $0.hasSuffix(" r") })
    }

    /// Over http, whose connections are not in the log.
    private static func read() async throws -> Data { try await Target.fetch("\(Target.server)/connections.log") }
}
