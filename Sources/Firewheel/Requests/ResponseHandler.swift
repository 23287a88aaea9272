import Foundation

/// A response handler of a request: how to make its response, and where to deliver it.
struct ResponseHandler: Sendable {
    /// A serialized response, to be delivered once.
    ///
    /// Delivery removes the handler, so that no reference remains and its captured objects are released where the handler ran, not on a
    /// thread of the library.
    final class Made: @unchecked Sendable {
        /// The response's error.
        let error: (any Error)?
        private let delivery: ResponseDelivery
        // Accessed only by `call`, which runs once, on the delivery's queue.
        private var handler: (@Sendable () -> Void)?
        // Set before the delivery, and then accessed only by `call`.
        private var counter: (any DeliveryCounter)?

        init(error: (any Error)?, delivery: ResponseDelivery, handler: @escaping @Sendable () -> Void) {
            self.error = error
            self.delivery = delivery
            self.handler = handler
        }

        func deliver(telling counter: (any DeliveryCounter)? = nil) {
            // Kept here, because a closure that captures more than this object costs an allocation.
            self.counter = counter
            switch delivery {
            case .mainActor: DispatchQueue.main.async { self.call() }
            case .queue(let queue): queue.async { self.call() }
            case .queueAfter(let first, let queue): first.async { queue.async { self.call() } }
            case .direct: call()
            }
        }

        private func call() {
            let (handler, counter) = (handler.take(), counter.take())
            handler?()
            counter?.didDeliver()
        }
    }

    /// The type of the response's value.
    let valueType: Any.Type
    /// Whose code makes the response: the library's if it is unserialized, otherwise the caller's, because decoding calls the caller's
    /// code.
    let owner: CodeOwner
    /// Makes the response of an outcome. With a replacement error the serializer is not called.
    let respond: @Sendable (Outcome, _ error: (any Error)?, _ replacement: (any Error)?) -> Made

    init<Value>(
        _ type: Value.Type, owner: CodeOwner, respond: @escaping @Sendable (Outcome, (any Error)?, (any Error)?) -> Made
    ) {
        valueType = type
        self.owner = owner
        self.respond = respond
    }
}

/// Counts the handlers that are to be called.
protocol DeliveryCounter: AnyObject, Sendable {
    /// Called where the handler was called, when it has returned.
    func didDeliver()
}

/// Where a response is delivered.
package enum ResponseDelivery: Sendable {
    /// On the main actor.
    case mainActor
    case queue(DispatchQueue)
    /// On the second queue, when what was sent to the first one before has run there.
    case queueAfter(DispatchQueue, DispatchQueue)
    /// On the thread where it was made, for the library's own continuations.
    case direct
}
