import Testing

@testable import Firewheel

@Suite struct PropertyListEncodingTests {
    private static let formats: [PropertyListEncoding] = [.xml, .binary]

    private func body(_ parameters: Parameters, _ encoding: PropertyListEncoding = .default) throws -> Data {
        try #require(try encoding.encode(URLRequest.test(.post), with: parameters).httpBody)
    }

    /// The property list as Foundation reads it.
    private func read(_ data: Data) throws -> (NSDictionary, PropertyListSerialization.PropertyListFormat) {
        var format = PropertyListSerialization.PropertyListFormat.openStep
        let object = try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
        return (try #require(object as? NSDictionary), format)
    }

    @Test func defaults() throws {
        #expect(PropertyListEncoding.default.format == .xml)
        #expect(PropertyListEncoding.xml.format == .xml)
        #expect(PropertyListEncoding.binary.format == .binary)
        #expect(PropertyListEncoding.default.options == 0)
        let request = try PropertyListEncoding.default.encode(
            URLRequest.test(.post), with: ["b": [1, true] as [any Sendable], "a": "<&>"])
        #expect(request.headers["Content-Type"] == "application/x-plist")
        #expect(
            request.bodyText == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>a</key>
                \t<string>&lt;&amp;&gt;</string>
                \t<key>b</key>
                \t<array>
                \t\t<integer>1</integer>
                \t\t<true/>
                \t</array>
                </dict>
                </plist>

                """)
    }

    @Test func aRequestKeepsWhatItHas() throws {
        var request = try URLRequest.test(.post)
        #expect(try PropertyListEncoding.default.encode(request, with: nil) == request)
        request.headers["Content-Type"] = "text/x-own"
        #expect(try PropertyListEncoding.default.encode(request, with: ["a": 1]).headers["Content-Type"] == "text/x-own")
        request.url = nil
        #expect(encodingFailure(.missingURL) { try PropertyListEncoding.default.encode(request, with: ["a": 1]) } == nil)
    }

    @Test(arguments: formats) func foundationReadsWhatWasSent(_ encoding: PropertyListEncoding) throws {
        struct Own: Encodable, Sendable {
            var name = "own"
            var none: Int?
            var when = Date(timeIntervalSinceReferenceDate: 60)
        }
        let long = String(repeating: "long ", count: 100)
        let data = Data((0..<1000).map { UInt8($0 & 0xFF) })
        let parameters: Parameters = [
            "text": "é👩‍💻 <&>\"'\r\n\t", "long": long, "": "", "true": true, "false": false, "zero": 0, "byte": 200, "short": 60_000,
            "word": 4_000_000_000, "long integer": Int.max, "negative": -1, "least": Int.min, "half": 0.5, "tiny": 2.5e-308,
            "huge": 1.7e308,
            "float": Float(0.5), "date": Date(timeIntervalSinceReferenceDate: 1_000_000), "data": data, "no data": Data(),
            "list": [1, [2, "x"] as [any Sendable]] as [any Sendable], "nothing": [Int](), "empty": [String: Int](), "set": Set([3, 1, 2]),
            "url": URL(string: "https://a.b/c")!, "own": Own(), "decimal": Decimal(string: "1.25")!, "number": NSNumber(value: 7),
            "many": Array(0..<300), "deep": ["z": ["y": "x"]],
        ]
        let (dictionary, format) = try read(body(parameters, encoding))
        #expect(format == encoding.format)
        let expected: [String: Any] = [
            "text": "é👩‍💻 <&>\"'\r\n\t", "long": long, "": "", "true": true, "false": false, "zero": 0, "byte": 200, "short": 60_000,
            "word": 4_000_000_000, "long integer": Int.max, "negative": -1, "least": Int.min, "half": 0.5, "tiny": 2.5e-308,
            "huge": 1.7e308,
            "float": 0.5, "date": Date(timeIntervalSinceReferenceDate: 1_000_000), "data": data, "no data": Data(),
            "list": [1, [2, "x"] as [Any]] as [Any], "nothing": [Int](), "empty": [String: Int](), "set": [1, 2, 3],
            "url": "https://a.b/c", "own": ["name": "own", "when": Date(timeIntervalSinceReferenceDate: 60)] as [String: Any],
            "decimal": 1.25, "number": 7, "many": Array(0..<300), "deep": ["z": ["y": "x"]],
        ]
        #expect(Set(dictionary.allKeys.compactMap { $0 as? String }) == Set(expected.keys))
        for (key, value) in expected {
            #expect((dictionary[key] as? NSObject)?.isEqual(value) == true, "\(key): \(String(describing: dictionary[key]))")
        }
    }

    @Test(arguments: formats) func numbersAtTheirLimits(_ encoding: PropertyListEncoding) throws {
        let (dictionary, _) = try read(
            body(["max": UInt64.max, "nan": Double.nan, "plus": Double.infinity, "minus": -Double.infinity], encoding))
        #expect((dictionary["max"] as? NSNumber)?.uint64Value == .max)
        #expect((dictionary["nan"] as? Double)?.isNaN == true)
        #expect(dictionary["plus"] as? Double == .infinity)
        #expect(dictionary["minus"] as? Double == -.infinity)
    }

    @Test func fractionsOfASecondAreInTheBinaryFormatOnly() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.75)
        #expect(try read(body(["d": date], .binary)).0["d"] as? Date == date)
        #expect(try read(body(["d": date], .xml)).0["d"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
    }

    @Test(
        arguments: formats,
        [
            (NSNull(), "nil"), (Int?.none as any Sendable, "nil"), (Opaque(), "Opaque"), ([1: "a"], "Dictionary<Int, String>"),
        ] as [(any Sendable, String)])
    func whatAPropertyListCannotHold(_ encoding: PropertyListEncoding, _ example: (value: any Sendable, type: String)) {
        let failure = encodingFailure(.propertyListEncodingFailed) { try body(["k": ["l": [0, example.value]]], encoding) }
        #expect(failure == .unknownType(example.type, path: "k.l.1"))
        let error = #expect(throws: FirewheelError.self) { try body(["k": example.value], encoding) }
        #expect(error?.description.contains("property list") == true)
        #expect(error?.description.contains("\(example.type) at k") == true)
    }

    @Test(arguments: ["\u{0}", "a\u{1}", "\u{1B}[", "\u{FFFE}", "\u{FFFF}", "\u{B}"])
    func charactersThatXMLHasNoFormFor(_ text: String) throws {
        #expect(encodingFailure(.propertyListEncodingFailed) { try body(["k": [text]]) } == .notInXML(path: "k.0"))
        #expect(encodingFailure(.propertyListEncodingFailed) { try body(["k": [text: 1]]) } == .notInXML(path: "k"))
        #expect(try read(body(["k": text], .binary)).0["k"] as? String == text)
    }

    @Test(arguments: formats) func anyRoot(_ encoding: PropertyListEncoding) throws {
        for root in [["a", "b"], "a", 7, true, ["k": [1]]] as [any Sendable] {
            let request = try encoding.encode(URLRequest.test(.post), withPropertyList: root)
            #expect(request.headers["Content-Type"] == "application/x-plist")
            let list = try PropertyListSerialization.propertyList(from: #require(request.httpBody), options: [], format: nil)
            #expect(NSArray(array: [list]) == NSArray(array: [root]))
        }
        #expect(try encoding.encode(URLRequest.test(.post), withPropertyList: nil) == URLRequest.test(.post))
        #expect(
            encodingFailure(.propertyListEncodingFailed) {
                try encoding.encode(URLRequest.test(.post), withPropertyList: NSNull())
            } == .unknownType("nil", path: ""))
    }

    @Test func whatCannotBeWritten() {
        let late = Date(timeIntervalSince1970: 1e12)
        #expect(encodingFailure(.propertyListEncodingFailed) { try body(["k": late]) } == .dateOutOfRange(path: "k"))
        let openStep = PropertyListEncoding(format: .openStep)
        #expect(encodingFailure(.propertyListEncodingFailed) { try body(["k": 1], openStep) } == .unwritableFormat)
        var deep: any Sendable = 1
        for _ in 0..<300 { deep = [deep] }
        for encoding in Self.formats {
            #expect(encodingFailure(.propertyListEncodingFailed) { try body(["k": deep], encoding) } == .tooDeep)
        }
    }

    @Test(arguments: formats) func theSameBytesEachTime(_ encoding: PropertyListEncoding) throws {
        let names = (0..<40).map { "key\($0)" }
        func parameters(_ names: [String]) -> Parameters {
            Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, ["set": Set(names), "sets": Set([Set(names), Set([$0])])] as [String: any Sendable])
                })
        }
        #expect(try body(parameters(names), encoding) == body(parameters(names.reversed()), encoding))
    }
}
