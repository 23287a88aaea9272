/// Whether a response may be stored (RFC 9111 section 3).
enum CacheStorability: Sendable, Equatable {
    /// It may be, and varies by the request fields with these lowercase names.
    case storable(varyingBy: Set<String>)
    case refused(Reason)

    /// Why a response is not stored.
    enum Reason: Sendable, Hashable {
        case request
        case noStore
        case status(Int)
        case varyStar
        case undeclared(Int)
        case tooLarge
        case incomplete
        /// It could not be written: what the system says.
        case disk(String)
        /// What was stored for its URL was removed while it was under way.
        case invalidated
        /// A ``CachedResponseHandler`` refused it, or could not be asked: the words that say so.
        case handler(String)
    }

    /// Responses that only concern the exchange: parts, confirmations, challenges, and refused conditions.
    private static let unstorable: Set<Int> = [206, 304, 401, 407, 412, 416, 417, 421, 425, 426, 428, 431, 511]

    init(_ head: ResponseHead, to request: CacheRequest) {
        guard request.mayStore else {
            self = .refused(.request)
            return
        }
        let control = CacheControl(head.headers)
        let isGuessable = Freshness.guessableStatuses.contains(head.statusCode)
        // With `must-understand` a `no-store` is for caches that do not know the status (section 5.2.2.3).
        guard !control.isNoStore || control.mustUnderstand && isGuessable else {
            self = .refused(.noStore)
            return
        }
        guard (200...599).contains(head.statusCode), !Self.unstorable.contains(head.statusCode),
            !control.mustUnderstand || isGuessable
        else {
            self = .refused(.status(head.statusCode))
            return
        }
        guard let names = CacheSelectors.names(in: head.headers) else {
            self = .refused(.varyStar)
            return
        }
        let isDeclared = control.maxAge != nil || control.isPublic || control.isPrivate || head.headers.contains(name: "Expires")
        self = isGuessable || isDeclared ? .storable(varyingBy: names) : .refused(.undeclared(head.statusCode))
    }
}
