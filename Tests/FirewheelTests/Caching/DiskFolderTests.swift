import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What others do to the folders of a cache on disk, and to the clock.
@Suite("The folders of a cache on disk") struct DiskFolderTests {
    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"1\""]

    private func bench(_ folder: CacheFolder, capacity: Int = 1 << 20) -> CacheBench {
        CacheBench(capacity: capacity, in: folder) { request, _ in .of(String(repeating: "x", count: 4000), Self.fresh) }
    }

    @Test("A file and a link in the place of a folder are removed, and a link is not followed")
    func notAFolder() async throws {
        let (folder, other) = (try CacheFolder(), try CacheFolder())
        let kept = other.url.appendingPathComponent("kept.txt")
        try Data("kept".utf8).write(to: kept)
        let root = folder.url.appendingPathComponent("Firewheel-cache-1")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        for shard in 0..<256 {
            let path = root.appendingPathComponent((shard < 16 ? "0" : "") + String(shard, radix: 16))
            switch shard % 4 {
            case 0: try Data().write(to: path)
            case 1: #expect(mkfifo(path.path, 0o600) == 0)
            case 2: try FileManager.default.createSymbolicLink(atPath: path.path, withDestinationPath: "missing")
            default: try FileManager.default.createSymbolicLink(at: path, withDestinationURL: other.url)
            }
        }
        for name in ["temporary", "lock"] {
            try FileManager.default.createSymbolicLink(at: root.appendingPathComponent(name), withDestinationURL: other.url)
        }
        let bench = bench(folder)
        for number in 0..<20 { #expect(await bench.get("http://cache.test/\(number)").source == .network) }
        for number in 0..<20 { #expect(await bench.get("http://cache.test/\(number)").source == .cache(age: 0)) }
        #expect(bench.cache.statistics.entryCount == 20)
        #expect(FileManager.default.fileExists(atPath: kept.path) && other.files == ["kept.txt"])
    }

    @Test("A folder in the place of a file is a miss, and holds nothing up")
    func folderAsFile() async throws {
        for suffix in [".head", ".body"] {
            let folder = try CacheFolder()
            let bench = bench(folder)
            _ = await bench.get()
            bench.settle()
            let file = try #require(folder.files(suffix).first)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            let second = self.bench(folder)
            #expect(await second.get().source == .network)
            #expect(await second.get().source == .cache(age: 0))
        }
    }

    @Test("A pipe in the place of a file holds nothing up")
    func pipe() async throws {
        for suffix in [".head", ".body"] {
            let folder = try CacheFolder()
            let bench = bench(folder)
            _ = await bench.get()
            bench.settle()
            let file = try #require(folder.files(suffix).first)
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
            let second = self.bench(folder)
            #expect(await second.get().source == .network)
            #expect(await second.get().source == .cache(age: 0))
        }
    }

    @Test("A directory to which every user may write is an error, unless only owners may remove files")
    func writableByAll() throws {
        let folder = try CacheFolder()
        #expect(chmod(folder.url.path, 0o777) == 0)
        let error = #expect(throws: FirewheelError.self) { try HTTPCache(directory: folder.url) }
        #expect(error?.kind == .cacheDirectoryFailed && "\(error as Any)".contains("every user may write"), "\(error as Any)")
        #expect(chmod(folder.url.path, 0o1777) == 0)
        _ = try HTTPCache(directory: folder.url)
    }

    @Test("Later processes know what was used last, also if the clock has gone back")
    func uses() async throws {
        let folder = try CacheFolder()
        let first = bench(folder, capacity: 50_000)
        for number in 0..<10 { _ = await first.get("http://cache.test/\(number)") }
        first.settle()
        // Stored long ago, and one at a time that has yet to come.
        let heads = folder.files(".head")
        for head in heads { try CacheFolder.age(head, by: 3600) }
        try CacheFolder.age(heads[0], by: -3600)
        let second = bench(folder, capacity: 50_000)
        second.settle()
        #expect(second.cache.statistics.entryCount == 10)
        for number in [3, 4] { #expect(await second.get("http://cache.test/\(number)").source == .cache(age: 0)) }
        second.settle()
        let later = Date() + 60
        for head in heads {
            let changed = try FileManager.default.attributesOfItem(atPath: head.path)[.modificationDate] as? Date
            #expect(try #require(changed) < later)
        }
        let third = bench(folder, capacity: 50_000)
        for number in 10..<17 { _ = await third.get("http://cache.test/\(number)") }
        #expect(third.cache.statistics.evictionCount > 0)
        for number in [3, 4] { #expect(await third.get("http://cache.test/\(number)").source == .cache(age: 0)) }
    }

    @Test("A lock that somebody keeps holds up one write, and later ones are made again")
    func keptLock() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder)
        let other = open(folder.url.path + "/Firewheel-cache-1/lock", O_RDWR | O_CLOEXEC)
        #expect(other >= 0 && FileLock.take(other))
        #expect(await bench.get().source == .network)
        #expect(await bench.get().source == .network)
        bench.settle()
        let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
        #expect(words.contains("could not be written"), "\(words)")
        // Those who write wait once, and then try.
        let pauses = Locked(0)
        let lock = try CommitLock(folder.url.path + "/Firewheel-cache-1/lock", pause: { pauses.withLock { $0 += 1 } })
        for _ in 0..<3 {
            #expect(throws: POSIXError.self) { try lock.withShared {} }
            #expect(pauses.withLock(\.self) == 499)
        }
        close(other)
        #expect(try lock.withShared { true } && pauses.withLock(\.self) == 499)
        _ = await bench.get()
        #expect(await bench.get().source == .cache(age: 0))
    }

    @Test("A disk that does not answer is given up after the idle timeout")
    func stuck() async throws {
        let folder = try CacheFolder()
        let bench = CacheBench(configuration: .with { $0.timeoutIntervalForRequest = 0.2 }, in: folder) { _, number in
            .of("body \(number)", Self.fresh)
        }
        #expect(await bench.get().value == Data("body 1".utf8))
        bench.settle()
        let gate = DispatchSemaphore(value: 0)
        bench.cache.run { gate.wait() }
        #expect(await bench.get().value == Data("body 2".utf8))
        gate.signal()
        bench.settle()
        let later = self.bench(folder)
        #expect(await later.get().value == Data("body 2".utf8) && later.count == 0)
    }

    @Test("A request that is suspended while the disk does not answer goes on when it is resumed")
    func suspended() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder)
        let transport = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        let sent = TransportRequest(
            id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI("http://cache.test/a")), idleTimeout: 60)
        let asked = CacheRequest(sent, mode: .rules)
        for answersFirst in [true, false] {
            let journal = Journal<TransportEvent>()
            let exchange = CacheExchange(sent, asked, CachedBodyTests.Receiver(journal), of: transport)
            exchange.waitForLookup()
            exchange.pause()
            exchange.rang()
            #expect(journal.count == 0 && bench.count == 0)
            if answersFirst { exchange.play(CachedAnswer(unsatisfiableBy: .rules)) }
            exchange.resume()
            if !answersFirst { exchange.play(CachedAnswer(unsatisfiableBy: .rules)) }
            try await waitUntil("it is answered") { journal.entries.contains(where: \.isEnd) }
        }
        #expect(bench.count == 0)
    }

    @Test("A Vary of 1,000 fields is stored and found")
    func vary() async throws {
        let folder = try CacheFolder()
        let names = (0..<1_000).map { "X-Field-\($0)" }
        let answer: CacheBench.Answer = { _, _ in .of(["Cache-Control": "max-age=100", "Vary": names.joined(separator: ", ")]) }
        let headers = HTTPHeaders(names.prefix(50).map { HTTPHeader(name: $0, value: "secret value") })
        let first = CacheBench(in: folder, answer)
        #expect(await first.get(headers: headers).source == .network)
        first.settle()
        let second = CacheBench(in: folder, answer)
        #expect(await second.get(headers: headers).source == .cache(age: 0))
        #expect(await second.get(headers: ["X-Field-1": "other"]).source == .network)
        #expect(!folder.contains("secret value"))
    }

    @Test(
        "Ages and lifetimes of any size are the same after a restart",
        arguments: [
            ["Cache-Control": "max-age=18446744073709551616"], ["Cache-Control": "max-age=-1"], ["Cache-Control": "max-age=1.5"],
            ["Cache-Control": "max-age=10, max-age=20"], ["Cache-Control": "max-age=10", "Age": "18446744073709551616"],
            ["Cache-Control": "max-age=10", "Age": "-5"], ["Cache-Control": "max-age=10", "Age": "1.5"], ["Expires": "0"],
            ["Cache-Control": "max-age=10", "Date": "Thu, 01 Jan 1970 00:00:00 GMT"],
        ] as [HTTPHeaders])
    func numbers(_ fields: HTTPHeaders) async throws {
        let folder = try CacheFolder()
        let answer: CacheBench.Answer = { _, _ in .of(fields) }
        let first = CacheBench(in: folder, answer)
        _ = await first.get()
        first.settle()
        let url = URLRequest(url: try #require(URL(string: "http://cache.test/a")))
        #expect(first.cache.explain(url) == CacheBench(in: folder, answer).cache.explain(url))
    }
}
