import Firewheel
import Foundation
import Testing

/// Property lists that are small to send and expensive to read end in an error, soon and with little memory.
@Suite("Bounds of property lists", .timeLimit(.minutes(10)))
struct PropertyListBoundTests {
    private func failure(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) throws -> any Error {
        let error = try #require(throws: FirewheelError.self, sourceLocation: sourceLocation) { try apply(.propertyList(), data).get() }
        #expect(error.kind == .responseSerializationFailed(.propertyListSerializationFailed), sourceLocation: sourceLocation)
        let decoding = DataResponseSerializer<[String]>.decodable(of: [String].self, decoder: PropertyListDecoder())
        #expect(throws: FirewheelError.self, sourceLocation: sourceLocation) { try apply(decoding, data).get() }
        return try #require(error.underlyingError, sourceLocation: sourceLocation)
    }

    /// What a `DecodingError` of the guard says.
    private func refusal(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let error = try failure(data, sourceLocation: sourceLocation)
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
        return context.debugDescription
    }

    // MARK: Text

    @Test("Elements plist in each other, which overflow the stack of Foundation for Linux, are an error in every encoding")
    func nested() throws {
        let text = String(repeating: "<plist>", count: 200_000) + "<true/>"
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf32LittleEndian] {
            let data = try #require(text.data(using: encoding))
            #expect(try refusal(data) == "more than 512 plist elements")
        }
        for name in ["utf-8", "ISO-8859-1", "shift_jis"] {
            #expect(try refusal(Data("<?xml version='1.0' encoding='\(name)'?>\(text)".utf8)) == "more than 512 plist elements")
        }
        _ = try failure(Data(String(repeating: "<plist>", count: 400).utf8))
    }

    @Test("An encoding in which markup can hide is an error", arguments: ["UTF-7", "ISO-2022-JP", "IBM037", "x-none"])
    func hidden(name: String) throws {
        let data = Data("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><true/></plist>".utf8)
        #expect(try refusal(data) == "the encoding \(name) is not supported")
    }

    @Test("Property lists in other encodings are read")
    func encodings() throws {
        for (name, encoding) in [
            ("ISO-8859-1", String.Encoding.isoLatin1), ("UTF-16", .utf16), ("utf-8", .utf8), ("windows-1252", .windowsCP1252),
        ] {
            let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?><plist version=\"1.0\"><string>é</string></plist>"
            let data = try #require(text.data(using: encoding))
            #expect(try apply(.propertyList(), data).get() as? String == "é", "\(name)")
        }
    }

    @Test(
        "Deep lists in the format of OpenStep, and entities, are an error",
        arguments: ["(", "{a=", "<", "\"", "<array>", "<dict><key>a</key>"])
    func deep(piece: String) throws {
        _ = try failure(Data(String(repeating: piece, count: 300_000).utf8))
        let entity = "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>"
        _ = try failure(Data(entity.utf8))
    }

    @Test("A list in the format of OpenStep is read")
    func openStep() throws {
        let list = try #require(try apply(.propertyList(), Data("{ a = (1, \"b c\"); d = <0aff>; }".utf8)).get() as? [String: Any])
        #expect(list["a"] as? [String] == ["1", "b c"] && list["d"] as? Data == Data([0x0A, 0xFF]))
    }

    // MARK: Binary

    private static func bytes(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }

    /// An array, data or text of any length: the marker with the length 15, and the length as an integer.
    private static func long(_ marker: UInt8, _ count: Int) -> [UInt8] { [marker | 0x0F, 0x12] + bytes(count, 4) }

    private static func array(_ elements: some Sequence<Int>) -> [UInt8] {
        let references = elements.map { bytes($0, 3) }
        return long(0xA0, references.count) + references.flatMap { $0 }
    }

    /// A binary list of these objects, of which the first is the value. Offsets behind theirs may be added.
    private static func list(_ objects: [[UInt8]], overlapping: [Int] = []) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data += object
        }
        offsets += overlapping
        let table = data.count
        for offset in offsets { data += bytes(offset, 4) }
        return data + [0, 0, 0, 0, 0, 0, 4, 3] + bytes(offsets.count, 8) + bytes(0, 8) + bytes(table, 8)
    }

    /// Arrays with two references to the next array: 2 to the power of 60 values in one kilobyte.
    private static var doubling: Data { list((0..<60).map { array([$0 + 1, $0 + 1]) } + [[0xA0]]) }

    /// One text of 200 kB, referred to 100,000 times.
    private static var repeated: Data {
        list([array(repeatElement(1, count: 100_000)), long(0x50, 200_000) + [UInt8](repeating: 0x61, count: 200_000)])
    }

    /// 10,000 pieces of data, each of which begins six bytes behind the one before it, and ends in the last 100 kB.
    private static var overlapping: Data {
        let count = 10_000
        let pieces = (0..<count).flatMap { long(0x40, 100_000 + 6 * (count - 1 - $0)) }
        let values = array(1...count)
        let first = 8 + values.count
        return list([values, pieces + [UInt8](repeating: 0, count: 100_000)], overlapping: (1..<count).map { first + 6 * $0 })
    }

    /// Arrays of one element each, which an array in front of them refers to from the last one on, so that none of them is deep when it is read.
    private static var chain: Data {
        let levels = 30_000
        let links = (0..<levels).map { array($0 == levels - 1 ? [] : [$0 + 2]) }
        return list([array(stride(from: levels, to: 0, by: -500))] + links)
    }

    static let bombs: [(String, @Sendable () -> Data)] = [
        ("arrays that are shared", { doubling }), ("text that is shared", { repeated }), ("data that overlaps", { overlapping }),
    ]

    @Test("Objects that refer to each other so often that they are large are an error", arguments: bombs.indices)
    func expansion(index: Int) throws {
        #expect(try refusal(Self.bombs[index].1()) == "its objects are shared so often that they would take too much memory")
    }

    @Test("Objects that are deep only together are an error")
    func together() throws {
        #expect(try refusal(Self.chain) == "more than 512 nested arrays and dictionaries")
    }

    @Test("A set, on which Foundation for Linux traps, is an error wherever it is")
    func set() throws {
        for objects in [[[0xC0]], [[0xA1, 0, 0, 1], [0xC1, 0, 0, 2], [0x09]], [[0xD1, 0, 0, 1, 0, 0, 2], [0x51, 0x61], [0xC0]]]
            as [[[UInt8]]]
        {
            #expect(try refusal(Self.list(objects)) == "it has a set, which is not a property list's type")
        }
        // Nothing refers to it.
        #expect(try apply(.propertyList(), Self.list([[0x51, 0x61], [0xC0]])).get() as? String == "a")
    }

    @Test("A date that is not a number, whose description ends the process on Linux, is an error wherever it is")
    func date() throws {
        for bits in [Double.nan, -.nan, .signalingNaN].map(\.bitPattern) {
            let date = [0x33] + Self.bytes(Int(bitPattern: UInt(bits)), 8)
            for objects in [[date], [[0xA1, 0, 0, 1], date], [[0xD1, 0, 0, 1, 0, 0, 2], [0x51, 0x61], date]] as [[[UInt8]]] {
                #expect(try refusal(Self.list(objects)) == "it has a date that is not a number")
            }
        }
        for number in [0, -1e308, 1e308, -.infinity, .infinity, 1e15] {
            let list = Self.list([[0x33] + Self.bytes(Int(bitPattern: UInt(number.bitPattern)), 8)])
            let value = try apply(.propertyList(), list).get()
            #expect(value is Date && !"\(value)".isEmpty)
        }
    }

    @Test("Objects that are shared as programs share them are read, and a list of many values")
    func shared() throws {
        let text = [0x5F, 0x10, 20] + [UInt8](repeating: 0x61, count: 20)
        let inner = try #require(
            try apply(.propertyList(), Self.list([Self.array([1, 1, 2]), Self.array([2, 2]), text])).get() as? [Any])
        #expect(inner.count == 3 && (inner[1] as? [String])?.count == 2 && (inner[2] as? String)?.count == 20)
        let wide = try #require(
            try apply(.propertyList(), Self.list([Self.array(repeatElement(1, count: 200_000)), [0x09]])).get() as? [Any])
        #expect(wide.count == 200_000)
    }

    @Test("A binary list cut at any byte, or with any byte changed, is a value or an error")
    func damaged() throws {
        let value: [String: Any] = ["a": [1, 2.5, true, "é"], "b": ["c": "x"], "d": Data([1]), "e": Date(timeIntervalSince1970: 0)]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        for index in data.indices {
            // One letter is a text in the format of OpenStep.
            _ = try apply(.propertyList(), data.prefix(index))
            for byte in [0, 1, 0x0F, 0x7F, 0x80, 0xA1, 0xC1, 0xD1, 0xFF, data[index] ^ 1] as [UInt8] {
                var changed = data
                changed[index] = byte
                _ = try apply(.propertyList(), changed)
            }
        }
    }

    // MARK: Memory

    #if os(Linux)
        /// In a process of its own, whose peak is not that of other tests.
        @Test("Expansions, nesting and large texts take memory in proportion to the body, and end soon")
        func memory() async {
            await #expect(processExitsWith: .success) {
                let size = TestDepth.choose(16 << 20, deep: 100 << 20)
                let large = "<plist><string>\(String(repeating: "x", count: size))</string></plist>"
                var bodies: [(String, () -> Data)] = PropertyListBoundTests.bombs.map { ($0.0, $0.1) }
                bodies.append(("a chain", { PropertyListBoundTests.chain }))
                for piece in ["<plist>", "<array>", "("] {
                    bodies.append(("a million \(piece)", { Data(String(repeating: piece, count: 1_000_000).utf8) }))
                }
                bodies.append(("a large text", { Data(large.utf8) }))
                bodies.append(("a large text, cut", { Data(large.utf8.dropLast(20)) }))
                _ = try apply(.propertyList(), Data("<plist><true/></plist>".utf8))
                for (name, make) in bodies {
                    let data = make()
                    // From here on the peak is that of this body (proc_pid_clear_refs(5)).
                    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
                    let before = try #require(ProcessFacts.peakMemory)
                    let start = ContinuousClock.now
                    _ = try apply(.propertyList(), data)
                    let duration = ContinuousClock.now - start
                    let growth = try #require(ProcessFacts.peakMemory) - before
                    print("\(name): \(data.count) bytes, \(growth >> 20) MiB, \(duration)")
                    #expect(growth < 8 * data.count + 32 << 20, "\(name): \(growth) bytes")
                    #expect(duration < .seconds(30), "\(name)")
                }
            }
        }
    #endif
}
