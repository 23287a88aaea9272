import Foundation
import Testing

@testable import Firewheel

@Suite("A body that is collected in memory")
struct ReceivedBodyTests {
    private func read(_ data: Data, into body: inout ReceivedBody, expected: Int64) throws {
        var rest = data
        while !rest.isEmpty {
            let next = body.room(expected: max(1, expected))
            let room = try #require(next)
            let count = min(room.count, rest.count)
            rest.prefix(count).copyBytes(to: room)
            body.commit(count)
            rest = rest.dropFirst(count)
        }
    }

    @Test("Pieces that are copied and pieces that are read in place make one body, in any order")
    func pieces() throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = pattern(100_000)
        for _ in 0..<TestDepth.choose(50, deep: 200) {
            var body = ReceivedBody()
            defer { body.free() }
            var expected = Data()
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let piece = Data(bytes.suffix(Int.random(in: 0...100_000, using: &generator)))
                let following: Int64 = [0, 10, 50_000, 1 << 40, .max].randomElement() ?? 0
                if Bool.random() {
                    #expect(piece.withUnsafeBytes { body.append($0, following: following) })
                } else {
                    try read(piece, into: &body, expected: following)
                }
                expected += piece
            }
            let taken = body.take()
            #expect(taken ?? Data() == expected)
            #expect((taken == nil) == expected.isEmpty)
            #expect(body.take() == nil)
        }
    }

    @Test("The room ends where the body does")
    func end() throws {
        var body = ReceivedBody()
        defer { body.free() }
        for expected in [1, 100, 70_000] as [Int64] {
            let next = body.room(expected: expected)
            let room = try #require(next)
            #expect(room.count >= 1 && Int64(room.count) <= expected)
        }
    }

    @Test("A body of unknown length is moved seldom, however small its pieces are")
    func unknownLength() {
        var body = ReceivedBody()
        defer { body.free() }
        let piece = pattern(1_000)
        var moves = 0
        for _ in 0..<10_000 {
            let capacity = body.capacity
            let isKept = piece.withUnsafeBytes { body.append($0, following: 0) }
            #expect(isKept)
            if body.capacity != capacity { moves += 1 }
        }
        #expect(moves < 12)
    }

    @Test("A declared length alone reserves 1 MiB at most")
    func claim() throws {
        var body = ReceivedBody()
        defer { body.free() }
        let room = body.room(expected: .max)
        #expect(try #require(room).count <= 1 << 20)
    }
}

@Suite("Memory of large pieces")
struct PieceMemoryTests {
    @Test("Memory that comes back is used again, and the data it held before is not in the way")
    func again() throws {
        let pool = PieceMemory()
        let first = try #require(pool.take())
        var data: Data? = pool.data(first, count: PieceMemory.size)
        #expect(data?.count == PieceMemory.size)
        data = nil
        let second = try #require(pool.take())
        #expect(second == first)
        pool.giveBack(second)
    }

    @Test("Data outlives its pool and is not changed by others", arguments: [1, 8, 20])
    func many(_ count: Int) throws {
        let pool = PieceMemory()
        let pieces = try (0..<count).map { number in
            let memory = try #require(pool.take())
            memory.initializeMemory(as: UInt8.self, repeating: UInt8(number), count: PieceMemory.size)
            return pool.data(memory, count: PieceMemory.size)
        }
        for (number, piece) in pieces.enumerated() { #expect(piece.allSatisfy { $0 == UInt8(number) }) }
    }
}
