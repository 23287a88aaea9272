import Foundation
import Testing

@testable import Firewheel

@Suite("The file of a stored head") struct DiskRecordTests {
    static func record(_ bodyCount: Int = 150_000, fixedFields: Set<String> = ["cache-control", "x-gone"]) throws -> DiskRecord {
        let target = try #require(TargetURI("http://cache.test/a?b=c"))
        let request = CacheRequest(
            method: .get, target: target, headers: ["Authorization": "Basic c2VjcmV0", "Accept-Language": "de, en", "Cookie": "id=secret"])
        let head = ResponseHead(
            statusCode: 203, httpVersion: "HTTP/2",
            headers: HTTPHeaders(received: [
                HTTPHeader(name: "ETag", value: "\"1\""), HTTPHeader(name: "Cache-Control", value: "max-age=60"),
                HTTPHeader(name: "X-Twice", value: "1"), HTTPHeader(name: "x-twice", value: "caf\u{E9}"),
                HTTPHeader(name: "Age", value: "7"),
            ]))
        let response = StoredResponse(
            head, of: request, varyingBy: ["accept-language", "cookie", "x-missing"], requestTime: 1_800_000_000,
            responseTime: 1_800_000_001.5, clientLifetime: nil, fixedFields: fixedFields)
        return DiskRecord(
            key: request.key, response: response, bodyCount: bodyCount,
            checksums: (0..<CacheFile.blockCount(of: bodyCount)).map { UInt32($0) &* 0x9E37_79B9 })
    }

    @Test("A head is read as it was written, with hashes in place of the request's texts", arguments: [[], ["cache-control", "x-gone"]])
    func roundTrip(fixedFields: Set<String>) throws {
        let record = try Self.record(fixedFields: fixedFields)
        let file = try record.encoded()
        let read = try DiskRecord(file, clientLifetime: nil)
        #expect(read.key == record.key && read.bodyCount == 150_000 && read.checksums == record.checksums && read.checksums.count == 3)
        let (old, new) = (record.response, read.response)
        #expect(new.head == old.head && new.freshness == old.freshness && new.control == old.control)
        #expect(new.isDecoded == old.isDecoded && new.hasQuery && new.conditions.map(\.value) == old.conditions.map(\.value))
        #expect(new.freshness.age(at: 1_800_000_002) == 9 && new.fixedFields == fixedFields)
        for secret in ["secret", "c2VjcmV0", "de,en"] { #expect(file.range(of: Data(secret.utf8)) == nil) }
        let target = try #require(TargetURI("http://cache.test/a?b=c"))
        func asked(_ headers: HTTPHeaders) -> CacheRequest { CacheRequest(method: .get, target: target, headers: headers) }
        let same = asked(["Authorization": "Basic c2VjcmV0", "Accept-Language": "de,en", "Cookie": "id=secret"])
        #expect(new.fits(same) && new.isAuthorized(like: same))
        #expect(!new.fits(asked(["Accept-Language": "de", "Cookie": "id=secret"])) && !new.fits(asked(["Cookie": "id=secret"])))
        #expect(!new.fits(asked(["Accept-Language": "de,en", "Cookie": "id=secret", "X-Missing": "1"])))
        #expect(!new.isAuthorized(like: asked([:])) && !new.isAuthorized(like: asked(["Authorization": "Basic c2VjcmV1"])))
    }

    @Test("What says how long a response is fresh is asked anew if the server did not")
    func defaultFreshness() throws {
        let target = try #require(TargetURI("http://cache.test/"))
        let response = StoredResponse(
            ResponseHead(statusCode: 200), of: CacheRequest(method: .get, target: target, headers: [:]), varyingBy: [], requestTime: 0,
            responseTime: 0, clientLifetime: nil)
        let file = try DiskRecord(key: "http://cache.test/", response: response, bodyCount: 0, checksums: []).encoded()
        #expect(try DiskRecord(file, clientLifetime: 50).response.freshness.lifetime == 50)
        #expect(try DiskRecord(file, clientLifetime: nil).response.freshness.lifetime == 0)
    }

    @Test("A file that was cut off, extended, or changed anywhere is no head")
    func damage() throws {
        let file = try Self.record().encoded()
        for count in 0..<file.count {
            #expect(throws: DiskRecord.Invalid.self) { try DiskRecord(file.prefix(count), clientLifetime: nil) }
        }
        #expect(throws: DiskRecord.Invalid.self) { try DiskRecord(file + [0], clientLifetime: nil) }
        for index in file.indices {
            var changed = file
            changed[index] ^= 1 << UInt8.random(in: 0..<8)
            #expect(throws: DiskRecord.Invalid.self) { try DiskRecord(changed, clientLifetime: nil) }
        }
    }

    @Test("Anything behind a right checksum is read or refused")
    func randomInput() throws {
        let file = [UInt8](try Self.record().encoded())
        for _ in 0..<2000 {
            var rest = Array(file[16...])
            for _ in 0..<Int.random(in: 1...4) {
                switch Int.random(in: 0..<3) {
                case 0: rest[Int.random(in: 0..<rest.count)] = UInt8.random(in: 0...255)
                case 1: rest.removeLast(Int.random(in: 0..<min(rest.count, 40)))
                default: rest.insert(UInt8.random(in: 0...255), at: Int.random(in: 0..<rest.count))
                }
            }
            var checksum = CRC32()
            rest.withUnsafeBytes { checksum.add($0) }
            func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
            let data = Data(file[..<8] + bytes(checksum.value) + bytes(UInt32(rest.count)) + rest)
            if let record = try? DiskRecord(data, clientLifetime: nil) {
                #expect(record.checksums.count == CacheFile.blockCount(of: record.bodyCount))
            }
        }
    }

    @Test("Names of files are read as they are written, and no others", arguments: ["http://cache.test/", "", "\u{E9}"])
    func names(_ url: String) {
        let name = DiskName(of: DiskName.Key(url))
        func parse(_ file: String) -> (name: DiskName, suffix: String)? { Array(file.utf8).withUnsafeBytes { DiskName.parse($0) } }
        let parsed = parse(name.text + ".head")
        #expect(parsed?.name == name && parsed?.suffix == "head" && (0..<256).contains(name.key.shard))
        #expect(DiskName(of: name.key) != name && DiskName.Key(url) == name.key && DiskName.Key(url + "x") != name.key)
        for other in [name.text, name.text + ".", name.text.uppercased() + ".head", "x" + name.text + ".head", "", ".", "a.head"] {
            #expect(other == name.text + ".head" || parse(other) == nil)
        }
    }

    @Test("The shards are used evenly")
    func shards() {
        var counts = [Int](repeating: 0, count: 256)
        for number in 0..<25_600 { counts[DiskName.Key("https://cache.test/items/\(number)").shard] += 1 }
        #expect((counts.min() ?? 0) > 50 && (counts.max() ?? 0) < 200)
    }
}
