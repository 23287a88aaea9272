import FirewheelTesting

@testable import FirewheelAlamofire

/// Makes the sessions of one test and retains them, because a session that is released ends its requests.
final class TestSessions: Sendable {
    private let made = Notes<Session>()

    func callAsFunction(_ transport: StubTransport, _ interceptor: (any RequestInterceptor)? = nil) -> Session {
        let session = Session(interceptor: interceptor, transport: transport)
        made.add(session)
        return session
    }
}
