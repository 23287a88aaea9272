/// Which bodies of requests wait for the server's consent (`Expect: 100-continue`, RFC 9110 section 10.1.1).
///
/// A server that would not take the body can say so before it is sent: with a redirect, a challenge, or an error such as 413. One that
/// does not answer is waited for one second.
public enum ContinueExpectation: Sendable, Hashable {
    /// None, except those of requests with an `Expect: 100-continue` field of their own.
    case never
    /// All that are not empty.
    case always
    /// Those with more than this number of bytes, and those of unknown length.
    case above(Int64)

    /// Whether a body waits.
    func applies(to body: BodySource) -> Bool {
        guard body.length != 0 else { return false }
        return switch self {
        case .never: false
        case .always: true
        case .above(let limit): body.length.map { $0 > limit } ?? true
        }
    }
}
