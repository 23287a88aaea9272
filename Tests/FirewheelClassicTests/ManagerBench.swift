import FirewheelClassic
import FirewheelTesting

/// A manager and the server it talks to.
struct ManagerBench {
    let server: MockServer
    let manager: HTTPSessionManager

    init(_ path: String = "/v1") throws {
        server = try MockServer()
        manager = HTTPSessionManager(baseURL: URL(string: server.url(path)))
    }

    /// What the handlers of one call got.
    struct Outcome: @unchecked Sendable {
        // Sound because the value is read by the test alone.
        let request: DataRequest?
        let value: Any?
        let error: (any Error)?
        let place: String

        var failure: FirewheelError? { error as? FirewheelError }
    }

    /// Calls a method of the manager and waits for the handler.
    func outcome(
        _ start: (@escaping HTTPSessionManager.SuccessHandler, @escaping HTTPSessionManager.FailureHandler) -> DataRequest?
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            _ = start(
                { request, value in
                    continuation.resume(returning: Outcome(request: request, value: value, error: nil, place: Place.current))
                },
                { request, error in
                    continuation.resume(returning: Outcome(request: request, value: nil, error: error, place: Place.current))
                })
        }
    }

    func get(_ path: String = "x") async -> Outcome {
        await outcome { manager.get(path, success: $0, failure: $1) }
    }
}
