import Firewheel
import FirewheelTesting
import Foundation
import Testing

private let testHandlers = DispatchQueue(label: "test.handlers")

extension DataRequest {
    /// The response as received: unlike for a serializer, an empty body is not an error.
    func raw() async -> DataResponse<Data?> { await timed().response }

    /// The response as received, and the seconds until its handler was called. Handlers have a queue of their own, so that other tests do
    /// not delay them.
    func timed() async -> (response: DataResponse<Data?>, seconds: TimeInterval) {
        let start = DispatchTime.now().uptimeNanoseconds
        return await withCheckedContinuation { continuation in
            response(queue: testHandlers) { response in
                let seconds = TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9
                continuation.resume(returning: (response, seconds))
            }
        }
    }
}

extension DataResponse {
    /// The kind of the error; nil for none.
    var kind: FirewheelError.Kind? { (error as? FirewheelError)?.kind }

    /// The body, empty if there was none; nil after an error.
    var content: Data? { error == nil ? data ?? Data() : nil }

    /// ``content`` as UTF-8.
    var text: String? { content.map { String(decoding: $0, as: UTF8.self) } }

    /// The metrics of the last hop.
    var hop: TransactionMetrics? { metrics?.transactionMetrics.last }
}

extension SessionConfiguration {
    /// The default configuration with some changes.
    static func with(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }
}

extension URLRequest {
    /// A request with a body of bytes.
    static func upload(_ body: Data?, to url: String, method: HTTPMethod = .post, headers: HTTPHeaders? = nil) throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        request.httpBody = body
        return request
    }
}

extension Session {
    /// Sends a request with a body of bytes.
    func sending(_ body: Data?, to url: String, method: HTTPMethod = .post, headers: HTTPHeaders? = nil) throws -> DataRequest {
        request(try URLRequest.upload(body, to: url, method: method, headers: headers))
    }
}

/// Makes one request on a session of its own, which lives until the response.
func once(
    _ configuration: SessionConfiguration = .default, _ make: (Session) throws -> DataRequest
) async rethrows -> (response: DataResponse<Data?>, seconds: TimeInterval) {
    let session = Session.onTest(configuration: configuration)
    let outcome = try await make(session).timed()
    withExtendedLifetime(session) {}
    return outcome
}

/// Bytes with a period of ``patternPeriod``, a prime, so that a lost or repeated one is detected.
func pattern(_ count: Int) -> Data {
    var data = Data(capacity: count + patternBlock.count)
    while data.count < count { data.append(patternBlock) }
    return data.prefix(count)
}

/// The period of `pattern(_:)` in bytes.
let patternPeriod = 65_521

private let patternBlock: Data = {
    var generator = SeededGenerator(state: 6)
    return Data((0..<patternPeriod).map { _ in UInt8.random(in: 0...255, using: &generator) })
}()

/// Polls until a condition holds.
///
/// - Returns: False if it does not within this many seconds.
func eventually(within seconds: TimeInterval = 10, _ condition: () -> Bool) async -> Bool {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    while !condition() {
        if DispatchTime.now().uptimeNanoseconds > end { return false }
        try? await Task.sleep(nanoseconds: 10_000_000)
    }
    return true
}

/// This thread's processor time in seconds, which does not depend on other load.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
