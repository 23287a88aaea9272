/// A binary min-heap: insertion and removal of the smallest element take logarithmic time.
struct Heap<Element: Comparable> {
    private var storage: [Element]

    init(_ elements: [Element] = []) {
        // A sorted array is a heap.
        storage = elements.sorted()
    }

    var count: Int { storage.count }
    /// The smallest element.
    var first: Element? { storage.first }

    /// All elements, in no particular order.
    var elements: [Element] { storage }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        self = Heap(storage.filter { !isUnwanted($0) })
    }

    mutating func insert(_ element: Element) {
        storage.append(element)
        var child = storage.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard storage[child] < storage[parent] else { return }
            storage.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the smallest element.
    mutating func popFirst() -> Element? {
        guard let last = storage.popLast() else { return nil }
        guard let first = storage.first else { return last }
        storage[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < storage.count && storage[child] < storage[smallest] {
                smallest = child
            }
            guard smallest != parent else { return first }
            storage.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
