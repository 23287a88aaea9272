import Testing

@testable import Firewheel

@Suite struct NestingTests {
    /// Nested to any depth without being so in memory, because releasing a deep chain of values also needs a deep stack.
    struct Nested: Encodable, Sendable {
        enum Key: CodingKey { case a }
        let levels: Int
        var withSet = false

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if levels > 1 {
                try container.encode(Nested(levels: levels - 1, withSet: withSet), forKey: .a)
            } else if withSet {
                try container.encode(Set([2, 1]), forKey: .a)
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

    @Test(arguments: [129, 2_000, 10_000])
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
        for levels in [127, 128, 129, 600] {
            var value: any Sendable = "secret"
            for _ in 1..<levels { value = ["a": value] }
            let parameters: Parameters = ["a": value, "nan": Double.nan]
            for body in [{ try formText(parameters) }, { try jsonText(parameters) }] {
                let error = #expect(throws: FirewheelError.self) { try body() }
                #expect(error?.description.contains("secret") == false)
            }
        }
    }

    /// A value that contains itself through typed collections.
    final class Node: Encodable, Hashable, Sendable {
        enum Children: Sendable {
            case set(Set<Node>)
            case dictionary([String: Node])
            case pairs([Node: Node])
            case none
        }
        let children: Children
        init(_ children: Children) { self.children = children }
        static func == (left: Node, right: Node) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch children {
            case .set(let nodes): try container.encode(nodes)
            case .dictionary(let nodes): try container.encode(nodes)
            case .pairs(let nodes): try container.encode(nodes)
            case .none: try container.encode(1)
            }
        }

        /// Each takes two levels: the collection, and the node that encodes itself as one.
        static func chain(_ count: Int, _ wrap: (Node) -> Children) -> Node {
            var node = Node(.set([Node(.none), Node(.none)]))
            for _ in 1..<count { node = Node(wrap(node)) }
            return node
        }
    }

    /// Secondary threads have a small stack on Apple systems.
    private func onASmallStack(_ body: @escaping @Sendable () -> [String?]) -> [String?] {
        let results = Locked<[String?]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let result = body()
            results.withLock { $0 = result }
            done.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        done.wait()
        return results.withLock { $0 }
    }

    @Test func theFullDepthFitsInTheStackOfAnAppleThread() {
        let texts = onASmallStack { [self] in
            let nested = Nested(levels: 128)
            let parameters = dictionary(128)
            let set = Nested(levels: 127, withSet: true)
            let list = PropertyListEncoding.default
            return [
                try? formText(parameters), try? formText(encoding: nested), try? formText(encoding: set),
                try? jsonText(parameters), try? jsonText(encoding: nested), try? jsonText(encoding: Nested(levels: 127, withSet: true)),
                try? list.encode(URLRequest.test(.post), with: parameters).bodyText,
                try? list.encode(URLRequest.test(.post), with: ["a": Nested(levels: 126, withSet: true)]).bodyText,
            ]
        }
        #expect(texts.map { $0 != nil } == [Bool](repeating: true, count: 8))
    }

    @Test func collectionsInThemselvesFitToo() {
        @Sendable func chains(_ count: Int) -> [Node] {
            [.chain(count) { .set([$0]) }, .chain(count) { .dictionary(["a": $0]) }, .chain(count) { .pairs([Node(.none): $0]) }]
        }
        let texts = onASmallStack {
            chains(62).map { try? formText(encoding: ["a": $0]) } + chains(62).map { try? jsonText(encoding: ["a": $0]) }
                + chains(62).map { try? jsonText(["a": $0]) }
                + chains(62).map { node in
                    (try? PropertyListEncoding.binary.encode(URLRequest.test(.post), with: ["a": node]).httpBody?.count).map(String.init)
                }
        }
        #expect(texts.map { $0 != nil } == [Bool](repeating: true, count: 12))
        #expect(texts[0] == "a=1&a=1")
        #expect(texts[3] == #"{"a":\#(String(repeating: "[", count: 62))1,1\#(String(repeating: "]", count: 62))}"#)
        #expect(texts[4]?.hasSuffix(#"{"a":[1,1]\#(String(repeating: "}", count: 62))"#) == true)
        #expect(texts[3...5] == texts[6...8])
    }

    @Test func deeperWithASetIsAnErrorInJSON() {
        for levels in [129, 160, 256] {
            #expect(encodingFailure(.jsonEncodingFailed) { try jsonText(encoding: Nested(levels: levels, withSet: true)) } == .tooDeep)
        }
    }

    @Test(arguments: [1, 2, 100, 127, 128])
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
