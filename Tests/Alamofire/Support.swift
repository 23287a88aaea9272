// What Alamofire's tests take from its internals, written anew over its public interface. Compiled with the converted tests only.
import Alamofire
import Foundation
import XCTest

/// A value behind a lock.
final class Protected<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) {
        stored = value
    }

    func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(stored)
    }

    @discardableResult
    func write<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&stored)
    }

    func write(_ value: Value) {
        write { $0 = value }
    }
}

extension Protected: Equatable where Value: Equatable {
    static func == (left: Protected, right: Protected) -> Bool {
        left.read { $0 } == right.read { $0 }
    }
}

extension XCTestCase {
    /// Fails unless the session has no active request once its queue is idle.
    func assertNoActiveRequests(in session: Session, file: StaticString = #filePath, line: UInt = #line) {
        let counted = expectation(description: "requests counted")
        var count: Int?
        session.withAllRequests {
            count = $0.count
            counted.fulfill()
        }
        wait(for: [counted], timeout: 10)
        XCTAssertEqual(count, 0, file: file, line: line)
    }
}

extension RetryResult {
    /// The delay in seconds of a retry with a delay.
    var delay: TimeInterval? {
        guard case .retryWithDelay(let seconds) = self else { return nil }
        return seconds
    }

    var error: (any Error)? {
        guard case .doNotRetryWithError(let error) = self else { return nil }
        return error
    }
}

extension OperationQueue {
    convenience init(underlyingQueue: DispatchQueue, name: String) {
        self.init()
        self.underlyingQueue = underlyingQueue
        self.name = name
    }
}

extension DispatchQueue {
    func after(_ seconds: TimeInterval, execute work: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + seconds, execute: work)
    }
}

#if canImport(FoundationXML)
    import FoundationXML

    typealias XMLParser = FoundationXML.XMLParser
#endif
