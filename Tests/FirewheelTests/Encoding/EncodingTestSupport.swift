import Testing

@testable import Firewheel

extension URLRequest {
    static func test(_ method: HTTPMethod = .get, _ url: String = "https://example.com/get") throws -> URLRequest {
        try URLRequest(url: url, method: method)
    }

    var bodyText: String? { httpBody.map { String(decoding: $0, as: UTF8.self) } }

    /// The query as it goes over the wire.
    var encodedQuery: String? { url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.percentEncodedQuery } }
}

/// The form text of `Parameters`.
func formText(_ parameters: Parameters) throws -> String {
    try #require(try URLEncoding.httpBody.encode(URLRequest.test(.post), with: parameters).bodyText)
}

/// The form text of an `Encodable` value.
func formText(encoding value: some Encodable & Sendable) throws -> String {
    try #require(try URLEncodedFormParameterEncoder(destination: .httpBody).encode(value, into: .test(.post)).bodyText)
}

func jsonText(_ parameters: Parameters) throws -> String {
    try #require(try JSONEncoding.default.encode(URLRequest.test(.post), with: parameters).bodyText)
}

func jsonText(encoding value: some Encodable & Sendable) throws -> String {
    try #require(try JSONParameterEncoder.default.encode(value, into: .test(.post)).bodyText)
}

/// The cause of the encoding error that the body throws.
func encodingFailure(_ reason: FirewheelError.ParameterEncodingFailureReason, _ body: () throws -> some Any) -> ParameterFailure? {
    #expect(throws: FirewheelError.self) { _ = try body() }
    do {
        _ = try body()
    } catch let error as FirewheelError {
        #expect(error.kind == .parameterEncodingFailed(reason))
        return error.underlyingError as? ParameterFailure
    } catch {}
    return nil
}

/// A type that no encoding supports.
struct Opaque: Sendable, CustomStringConvertible {
    let description = "never to be sent"
}

/// Puts non-Sendable values into `Parameters`, as a property list or an older API may.
func uncheckedSendable(_ value: Any) -> any Sendable {
    struct Existential {
        let value: Any
    }
    return unsafeBitCast(Existential(value: value), to: (any Sendable).self)
}

/// SplitMix64 with a fixed seed, so that every run has the same numbers.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
