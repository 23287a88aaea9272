import Testing

@testable import Firewheel

@Suite struct NestingTests {
    /// Nested as deep as asked without being so in memory: to release a deep chain of values would itself need a deep stack.
    struct Nested: Encodable, Sendable {
        enum Key: CodingKey { case a }
        let levels: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if levels > 1 {
                try container.encode(Nested(levels: levels - 1), forKey: .a)
            } else {
                try container.encode(1, forKey: .a)
            }
        }
    }

    /// `a` under `a`, with 1 at the end.
    private func dictionary(_ levels: Int) -> Parameters {
        var value: any Sendable = 1
        for _ in 1..<levels { value = ["a": value] }
        return ["a": value]
    }

    private func array(_ levels: Int) -> Parameters {
        var value: any Sendable = 1
        for _ in 1..<levels { value = [value] }
        return ["a": value]
    }

    private func inOptionals(_ levels: Int) -> Parameters {
        var value: any Sendable = 1
        for _ in 1..<levels { value = ["a": Optional(value)] }
        return ["a": value]
    }

    @Test(arguments: [257, 2_000, 10_000])
    func tooDeepIsAnError(_ levels: Int) {
        for parameters in [dictionary(levels), array(levels), inOptionals(levels)] {
            #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(parameters) } == .tooDeep)
            #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(parameters) } == .tooDeep)
        }
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(encoding: Nested(levels: levels)) } == .tooDeep)
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(encoding: Nested(levels: levels)) } == .tooDeep)
        #expect(encodingFailure(.urlEncodedFormEncodingFailed) { try formText(["b": Nested(levels: levels)]) } == .tooDeep)
        #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(["b": Nested(levels: levels)]) } == .tooDeep)
    }

    @Test func optionalsInOptionalsAreNoLevels() throws {
        var value: any Sendable = 1
        for _ in 0..<2_000 { value = Optional(value) }
        #expect(try formText(["a": value]) == "a=1")
        #expect(try jsonText(["a": value]) == #"{"a":1}"#)
    }

    @Test func theErrorDoesNotSayTheValues() {
        for levels in [255, 256, 257, 600] {
            var value: any Sendable = "secret"
            for _ in 1..<levels { value = ["a": value] }
            let parameters: Parameters = ["a": value, "nan": Double.nan]
            for body in [{ try formText(parameters) }, { try jsonText(parameters) }] {
                let error = #expect(throws: FirewheelError.self) { try body() }
                #expect(error?.description.contains("secret") == false)
            }
        }
    }

    @Test func theFullDepthFitsInTheStackOfAnAppleThread() {
        let results = Locked<[Bool]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let nested = Nested(levels: 256)
            let parameters = dictionary(256)
            let encoded = [
                try? formText(parameters), try? formText(encoding: nested), try? jsonText(parameters), try? jsonText(encoding: nested),
            ]
            results.withLock { $0 = encoded.map { $0 != nil } }
            done.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        done.wait()
        #expect(results.withLock { $0 } == [true, true, true, true])
    }

    @Test(arguments: [1, 2, 100, 200, 256])
    func deepEnoughIsEncoded(_ levels: Int) throws {
        let text = "a" + String(repeating: "%5Ba%5D", count: levels - 1) + "=1"
        #expect(try formText(dictionary(levels)) == text)
        #expect(try formText(encoding: Nested(levels: levels)) == text)
        #expect(try formText(array(levels)) == "a" + String(repeating: "%5B%5D", count: levels - 1) + "=1")
        let body = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        #expect(try jsonText(dictionary(levels)) == body)
        #expect(try jsonText(encoding: Nested(levels: levels)) == body)
    }
}
