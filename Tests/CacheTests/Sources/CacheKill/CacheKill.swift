import Firewheel
import FirewheelTesting
import Foundation

/// Kills processes at random that write to one cache on disk, and looks for half entries.
///
///     CacheKill [KILLS [PROCESSES]]
///
/// Each process stores, reads, confirms and removes responses of a stub server, whose bodies tell how long they must be and what they must
/// contain. After the last kill, whatever is stored must be such a body, and no file may be left over.
@main
enum CacheKill {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--write", let path = arguments.last { return try await write(to: URL(fileURLWithPath: path)) }
        let numbers = arguments.compactMap { Int($0) }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cache-kill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try kill(numbers.first ?? 500, processes: numbers.dropFirst().first ?? 8, in: directory)
        try await check(directory)
    }

    // MARK: Killing

    private static func start(_ directory: URL) throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--write", directory.path]
        try process.run()
        return process
    }

    /// Kills all processes of a round, one shortly after the other, and looks at the files before the next processes mend anything.
    private static func kill(_ kills: Int, processes count: Int, in directory: URL) throws {
        var killed = 0
        while killed < kills {
            let processes = try (0..<count).map { _ in try start(directory) }
            // Long enough for many writes, and never at the same place of one.
            usleep(UInt32.random(in: 100_000...500_000))
            for process in processes.shuffled() {
                usleep(UInt32.random(in: 0...5_000))
                Foundation.kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
                    throw Failure("a process ended by itself: \(process.terminationStatus)")
                }
            }
            killed += count
            let headless = names(".head", in: directory).subtracting(names(".body", in: directory))
            guard headless.isEmpty else { throw Failure("heads without a body after \(killed) kills: \(headless)") }
        }
        print("\(killed) kills")
    }

    // MARK: Checking

    /// The names of the files with a suffix.
    private static func names(_ suffix: String, in directory: URL) -> Set<Substring> {
        let files = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
        return Set(files.filter { $0.hasSuffix(suffix) }.map { $0.dropLast(suffix.count) })
    }

    private static func check(_ directory: URL) async throws {
        let cache = try HTTPCache(directory: directory, capacity: 32 << 20)
        var configuration = SessionConfiguration()
        configuration.cache = cache
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        let session = Session(configuration: configuration, transport: StubTransport { _ in [.fail(.failed(.unknown, "asked"))] })
        let entries = cache.entries
        guard entries.count > 20 else { throw Failure("only \(entries.count) responses are stored: nothing was tried") }
        var half = 0
        for entry in entries {
            let response = await session.request(entry.url).serializingData(emptyResponseCodes: [200]).response
            if !Body.isWhole(response.value ?? Data()) {
                half += 1
                print("half: \(entry) \(response.error.map { "\($0)" } ?? "")")
            }
        }
        _ = cache.statistics
        let single = names(".head", in: directory).symmetricDifference(names(".body", in: directory)).count
        // They are cleared on another thread.
        for _ in 0..<100 where !names(".tmp", in: directory).isEmpty { usleep(100_000) }
        let temporary = names(".tmp", in: directory).count
        print("\(entries.count) entries, \(half) of them half, \(single) files without their other half, \(temporary) temporary files")
        guard temporary == 0 else { throw Failure("temporary files are left over") }
        guard half == 0, single == 0 else { throw Failure("there are half entries") }
    }

    // MARK: Writing

    private static func write(to directory: URL) async throws {
        var configuration = SessionConfiguration()
        let cache = try HTTPCache(directory: directory, capacity: 32 << 20)
        configuration.cache = cache
        let stub = StubTransport { request in
            if request.headers["If-None-Match"] != nil, Bool.random() {
                return [.response(ResponseHead(statusCode: 304, headers: ["Cache-Control": "max-age=1"])), .finish()]
            }
            let body = Body.make()
            let head = ResponseHead(
                statusCode: 200,
                headers: ["Cache-Control": "max-age=\(Int.random(in: 0...2))", "ETag": "\"\(UInt64.random(in: 0 ... .max))\""])
            guard request.delivery == .chunks else { return [.response(head), .finish(body: body)] }
            return [.response(head), .chunk(body.prefix(body.count / 2)), .chunk(body.dropFirst(body.count / 2)), .finish()]
        }
        let session = Session(configuration: configuration, transport: stub)
        while true {
            let url = "http://cache.test/\(Int.random(in: 0..<200))"
            switch Int.random(in: 0..<20) {
            case 0: if let url = URL(string: url) { cache.remove(for: url) }
            case 1..<5:
                let data = await session.download(url).serializingData().response.value
                guard data.map(Body.isWhole) != false else { throw Failure("a download got half a body") }
            default:
                let data = await session.request(url).serializingData().response.value
                guard data.map(Body.isWhole) != false else { throw Failure("a request got half a body") }
            }
        }
    }
}

/// Bodies that tell how long they must be, and what they must contain.
enum Body {
    static func make() -> Data {
        let count = Bool.random() ? Int.random(in: 16..<2_000) : Int.random(in: 16..<300_000)
        let seed = UInt64.random(in: 0 ... .max)
        var body = Data(count: count)
        fill(&body, seed)
        return body
    }

    static func isWhole(_ body: Data) -> Bool {
        guard body.count >= 16 else { return false }
        let count = body.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        let seed = body.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
        var expected = Data(count: body.count)
        fill(&expected, seed)
        return count == UInt64(body.count) && expected == body
    }

    private static func fill(_ body: inout Data, _ seed: UInt64) {
        body.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt64(bytes.count), as: UInt64.self)
            bytes.storeBytes(of: seed, toByteOffset: 8, as: UInt64.self)
            var state = seed | 1
            for index in 16..<bytes.count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
            }
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
