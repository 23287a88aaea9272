/// An async sequence that throws no errors: the elements of a streamed body, or what is known of a request as it goes on. It ends with the
/// request.
public struct StreamOf<Element>: AsyncSequence, Sendable {
    /// What is kept for a slow reader.
    public typealias BufferingPolicy = AsyncStream<Element>.Continuation.BufferingPolicy
    /// Iterates the elements.
    public typealias AsyncIterator = Iterator

    /// Begins an iteration, with the closure that returns the next element.
    private let begin: @Sendable () -> () async -> Element?

    init(_ begin: @escaping @Sendable () -> () async -> Element?) {
        self.begin = begin
    }

    /// Creates the iterator. Several of one sequence share its elements.
    public func makeAsyncIterator() -> Iterator { Iterator(advance: begin()) }

    /// Iterates the elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let advance: () async -> Element?

        /// The next element; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Element? { await advance() }
    }
}

extension StreamOf where Element: Sendable {
    /// The elements of a stream, which end with it.
    init(_ stream: AsyncStream<Element>) {
        self.init {
            var iterator = stream.makeAsyncIterator()
            return { await iterator.next() }
        }
    }
}
