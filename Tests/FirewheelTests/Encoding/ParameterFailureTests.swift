import Firewheel
import Testing

/// The causes of encoding errors, seen through the public interface only.
@Suite struct ParameterFailureTests {
    private struct Opaque: Sendable {}

    private func cause(_ body: (URLRequest) throws -> URLRequest) throws -> ParameterFailure? {
        let request = try URLRequest(url: "https://example.com/", method: .post)
        return #expect(throws: FirewheelError.self) { try body(request) }?.underlyingError as? ParameterFailure
    }

    @Test func eachIsFoundUnderTheError() throws {
        #expect(try cause { try JSONEncoding.default.encode($0, withJSONObject: ["a": [Opaque()]]) } == .unknownType("Opaque", path: "a.0"))
        #expect(try cause { try URLEncoding.default.encode($0, with: ["a": Double.infinity]) } == .notFinite(path: "a"))
        #expect(try cause { try URLEncodedFormParameterEncoder.default.encode([1], into: $0) } == .rootNotKeyed)
        #expect(try cause { try PropertyListEncoding.default.encode($0, with: ["a": "\u{0}"]) } == .notInXML(path: "a"))
        let late = Date.distantFuture + 1e12
        #expect(try cause { try PropertyListEncoding.default.encode($0, with: ["a": late]) } == .dateOutOfRange(path: "a"))
        var deep: any Sendable = 1
        for _ in 0..<200 { deep = [deep] }
        let value = deep
        #expect(try cause { try JSONEncoding.default.encode($0, with: ["a": value]) } == .tooDeep)
    }
}
