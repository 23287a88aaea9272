import Firewheel
import FirewheelTesting
import Foundation

/// What a server of a chain answered to a request.
struct ChaosServing: Sendable, Equatable {
    enum Cut: Sendable, Equatable {
        case no, reset, close, stall
    }

    enum Kind: Sendable, Equatable {
        /// The file, or the rest of it. `sent` is how many bytes came before the cut.
        case file(isCut: Cut, sent: Int, isPart: Bool)
        /// Something that only leads to another request.
        case useless
        case refused(Int)
        /// Less of the rest than was asked for, or more than announced.
        case short, overlong
    }

    var leg: Int
    var attempt: Int
    var version: Int
    var kind: Kind
    /// The first byte that was asked for, the condition, and the accepted content codings.
    var start: Int?
    var condition: String?
    var codings: String?

    /// The first byte of the range of a request.
    static func start(_ request: RecordedRequest) -> Int? {
        request.header("Range").flatMap { $0.hasPrefix("bytes=") ? Int($0.dropFirst(6).prefix { $0 != "-" }) : nil }
    }
}

extension ChaosServing {
    init(_ request: RecordedRequest, leg: Int, attempt: Int, version: Int, _ kind: Kind) {
        self.init(
            leg: leg, attempt: attempt, version: version, kind: kind, start: Self.start(request), condition: request.header("If-Range"),
            codings: request.header("Accept-Encoding"))
    }
}

/// What happened in a leg of a chain, as seen from outside.
struct ChaosLegRecord: Sendable {
    enum Outcome: Sendable, Equatable {
        /// The bytes of the file.
        case value(Data)
        case failed(FirewheelError.Kind)
        case unknown(String)
    }

    /// Resume data and its partial file.
    struct Held: Sendable, Equatable {
        var count: Int64
        /// The condition under which it is continued.
        var condition: String
        /// Whether the partial file begins with the bytes of the version that the condition names.
        var isRight: Bool
    }

    /// What each handler was told, in the order of the handlers: none, one or too many.
    var told: [[Outcome]] = []
    /// Whether everybody who was given resume data was given the same.
    var isSameData = true
    /// How many closures asked for resume data, and how many were called.
    var asked = 0
    var answered = 0
    var given: Held?
    var kept: Held?
    /// The given resume data after the leg, if that has none of its own and the partial file is still there.
    var left: Held?
    var servings: [ChaosServing] = []
    var retryCount = 0
    /// The cancels that were called, by whether they were to produce resume data.
    var cancels: Set<Bool> = []
    var wasInvalidated = false
    /// The received bytes each time that progress was shown, and in the end.
    var steps: [Int64] = []
    var received: ChaosRecord.Sent?
    /// How many files were left in the temporary folder, and how many partial ones.
    var strays = 0
    var partials = 0
    /// Whether there was a file at the destination.
    var hasFile = false
}
