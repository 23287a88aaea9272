import Foundation

/// Observes one request for another product, which passes on to its own monitors what they ask for.
///
/// It costs less than an ``EventMonitor``, because it is called where events occur and only for those that it asks for.
package struct RequestObserver: Sendable {
    let holdsCallersObjects: Bool
    let hears: @Sendable (RequestEvent) -> Bool
    let call: @Sendable (RequestContext, RequestEvent) -> Void

    /// - Parameters:
    ///   - holdsCallersObjects: Whether it may hold the last reference to an object of the caller's when it is called or released. Then
    ///     this does not happen on a transport's thread.
    ///   - hears: Whether it is called for an event. It is called under a lock, and may only look at the event.
    ///   - call: Called with events in order and one at a time, on the threads where they occur, which it must not block. It must not call
    ///     the caller's code.
    package init(
        holdsCallersObjects: Bool, hears: @escaping @Sendable (RequestEvent) -> Bool,
        call: @escaping @Sendable (RequestContext, RequestEvent) -> Void
    ) {
        self.holdsCallersObjects = holdsCallersObjects
        self.hears = hears
        self.call = call
    }
}
