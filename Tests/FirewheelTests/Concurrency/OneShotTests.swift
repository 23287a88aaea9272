import Testing

@testable import Firewheel

@Suite("One-shot values", .timeLimit(.minutes(5)))
struct OneShotTests {
    @Test("Of concurrent fulfilments of a one-shot value the first wins, and every awaiting task gets its value")
    func race() async throws {
        for _ in 0..<2_000 {
            let shot = OneShot<Int>()
            let values = await withTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { await shot.value }
                    group.addTask {
                        shot.fulfill(number)
                        return await shot.value
                    }
                }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
            guard values.count == 16, Set(values).count == 1 else {
                Issue.record("\(values)")
                return
            }
            shot.fulfill(99)
            #expect(await shot.value == values[0])
        }
    }

    @Test("A one-shot value fulfilled from plain threads reaches the tasks that await it")
    func threads() async throws {
        for _ in 0..<200 {
            let shot = OneShot<Int>()
            async let first = shot.value
            async let second = shot.value
            await onThreads(8) { shot.fulfill($0) }
            let values = await [first, second, shot.value]
            #expect(Set(values).count == 1)
        }
    }
}
