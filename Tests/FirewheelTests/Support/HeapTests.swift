import Testing

@testable import Firewheel

@Suite("Heap")
struct HeapTests {
    /// A number that counts its comparisons.
    private struct Counted: Comparable {
        final class Counter {
            var comparisons = 0
        }

        let number: Int
        let counter: Counter

        static func < (left: Counted, right: Counted) -> Bool {
            left.counter.comparisons += 1
            return left.number < right.number
        }

        static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
    }

    @Test("Elements come out of the heap in order, also equal ones and those added in between")
    func order() {
        var generator = SeededGenerator(state: 5)
        for size in [0, 1, 2, 3, 10, 100] {
            let numbers = (0..<size).map { _ in Int.random(in: 0..<50, using: &generator) }
            var heap = Heap(numbers)
            var rest = numbers
            for _ in 0..<200 {
                #expect(heap.first == rest.min() && heap.count == rest.count)
                if Bool.random(using: &generator) {
                    let number = Int.random(in: 0..<50, using: &generator)
                    heap.insert(number)
                    rest.append(number)
                } else {
                    #expect(heap.popFirst() == rest.min())
                    if let index = rest.firstIndex(of: rest.min() ?? 0) { rest.remove(at: index) }
                }
            }
            var taken: [Int] = []
            while let number = heap.popFirst() { taken.append(number) }
            #expect(taken == rest.sorted() && heap.first == nil)
        }
    }

    @Test("Adding and removing 10,000 elements takes a logarithmic number of comparisons each")
    func comparisons() {
        var generator = SeededGenerator(state: 6)
        let counter = Counted.Counter()
        var heap = Heap<Counted>()
        let numbers = (0..<10_000).shuffled(using: &generator)
        for number in numbers { heap.insert(Counted(number: number, counter: counter)) }
        var taken: [Int] = []
        while let element = heap.popFirst() { taken.append(element.number) }
        #expect(taken == Array(0..<10_000))
        // At most one comparison for each level on insertion, and two on removal.
        #expect(counter.comparisons <= 10_000 * 14 * 3, "\(counter.comparisons)")
    }
}
