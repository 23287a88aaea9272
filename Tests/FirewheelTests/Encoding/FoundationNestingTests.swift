import Testing

@testable import Firewheel

/// Foundation containers may be nested deeper than the stack allows, and may contain themselves.
@Suite struct FoundationNestingTests {
    private static func inArrays(_ levels: Int) -> NSObject {
        (0..<levels).reduce(NSNumber(value: 1) as NSObject) { value, _ in NSArray(object: value) }
    }

    private static func inDictionaries(_ levels: Int) -> NSObject {
        (0..<levels).reduce(NSNumber(value: 1) as NSObject) { value, _ in
            let dictionary = NSMutableDictionary()
            dictionary.setObject(value, forKey: "a" as NSString)
            return dictionary
        }
    }

    private static func inBoth(_ levels: Int) -> NSObject {
        let inner = NSMutableArray(object: NSNull())
        inner.add(inDictionaries(levels / 2))
        return (0..<levels / 2 - 1).reduce(inner as NSObject) { value, _ in NSArray(object: value) }
    }

    /// The failures of every encoding.
    private static func failures(_ value: any Sendable) -> [ParameterFailure?] {
        [
            encodingFailure(.jsonEncodingFailed) { try JSONEncoding.default.encode(URLRequest.test(.post), withJSONObject: value) },
            encodingFailure(.jsonEncodingFailed) { try jsonText(["k": [value]]) },
            encodingFailure(.urlEncodedFormEncodingFailed) { try formText(["k": value]) },
            encodingFailure(.propertyListEncodingFailed) {
                try PropertyListEncoding.default.encode(URLRequest.test(.post), with: ["k": value])
            },
        ]
    }

    /// The same on a secondary thread's stack size of Apple systems. The thread never releases the value last, because releasing it is as
    /// deep as the value.
    private func failuresOnASmallStack(_ value: any Sendable) -> [ParameterFailure?] {
        let input = Locked<(any Sendable)?>(value)
        let results = Locked<[ParameterFailure?]>([])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let found = input.withLock { $0 }.map(Self.failures) ?? []
            results.withLock { $0 = found }
            done.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        done.wait()
        input.withLock { $0 = nil }
        return results.withLock { $0 }
    }

    @Test(arguments: [130, 1_000, 2_000])
    func tooDeepIsAnError(_ levels: Int) {
        for value in [Self.inArrays(levels), Self.inDictionaries(levels), Self.inBoth(levels)] {
            #expect(failuresOnASmallStack(uncheckedSendable(value)) == Array(repeating: .tooDeep, count: 4))
        }
    }

    @Test func whatHoldsItselfIsTooDeep() {
        let array = NSMutableArray(object: NSNumber(value: 1))
        array.add(array)
        array.add(array)
        defer { array.removeAllObjects() }
        let dictionary = NSMutableDictionary()
        dictionary.setObject(NSArray(object: dictionary), forKey: "a" as NSString)
        defer { dictionary.removeAllObjects() }
        for value in [array, dictionary] as [NSObject] {
            #expect(failuresOnASmallStack(uncheckedSendable(value)) == Array(repeating: .tooDeep, count: 4))
        }
    }

    @Test func theFullDepthIsEncoded() throws {
        let value = uncheckedSendable(Self.inArrays(128))
        let request = try JSONEncoding.default.encode(URLRequest.test(.post), withJSONObject: value)
        #expect(request.bodyText == String(repeating: "[", count: 128) + "1" + String(repeating: "]", count: 128))
        let fields = uncheckedSendable(Self.inDictionaries(127))
        #expect(try jsonText(["a": fields]) == String(repeating: #"{"a":"#, count: 128) + "1" + String(repeating: "}", count: 128))
    }

    @Test func theSameObjectTwiceIsNoLoop() throws {
        let shared = NSArray(array: [1, "b"])
        let value = uncheckedSendable(NSArray(array: [shared, shared, NSSet(object: shared), Date?.none as Any]))
        #expect(try jsonText(["k": value]) == #"{"k":[[1,"b"],[1,"b"],[[1,"b"]],null]}"#)
    }
}
