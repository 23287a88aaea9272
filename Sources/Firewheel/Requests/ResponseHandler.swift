import Foundation

/// A response handler as a request keeps it: how to make the response, and how to deliver it.
struct ResponseHandler: Sendable {
    /// A response that has been made.
    struct Made: Sendable {
        /// What is wrong with it.
        let error: (any Error)?
        let deliver: @Sendable () -> Void
    }

    /// The type of its value.
    let valueType: Any.Type
    /// Whether making the response is only handing over, so that it can be done on the delegate queue.
    let isInline: Bool
    /// Makes the response of an exchange, with the error as of now.
    let respond: @Sendable (Exchange, (any Error)?) -> Made

    init<Value>(_ type: Value.Type, isInline: Bool, respond: @escaping @Sendable (Exchange, (any Error)?) -> Made) {
        valueType = type
        self.isInline = isInline
        self.respond = respond
    }
}

/// Where a response is delivered.
enum ResponseDelivery: Sendable {
    /// On the main actor.
    case mainActor
    case queue(DispatchQueue)
    /// Where it was made, for the library's own continuations.
    case direct

    func deliver(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .mainActor: DispatchQueue.main.async(execute: work)
        case .queue(let queue): queue.async(execute: work)
        case .direct: work()
        }
    }
}
