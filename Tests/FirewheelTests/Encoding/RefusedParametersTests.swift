import Testing

@testable import Firewheel

@Suite struct RefusedParametersTests {
    enum Plain: Sendable { case one }

    final class Box: Sendable {}

    @Test(
        arguments: [
            (Opaque(), "Opaque"), (Opaque?.some(Opaque()), "Opaque"), (Plain.one, "Plain"), (Box(), "Box"),
            (NSObject.self, "NSObject.Type"),
            ({ @Sendable in 1 }, "@Sendable () -> Int"), ((1, 2), "(Int, Int)"), (["a"][...], "ArraySlice<String>"),
        ] as [(any Sendable, String)])
    func aTypeThatNoEncodingKnows(_ value: any Sendable, type: String) {
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(["k": value]) } == .unknownType(type, path: "k"))
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(["k": value]) } == .unknownType(type, path: "k"))
        #expect(
            encodingFailure(.urlEncodedFormEncodingFailed) { try formText(["k": ["l": [0, value]]]) } == .unknownType(type, path: "k.l.1"))
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(["k": ["l": [0, value]]]) } == .unknownType(type, path: "k.l.1"))
    }

    @Test func theDescriptionIsNeverInTheError() throws {
        let error = #expect(throws: FirewheelError.self) { try formText(["k": Opaque()]) }
        #expect(error?.description.contains(Opaque().description) == false)
        #expect(error?.description.contains("Opaque at k") == true)
    }

    @Test(
        arguments: [
            (Date(), "Date", "k"), (Data(), "Data", "k"), ([Date()], "Date", "k.0"), (["a": Data()], "Data", "k.a"),
            ([1: "a"], "Dictionary<Int, String>", "k"),
            (Date?.some(Date()), "Date", "k"),
        ] as [(any Sendable, String, String)])
    func whatJSONHasNoFormFor(_ value: any Sendable, type: String, path: String) {
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(["k": value]) } == .unknownType(type, path: path))
    }

    @Test func anUnknownObjectAsTheWholeBody() {
        #expect(
            encodingFailure(.jsonEncodingFailed) { try JSONEncoding.default.encode(URLRequest.test(.post), withJSONObject: Opaque()) }
                == .unknownType("Opaque", path: ""))
    }

    @Test(
        arguments: [
            Double.nan, Double.infinity, -Double.infinity, Float.nan, Float.infinity, CGFloat.nan, Decimal.nan, NSNumber(value: Double.nan),
            NSDecimalNumber.notANumber,
        ] as [any Sendable])
    func numbersThatAreNotFinite(_ value: any Sendable) {
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(["k": [value]]) } == .notFinite(path: "k.0"))
        _ = encodingFailure(.jsonEncodingFailed) { try jsonText(["k": [value]]) }
    }

    @Test func numbersThatAreNotFiniteInVariables() {
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: ["k": Double.nan]) } == .notFinite(path: "k"))
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: ["k": [Decimal.nan]]) } == .notFinite(path: "k.0"))
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(encoding: ["k": [Decimal.nan]]) } == .notFinite(path: "k.0"))
        let error = #expect(throws: FirewheelError.self) { try jsonText(encoding: ["k": -Float.infinity]) }
        #expect(error?.underlyingError is EncodingError)
    }

    @Test func aFormNeedsKeys() {
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: [1, 2]) } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: [Int]()) } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: "text") } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: Date()) } == .rootNotKeyed)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: Data()) } == .rootNotKeyed)
    }

    @Test func theErrorOfAnEncodableIsKept() {
        struct Broken: Encodable, Error {
            func encode(to encoder: any Encoder) throws { throw self }
        }
        let broken: Parameters = ["k": Broken()]
        for body in [
            { try formText(broken) }, { try formText(encoding: Broken()) }, { try jsonText(broken) }, { try jsonText(encoding: Broken()) },
        ] {
            #expect(#expect(throws: FirewheelError.self) { try body() }?.underlyingError is Broken)
        }
    }
}
