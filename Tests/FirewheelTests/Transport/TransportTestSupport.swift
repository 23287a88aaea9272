import Firewheel
import FirewheelTesting
import Foundation
import Testing

extension DataRequest {
    /// The response as it came. Unlike for `serializingData()`, no body is an empty one.
    func raw() async -> DataResponse<Data> {
        let serializer = DataResponseSerializer<Data> { _, _, data, error in
            if let error { return .failure(error) }
            return .success(data ?? Data())
        }
        return await serializingResponse(using: serializer).response
    }
}

extension DataResponse {
    /// What went wrong; nil if nothing did.
    var kind: FirewheelError.Kind? { (error as? FirewheelError)?.kind }
}

extension DataResponse where Value == Data {
    var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

extension SessionConfiguration {
    /// A configuration with some things changed.
    static func with(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }
}

extension URLRequest {
    /// A request with bytes for a body.
    static func upload(_ body: Data?, to url: String, method: HTTPMethod = .post, headers: HTTPHeaders? = nil) throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        request.httpBody = body
        return request
    }
}

/// Bytes that repeat only after a long while, so that one that is lost or comes twice is noticed.
func pattern(_ count: Int) -> Data {
    var generator = SeededGenerator(state: UInt64(count))
    var data = Data(capacity: count + 8)
    while data.count < count { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
    return data.prefix(count)
}

/// Runs something and says how many seconds it took.
func timed<Result>(_ body: () async throws -> Result) async rethrows -> (result: Result, seconds: TimeInterval) {
    let start = DispatchTime.now().uptimeNanoseconds
    let result = try await body()
    return (result, TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
}

/// Waits until a condition holds, looking again and again.
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
