/// A first-in first-out list that gives up its first element in constant time.
struct Fifo<Element> {
    private var storage: [Element?] = []
    private var start = 0

    var count: Int { storage.count - start }
    var isEmpty: Bool { start == storage.count }
    var first: Element? { isEmpty ? nil : storage[start] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = storage[start]
        storage[start] = nil
        start += 1
        // Space is given back once half of it is empty, which costs each element one move at most.
        if isEmpty {
            storage.removeAll(keepingCapacity: start <= 64)
            start = 0
        } else if start >= 64, start * 2 >= storage.count {
            storage.removeFirst(start)
            start = 0
        }
        return element
    }
}

extension Fifo: Sendable where Element: Sendable {}
