/// A first-in first-out queue that removes its first element in constant time.
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
        // Compacts once half of the storage is empty, so that each element is moved at most once.
        if isEmpty {
            storage.removeAll(keepingCapacity: start <= 64)
            start = 0
        } else if start >= 64, start * 2 >= storage.count {
            storage.removeFirst(start)
            start = 0
        }
        return element
    }

    /// All elements, the first one first.
    var elements: [Element] { storage[start...].compactMap(\.self) }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        storage.removeFirst(start)
        start = 0
        storage.removeAll { $0.map(isUnwanted) ?? true }
    }
}

extension Fifo: Sendable where Element: Sendable {}
