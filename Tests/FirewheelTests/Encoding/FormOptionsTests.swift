import Testing

@testable import Firewheel

/// The options of `URLEncodedFormEncoder`, under Alamofire's names and with its defaults.
@Suite struct FormOptionsTests {
    private typealias Encoder = URLEncodedFormEncoder

    private func text(_ value: some Encodable, _ encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()) throws -> String {
        let text: String = try encoder.encode(value)
        return try #require(text.removingPercentEncoding)
    }

    @Test func defaults() throws {
        let encoder = Encoder()
        #expect(encoder.alphabetizeKeyValuePairs)
        #expect(encoder.allowedCharacters == .afURLQueryAllowed)
        #expect(CharacterSet.afURLQueryAllowed == CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: ":#[]@!$&'()*+,;=")))
        struct Value: Encodable {
            var yes = true
            var list = [1, 2]
            var data = Data([0xFB])
            var date = Date(timeIntervalSinceReferenceDate: 1.5)
            var nothing: Int?
            var camelCase = ["sub": "a b"]
        }
        let text: String = try encoder.encode(Value())
        #expect(text == "camelCase%5Bsub%5D=a%20b&data=%2Bw%3D%3D&date=1.5&list%5B%5D=1&list%5B%5D=2&yes=1")
    }

    @Test func arrays() throws {
        let value = ["k": ["a", "b"]]
        #expect(try text(value, Encoder(arrayEncoding: .brackets)) == "k[]=a&k[]=b")
        #expect(try text(value, Encoder(arrayEncoding: .noBrackets)) == "k=a&k=b")
        #expect(try text(value, Encoder(arrayEncoding: .indexInBrackets)) == "k[0]=a&k[1]=b")
        #expect(try text(value, Encoder(arrayEncoding: .custom { "\($0).\($1 + 1)" })) == "k.1=a&k.2=b")
        let nested = ["k": [["x": [1, 2]], ["x": [3]]]]
        #expect(try text(nested, Encoder(arrayEncoding: .indexInBrackets)) == "k[0][x][0]=1&k[0][x][1]=2&k[1][x][0]=3")
        #expect(try text(nested, Encoder(arrayEncoding: .custom { "\($0)<\($1)>" })) == "k<0>[x]<0>=1&k<0>[x]<1>=2&k<1>[x]<0>=3")
        let long = ["k": Array(0...11)]
        #expect(try text(long, Encoder(arrayEncoding: .indexInBrackets)) == (0...11).map { "k[\($0)]=\($0)" }.joined(separator: "&"))
    }

    @Test func anIndexCountsWhatIsWritten() throws {
        let value = ["k": [nil, 1, nil, 2]]
        #expect(try text(value, Encoder(arrayEncoding: .indexInBrackets)) == "k[0]=1&k[1]=2")
        #expect(try text(value, Encoder(arrayEncoding: .indexInBrackets, nilEncoding: .null)) == "k[0]=null&k[1]=1&k[2]=null&k[3]=2")
        #expect(try text(["k": [[], [1]]], Encoder(arrayEncoding: .indexInBrackets)) == "k[0][0]=1")
    }

    @Test func bools() throws {
        #expect(try text(["a": true, "b": false], Encoder(boolEncoding: .numeric)) == "a=1&b=0")
        #expect(try text(["a": true, "b": false], Encoder(boolEncoding: .literal)) == "a=true&b=false")
        #expect(try text(["a": [true], "b": [false]], Encoder(boolEncoding: .literal)) == "a[]=true&b[]=false")
    }

    struct Refusal: Error {}

    @Test func data() throws {
        let value = ["k": Data([1, 2])]
        #expect(try text(value, Encoder(dataEncoding: .base64)) == "k=AQI=")
        #expect(try text(value, Encoder(dataEncoding: .deferredToData)) == "k[]=1&k[]=2")
        #expect(try text(value, Encoder(dataEncoding: .custom { "\($0.count) bytes" })) == "k=2 bytes")
        let refusing = Encoder(dataEncoding: .custom { _ in throw Refusal() })
        #expect(#expect(throws: FirewheelError.self) { try text(value, refusing) }?.underlyingError is Refusal)
    }

    @Test func dates() throws {
        let value = ["k": Date(timeIntervalSince1970: 123.5)]
        #expect(try text(value, Encoder(dateEncoding: .deferredToDate)) == "k=-978307076.5")
        #expect(try text(value, Encoder(dateEncoding: .secondsSince1970)) == "k=123.5")
        #expect(try text(value, Encoder(dateEncoding: .millisecondsSince1970)) == "k=123500.0")
        #expect(try text(value, Encoder(dateEncoding: .iso8601)) == "k=1970-01-01T00:02:03Z")
        #expect(try text(value, Encoder(dateEncoding: .custom { "on \($0.timeIntervalSince1970)" })) == "k=on 123.5")
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy'/'MM"
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        #expect(try text(value, Encoder(dateEncoding: .formatted(formatter))) == "k=1970/01")
        let refusing = Encoder(dateEncoding: .custom { _ in throw Refusal() })
        #expect(#expect(throws: FirewheelError.self) { try text(value, refusing) }?.underlyingError is Refusal)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 253_402_300_800, -62_135_769_601])
    func datesThatAreNone(_ interval: Double) throws {
        let value = ["k": Date(timeIntervalSince1970: interval)]
        #expect(
            encodingFailure(.urlEncodedFormEncodingFailed) { try text(value, Encoder(dateEncoding: .iso8601)) }
                == .dateOutOfRange(path: "k"))
        if !interval.isFinite {
            for encoding in [Encoder.DateEncoding.deferredToDate, .secondsSince1970, .millisecondsSince1970] {
                let failure = encodingFailure(.urlEncodedFormEncodingFailed) { try text(value, Encoder(dateEncoding: encoding)) }
                #expect(failure == .notFinite(path: "k"))
            }
        }
        #expect(try text(["k": Date(timeIntervalSince1970: 253_402_300_799)], Encoder(dateEncoding: .iso8601)) == "k=9999-12-31T23:59:59Z")
        #expect(try text(["k": Date.distantPast], Encoder(dateEncoding: .iso8601)) == "k=0001-01-01T00:00:00Z")
    }

    @Test func keyPaths() throws {
        let value = ["a": ["b": ["c": ["d", "e"]]]]
        #expect(try text(value, Encoder(keyPathEncoding: .brackets)) == "a[b][c][]=d&a[b][c][]=e")
        #expect(try text(value, Encoder(keyPathEncoding: .dots)) == "a.b.c[]=d&a.b.c[]=e")
        #expect(try text(value, Encoder(keyPathEncoding: .init { "-\($0)" })) == "a-b-c[]=d&a-b-c[]=e")
    }

    @Test func nils() throws {
        struct Value: Encodable {
            var bool: Bool?
            var text: String?
            var number: UInt16?
            var list: [Int]?
            var inner: [String: Int?] = ["x": nil]
            var some: Int? = 1
        }
        #expect(try text(Value(), Encoder(nilEncoding: .dropKey)) == "some=1")
        #expect(try text(Value(), Encoder(nilEncoding: .dropValue)) == "bool=&inner[x]=&list=&number=&some=1&text=")
        #expect(
            try text(Value(), Encoder(nilEncoding: .null)) == "bool=null&inner[x]=null&list=null&number=null&some=1&text=null")
        #expect(try text(["k": [1, nil]], Encoder(nilEncoding: .init { "-" })) == "k[]=1&k[]=-")
        #expect(try text(["k": Int?.none], Encoder(nilEncoding: .init { nil })) == "")
    }

    @Test func nilAsABareKey() throws {
        struct Value: Encodable {
            var a: Int?
            var b = 1
        }
        let encoder = Encoder(nilEncoding: .bareKey)
        #expect(try text(Value(), encoder) == "a&b=1")
        #expect(try text(["a": ["b": Int?.none]], encoder) == "a[b]")
        #expect(try text(["a": [1, nil, 2]], Encoder(arrayEncoding: .indexInBrackets, nilEncoding: .bareKey)) == "a[0]=1&a[1]&a[2]=2")
        #expect(try text(["": nil, "a": 1], encoder) == "&a=1")
        // The keys of nil are escaped as others are.
        let escaped: String = try encoder.encode(["a=b": Int?.none])
        #expect(escaped == "a%3Db")
        // Elements that differ only in nil and empty text have an order.
        let sets: [Set<[String?]>] = [[[nil], [""], ["", nil]], [["", nil], [""], [nil]]]
        for set in sets { #expect(try text(["s": set], encoder) == "s[]&s[]=&s[]=&s[]") }
    }

    @Test func spaces() throws {
        let value = ["a b": "c d+e"]
        let percent: String = try Encoder(spaceEncoding: .percentEscaped).encode(value)
        let plus: String = try Encoder(spaceEncoding: .plusReplaced).encode(value)
        #expect(percent == "a%20b=c%20d%2Be")
        #expect(plus == "a+b=c+d%2Be")
    }

    @Test func allowedCharacters() throws {
        let value = ["k": ["é?/ :[", "x%"]]
        let narrow: String = try Encoder(arrayEncoding: .noBrackets, allowedCharacters: .alphanumerics).encode(value)
        #expect(narrow == "k=%C3%A9%3F%2F%20%3A%5B&k=x%25")
        let wide: String = try Encoder(allowedCharacters: .afURLQueryAllowed.union(CharacterSet(charactersIn: "[]: é"))).encode(value)
        #expect(wide == "k[]=%C3%A9?/%20:[&k[]=x%25")
    }

    @Test func withoutSortingATypeKeepsItsOrder() throws {
        struct Inner: Encodable {
            var z = 1
            var y = 2
        }
        struct Value: Encodable {
            var b = Inner()
            var a = ["k3": 3, "k1": 1, "k2": 2]
            var list = [3, 1]
        }
        let unsorted = Encoder(alphabetizeKeyValuePairs: false)
        #expect(try text(Value(), unsorted) == "b[z]=1&b[y]=2&a[k1]=1&a[k2]=2&a[k3]=3&list[]=3&list[]=1")
        #expect(try text(Value()) == "a[k1]=1&a[k2]=2&a[k3]=3&b[y]=2&b[z]=1&list[]=3&list[]=1")
    }
}
