import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("A cache on disk") struct DiskCacheTests {
    static let fresh: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"1\""]

    /// A session of another process, as far as the files are concerned.
    private func bench(
        _ folder: CacheFolder, capacity: Int = 1 << 20,
        _ answer: @escaping CacheBench.Answer = { _, number in .of("body \(number)", fresh) }
    ) -> CacheBench { CacheBench(capacity: capacity, in: folder, answer) }

    @Test("Responses are there for a later process, with their age")
    func reopened() async throws {
        let folder = try CacheFolder()
        let first = bench(folder)
        #expect(await first.get().source == .network)
        #expect(await first.get().source == .cache(age: 0))
        first.wait(10)
        #expect(await first.get(headers: ["X-Other": "1"]).source == .cache(age: 10))
        let second = bench(folder)
        second.wait(30)
        let response = await second.get()
        #expect(response.source == .cache(age: 30) && response.value == Data("body 1".utf8) && second.count == 0)
        #expect(response.response?.value(forHTTPHeaderField: "ETag") == "\"1\"")
    }

    @Test("Several caches in one directory see what the others store, replace, confirm and remove")
    func shared() async throws {
        let folder = try CacheFolder()
        let (one, other) = (
            bench(folder),
            bench(folder) { request, number in
                request.headers.contains(name: "If-None-Match") ? .of("", status: 304, Self.fresh) : .of("other \(number)", Self.fresh)
            }
        )
        _ = await one.get()
        one.settle()
        #expect(await other.get().value == Data("body 1".utf8))
        // Replaced by the other.
        #expect(await other.get(policy: .reloadIgnoringLocalCacheData).value == Data("other 1".utf8))
        other.settle()
        #expect(await one.get().value == Data("other 1".utf8) && one.count == 1)
        #expect(one.cache.statistics.entryCount == 1)
        // Confirmed by the other.
        try await folder.tick()
        one.wait(200)
        other.wait(200)
        #expect(await other.get().source == .revalidated(age: 0))
        other.settle()
        #expect(await one.get().source == .cache(age: 0) && one.count == 1)
        // Removed by the other.
        other.cache.remove(for: try #require(URL(string: "http://cache.test/a")))
        #expect(await one.get().source == .network && one.count == 2)
        one.settle()
        other.cache.removeAll()
        #expect(await one.get().source == .network)
        one.settle()
        #expect(folder.files(".head").count == 1)
    }

    @Test("What was used a moment ago is replaced and removed at once")
    func recent() async throws {
        let folder = try CacheFolder()
        let (bench, other) = (bench(folder), bench(folder))
        for number in 0..<50 {
            let stored = await bench.get(policy: .reloadIgnoringLocalCacheData).value
            for _ in 0..<3 { #expect(await bench.get().value == stored) }
            guard number.isMultiple(of: 10) else { continue }
            (number.isMultiple(of: 20) ? bench : other).cache.removeAll()
            #expect(await bench.get().source == .network)
        }
        #expect(bench.count == 55 && bench.cache.statistics.entryCount == 1)
    }

    @Test("Entries that are kept in memory are few enough, and are forgotten with a change of the folder")
    func recentEntries() throws {
        let root = try CacheFolder()
        let folder = try DiskFolder(root.url)
        let recent = RecentEntries(folder)
        func request(_ number: Int) throws -> CacheRequest {
            CacheRequest(method: .get, target: try #require(TargetURI("http://cache.test/\(number)")), headers: [:])
        }
        func entry(_ request: CacheRequest) -> CacheEntry {
            let response = StoredResponse(
                ResponseHead(statusCode: 200), of: request, varyingBy: [], requestTime: 0, responseTime: 0, clientLifetime: nil)
            return CacheEntry(key: request.key, response: response, body: .data(Data(count: 1 << 20)))
        }
        for number in 0..<20 {
            let request = try request(number)
            let key = DiskName.Key(request.key)
            mkdir("\(folder.root)/\(String(0x100 + key.shard, radix: 16).dropFirst())", 0o700)
            recent.add(entry(request), key, try #require(folder.stamp(of: key.shard)))
            #expect(recent.entry(for: request)?.isToBeNoted == false)
        }
        #expect(try (0..<20).count { try recent.entry(for: request($0)) != nil } <= 8)
        let last = try request(19)
        let shard = DiskName.Key(last.key).shard
        try FileManager.default.removeItem(atPath: "\(folder.root)/\(String(0x100 + shard, radix: 16).dropFirst())")
        #expect(recent.entry(for: last) == nil)
        recent.remove(DiskName.Key(try request(18).key))
        #expect(try recent.entry(for: request(18)) == nil)
    }

    @Test("Variants, their order, and the URL are kept apart")
    func variants() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder) { request, _ in
            .of(request.headers.value(for: "Accept-Language") ?? "-", ["Cache-Control": "max-age=100", "Vary": "Accept-Language"])
        }
        for language in ["de", "en", "fr"] { #expect(await bench.get(headers: ["Accept-Language": language]).source == .network) }
        bench.settle()
        let second = self.bench(folder)
        for language in ["fr", "de", "en"] {
            #expect(await second.get(headers: ["Accept-Language": language]).value == Data(language.utf8))
        }
        #expect(await second.get("http://cache.test/b").source == .network)
        #expect(second.cache.statistics.entryCount == 4 && second.cache.entries.count == 4)
        #expect(second.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a")))).contains("accept-language"))
    }

    @Test("Files and folders are the owner's alone, whatever was there before")
    func permissions() async throws {
        let folder = try CacheFolder()
        let root = folder.url.appendingPathComponent("Firewheel-cache-1")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        chmod(root.path, 0o777)
        let bench = bench(folder)
        _ = await bench.get()
        bench.settle()
        let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        #expect(all.contains { $0.hasSuffix(".head") } && all.contains { $0.hasSuffix(".body") })
        for path in [""] + all {
            var facts = stat()
            #expect(lstat(root.appendingPathComponent(path).path, &facts) == 0 && facts.st_mode & 0o077 == 0, "\(path)")
        }
    }

    @Test("no-store on either side leaves no byte, nor does an interrupted body, nor a secret of a request")
    func noStore() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder) { request, _ in
            switch request.target.string {
            case "http://cache.test/store": .of("no-store-body", ["Cache-Control": "max-age=100, no-store"])
            case "http://cache.test/lost":
                [
                    .response(ResponseHead(statusCode: 200, headers: Self.fresh)), .chunk(Data("lost-body".utf8)),
                    .fail(.failed(.networkConnectionLost, "lost")),
                ]
            default: .of("kept-body", ["Cache-Control": "max-age=100", "Vary": "Cookie, Authorization"])
            }
        }
        _ = await bench.get("http://cache.test/store")
        _ = await bench.get("http://cache.test/asked", headers: ["Cache-Control": "no-store"])
        _ = await bench.session.download("http://cache.test/lost").serializingData().response
        _ = await bench.get(headers: ["Authorization": "Bearer secret-token", "Cookie": "id=secret-cookie"])
        #expect(bench.cache.statistics.entryCount == 1)
        #expect(await eventually { folder.files(".tmp").isEmpty })
        #expect(folder.contains("kept-body") && !folder.contains("store-body") && !folder.contains("lost-body"))
        #expect(!folder.contains("secret"))
        let same = await bench.get(headers: ["Authorization": "Bearer secret-token", "Cookie": "id=secret-cookie"])
        #expect(same.source == .cache(age: 0))
        #expect(await bench.get(headers: ["Authorization": "Bearer other", "Cookie": "id=secret-cookie"]).source == .network)
    }

    @Test("A damaged, cut off or foreign file is a miss, and is removed", arguments: [".head", ".body"])
    func damage(_ suffix: String) async throws {
        for damage in Damage.allCases {
            let folder = try CacheFolder()
            let bench = bench(folder)
            _ = await bench.get()
            #expect(bench.cache.statistics.entryCount == 1)
            let file = try #require(folder.files(suffix).first)
            try damage.apply(to: file)
            let second = self.bench(folder)
            let response = await second.get()
            #expect(response.source == .network && response.value == Data("body 1".utf8), "\(damage)")
            #expect(second.cache.statistics.entryCount == 1 && folder.files(".head").count == 1, "\(damage)")
            #expect(folder.files(".body").count == 1 && !folder.contains("foreign"), "\(damage)")
            #expect(await second.get().source == .cache(age: 0), "\(damage)")
        }
    }

    enum Damage: CaseIterable {
        case changed, cutOff, extended, emptied, foreign, removed, link

        func apply(to file: URL) throws {
            var data = try Data(contentsOf: file)
            switch self {
            case .changed: data[data.count - 1] ^= 1
            case .cutOff: data.removeLast()
            case .extended: data.append(0)
            case .emptied: data = Data()
            case .foreign: data = Data("foreign".utf8)
            case .removed: return try FileManager.default.removeItem(at: file)
            case .link:
                try FileManager.default.removeItem(at: file)
                return try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
            }
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: data)
            try handle.close()
        }
    }

    @Test("Other files in the cache's folders are removed; those beside them, and of other versions, are not touched")
    func foreignFiles() async throws {
        let folder = try CacheFolder()
        for path in ["notes.txt", "Firewheel-cache-2/00/entry.head", "Firewheel-cache-1/00/foreign.txt", "Firewheel-cache-1/00/x.head"] {
            let file = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("text".utf8).write(to: file)
        }
        let bench = bench(folder)
        _ = await bench.get()
        #expect(bench.cache.statistics.entryCount == 1)
        bench.cache.removeAll()
        #expect(
            folder.files.filter { !$0.hasPrefix("Firewheel-cache-1/lock") && !$0.contains("temporary") } == [
                "Firewheel-cache-2/00/entry.head", "notes.txt",
            ])
    }

    @Test("A body without a head, as a killed process leaves it, is removed, and so is a head without a body")
    func halves() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder)
        for number in 0..<4 { _ = await bench.get("http://cache.test/\(number)") }
        bench.settle()
        for (index, file) in folder.files(".head").enumerated() where index < 2 { try FileManager.default.removeItem(at: file) }
        let heads = folder.files(".head")
        try FileManager.default.removeItem(at: heads[0].deletingPathExtension().appendingPathExtension("body"))
        let second = self.bench(folder)
        #expect(second.cache.statistics.entryCount == 1)
        #expect(folder.files(".head").count == 1 && folder.files(".body").count == 1)
    }

    @Test("The least recently used responses go first, also those of an earlier process")
    func eviction() async throws {
        let folder = try CacheFolder()
        let body = String(repeating: "x", count: 4000)
        let answer: CacheBench.Answer = { _, _ in .of(body, Self.fresh) }
        let first = bench(folder, capacity: 100_000, answer)
        for number in 0..<20 { _ = await first.get("http://cache.test/\(number)") }
        #expect(first.cache.statistics.entryCount == 20 && first.cache.statistics.evictionCount == 0)
        #expect(first.cache.statistics.byteCount > 80_000 && first.cache.statistics.byteCount < 100_000)
        // All but number 1 have been used since the other process began.
        let second = bench(folder, capacity: 100_000, answer)
        second.settle()
        for number in 0..<20 where number != 1 { #expect(await second.get("http://cache.test/\(number)").source == .cache(age: 0)) }
        for number in 20..<25 { _ = await second.get("http://cache.test/\(number)") }
        let statistics = second.cache.statistics
        #expect(statistics.byteCount <= 100_000 && statistics.evictionCount > 0)
        #expect(await second.get("http://cache.test/1").source == .network)
        #expect(await second.get("http://cache.test/19").source == .cache(age: 0))
        // A smaller capacity holds from the next response on.
        let third = bench(folder, capacity: 50_000, answer)
        _ = await third.get("http://cache.test/new")
        #expect(third.cache.statistics.byteCount <= 50_000)
        #expect(await third.get("http://cache.test/new").source == .cache(age: 0))
    }

    @Test("A response larger than a tenth of the capacity is not stored, and leaves no file")
    func entryLimit() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder, capacity: 100_000) { _, _ in
            [
                .response(ResponseHead(statusCode: 200, headers: Self.fresh)), .chunk(Data(count: 6_000)), .chunk(Data(count: 6_000)),
                .finish(body: nil),
            ]
        }
        _ = await bench.session.download("http://cache.test/a").serializingData().response
        _ = await bench.get()
        #expect(bench.cache.statistics.entryCount == 0)
        #expect(await eventually { folder.files(".tmp").isEmpty && folder.files(".body").isEmpty })
        #expect(bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a")))).contains("a tenth"))
    }

    @Test("A directory that cannot be used is an error which names it")
    func unusable() throws {
        let folder = try CacheFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        for url in [file, file.appendingPathComponent("below"), URL(fileURLWithPath: "/proc/cache")] {
            let error = #expect(throws: FirewheelError.self) { try HTTPCache(directory: url) }
            #expect(error?.kind == .cacheDirectoryFailed && "\(error as Any)".contains(url.path), "\(error as Any)")
        }
        let error = #expect(throws: FirewheelError.self) {
            try HTTPCache(directory: try #require(URL(string: "https://user:secret@cache.test/")))
        }
        #expect(error?.kind == .cacheDirectoryFailed && !"\(error as Any)".contains("secret"))
        // Our own folder is not a link to another place.
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/Firewheel-cache-1", withDestinationPath: NSTemporaryDirectory())
        #expect(throws: FirewheelError.self) { try HTTPCache(directory: folder.url) }
    }

    @Test("A directory of another user is an error", .enabled(if: geteuid() == 0, "only root can give a directory away"))
    func foreignOwner() throws {
        for path in ["", "/Firewheel-cache-1"] {
            let folder = try CacheFolder()
            if !path.isEmpty {
                try FileManager.default.createDirectory(atPath: folder.url.path + path, withIntermediateDirectories: false)
            }
            #expect(chown(folder.url.path + path, 1, 1) == 0)
            let error = #expect(throws: FirewheelError.self) { try HTTPCache(directory: folder.url) }
            #expect("\(error as Any)".contains("belongs to another user"), "\(error as Any)")
        }
    }

    @Test("A directory that is removed meanwhile loses its responses, and is made again")
    func gone() async throws {
        let folder = try CacheFolder()
        let bench = bench(folder)
        _ = await bench.get()
        bench.settle()
        try FileManager.default.removeItem(at: folder.url)
        #expect(await bench.get().source == .network)
        #expect(await bench.get().source == .cache(age: 0))
        #expect(folder.files(".head").count == 1)
    }
}
