import Firewheel
import Foundation
import Testing

/// Property lists as values and decoded. A server chooses their depth, and a binary one can contain itself.
@Suite("Property lists")
struct PropertyListTests {
    private let value: [String: Any] = ["a": [1, 2.5, true], "b": ["c": "x"], "d": Data([1]), "e": Date(timeIntervalSince1970: 0)]

    @Test("XML and binary property lists are read, and the error of others has the cause and the bytes", arguments: [100, 200] as [UInt])
    func values(format: UInt) throws {
        let format = try #require(PropertyListSerialization.PropertyListFormat(rawValue: format))
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
        let list = try #require(try apply(.propertyList(), data).get() as? [String: Any])
        #expect((list["a"] as? [Any])?.count == 3 && (list["b"] as? [String: Any])?["c"] as? String == "x")
        #expect(list["d"] as? Data == Data([1]) && list["e"] as? Date == Date(timeIntervalSince1970: 0))
        for bytes in [Data([0xFF]), Data(data.prefix(data.count / 2)), Data("<plist>".utf8)] {
            let error = try #require(throws: FirewheelError.self) { try apply(.propertyList(), bytes).get() }
            #expect(error.kind == .responseSerializationFailed(.propertyListSerializationFailed))
            #expect(error.underlyingError != nil && error.responseData == bytes)
        }
    }

    @Test("Handlers and tasks read property lists on data requests and downloads")
    func handlers() async throws {
        let data = try PropertyListSerialization.data(fromPropertyList: ["a": 7], format: .binary, options: 0)
        let session = session(data: data)
        let values = Journal<Int?>()
        session.request("http://stub.test/").responsePropertyList(queue: .global()) { values.add(($0.value as? [String: Int])?["a"]) }
        #expect(try await values.wait(for: 1) == [7])
        session.request("http://stub.test/").responsePropertyList(options: .mutableContainers) { response in
            values.add((response.value as? [String: Any])?["a"] as? Int)
        }
        #expect(try await values.wait(for: 2) == [7, 7])
        let files = Journal<URL?>()
        session.download("http://stub.test/").responsePropertyList(queue: .global()) { response in
            values.add((response.value as? [String: Int])?["a"])
            files.add(response.fileURL)
        }
        #expect(try await values.wait(for: 3) == [7, 7, 7])
        for file in try await files.wait(for: 1) { try FileManager.default.removeItem(at: try #require(file)) }
        withExtendedLifetime(session) {}
    }

    /// An array that contains itself, to any depth.
    struct Nested: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            guard var container = try? decoder.unkeyedContainer() else { return }
            while !container.isAtEnd { _ = try container.decode(Nested.self) }
        }
    }

    @Test("Deep property lists are an error", arguments: [1000, 20_000, 200_000])
    func deep(levels: Int) throws {
        let xml =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\">" + String(repeating: "<array>", count: levels)
            + String(repeating: "</array>", count: levels) + "</plist>"
        for data in [Data(xml.utf8), binaryList(levels: levels)] {
            #expect(kind(try apply(.decodable(of: Nested.self, decoder: PropertyListDecoder()), data)) == decodingFailed)
            // Foundation's limit depends on the form of the list.
            if case .failure(let error) = try apply(.propertyList(), data) {
                #expect(kind(error) == .responseSerializationFailed(.propertyListSerializationFailed))
            }
        }
    }

    @Test("A binary property list that contains itself is an error", arguments: [1, 3, 100])
    func cyclic(levels: Int) throws {
        let data = binaryList(levels: levels, holdsItself: true)
        #expect(kind(try apply(.propertyList(), data)) == .responseSerializationFailed(.propertyListSerializationFailed))
        #expect(kind(try apply(.decodable(of: Nested.self, decoder: PropertyListDecoder()), data)) == decodingFailed)
    }

    private let decodingFailed = FirewheelError.Kind.responseSerializationFailed(.decodingFailed)

    /// Arrays of one element each. The last one is empty, or contains the first.
    private func binaryList(levels: Int, holdsItself: Bool = false) -> Data {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for level in 0..<levels {
            offsets.append(data.count)
            let isLast = level == levels - 1
            data += isLast && !holdsItself ? [0xA0] : [0xA1] + bytes(isLast ? 0 : level + 1, 3)
        }
        let table = data.count
        for offset in offsets { data += bytes(offset, 4) }
        return data + [0, 0, 0, 0, 0, 0, 4, 3] + bytes(levels, 8) + bytes(0, 8) + bytes(table, 8)
    }
}
