import Foundation

/// Where a response comes from, and whether its cookies are stored ones. In eight bytes without references, because each event that has a
/// head copies it, and few come from a cache.
struct ResponseMark: Sendable, Hashable {
    /// The kind in bits 0 to 2, whether the cookies are stored in bit 3, and the age in milliseconds above them. 0 is the network.
    private let bits: UInt64

    /// The network.
    init() {
        bits = 0
    }

    init(_ source: ResponseSource, hasStoredCookies: Bool) {
        let kind: UInt64 =
            switch source {
            case .network: 0
            case .cache: 1
            case .revalidated: 2
            case .stale(_, because: .accepted): 3
            case .stale(_, because: .revalidating): 4
            case .stale(_, because: .serverError): 5
            case .stale(_, because: .unreachable): 6
            }
        let age = source.age ?? 0
        let milliseconds = age > 0 ? UInt64(min(age, 1e12) * 1000) : 0
        bits = kind | (hasStoredCookies ? 8 : 0) | milliseconds << 4
    }

    var source: ResponseSource {
        let age = TimeInterval(bits >> 4) / 1000
        return switch bits & 7 {
        case 1: .cache(age: age)
        case 2: .revalidated(age: age)
        case 3: .stale(age: age, because: .accepted)
        case 4: .stale(age: age, because: .revalidating)
        case 5: .stale(age: age, because: .serverError)
        case 6: .stale(age: age, because: .unreachable)
        default: .network
        }
    }

    /// Whether the network sent the response.
    var isNetwork: Bool { bits & 7 == 0 }

    /// Whether the response's `Set-Cookie` fields are stored ones, which were acted upon before.
    var hasStoredCookies: Bool { bits & 8 != 0 }
}
