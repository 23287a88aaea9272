import Foundation

/// A response handler as a request keeps it: how to make the response, and how to deliver it.
struct ResponseHandler: Sendable {
    /// A response that has been made, to be delivered once.
    ///
    /// The handler leaves with it: who delivers keeps no reference, so that what a handler captured is released where the handler ran and
    /// not on a thread of the library's.
    final class Made: @unchecked Sendable {
        /// What is wrong with it.
        let error: (any Error)?
        private let delivery: ResponseDelivery
        // Only touched by `call`, which runs once, on the queue that this was handed to.
        private var handler: (@Sendable () -> Void)?

        init(error: (any Error)?, delivery: ResponseDelivery, handler: @escaping @Sendable () -> Void) {
            self.error = error
            self.delivery = delivery
            self.handler = handler
        }

        func deliver() {
            switch delivery {
            case .mainActor: DispatchQueue.main.async { self.call() }
            case .queue(let queue): queue.async { self.call() }
            case .direct: call()
            }
        }

        private func call() {
            let handler = handler.take()
            handler?()
        }
    }

    /// The type of its value.
    let valueType: Any.Type
    /// Whose code makes the response. Where it is only handed over the library's, else the caller's: decoding calls what the caller has
    /// written.
    let owner: CodeOwner
    /// Makes the response of an outcome. With an error of its own instead of the outcome's the serializer is not asked.
    let respond: @Sendable (Outcome, _ error: (any Error)?, _ replacement: (any Error)?) -> Made

    init<Value>(
        _ type: Value.Type, owner: CodeOwner, respond: @escaping @Sendable (Outcome, (any Error)?, (any Error)?) -> Made
    ) {
        valueType = type
        self.owner = owner
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
}
