import Foundation

/// A response handler as a request keeps it: how to make the response, and how to deliver it.
struct ResponseHandler: Sendable {
    /// A response that has been made, to be delivered once.
    ///
    /// The handler leaves with it: who delivers keeps no reference, so that what a handler captured is released where the handler ran and not on
    /// a thread of the library's.
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

    /// Handlers on their way to another queue. They leave with the one who takes them, as a response does.
    final class Batch: @unchecked Sendable {
        // Only touched by `take`, which is called once, on the queue that this was handed to.
        private var handlers: [ResponseHandler]

        init(_ handlers: [ResponseHandler]) {
            self.handlers = handlers
        }

        func take() -> [ResponseHandler] {
            defer { handlers = [] }
            return handlers
        }
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
}
