import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Alamofire's `OfflineRetrier`.
@Suite("The retrier of requests without a network", .timeLimit(.minutes(5)))
struct OfflineRetrierTests {
    private static let offline = TransportError.failed(.notConnectedToInternet, "no network")

    private let network = FakeNetwork(.unreachable)
    /// The seconds that the retrier's clock was asked for.
    private let waits = Journal<TimeInterval>()
    /// Whether the clock's waits are over.
    private let isLate = Locked(false)

    private func retrier(maximumWait: TimeInterval = 5) -> OfflineRetrier {
        OfflineRetrier(
            maximumWait: maximumWait, network: network,
            sleep: { [waits, isLate] seconds in
                waits.add(seconds)
                while !isLate.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            })
    }

    /// A session whose transport has no network until it was asked a number of times.
    private func session(_ retrier: OfflineRetrier, failures: Int, error: TransportError = offline) -> (Session, StubTransport) {
        let count = Locked(0)
        let stub = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number <= failures ? [.fail(error)] : .text("back")
        }
        return (Session(transport: stub, interceptor: retrier), stub)
    }

    @Test(
        "A request without a network waits for it, and is sent again when it is back, whatever its method",
        arguments: [HTTPMethod.get, .post])
    func comesBack(method: HTTPMethod) async throws {
        let (session, stub) = session(retrier(), failures: 1)
        let request = session.request("http://stub.test/", method: method)
        let response = Task { await request.serializingString().response }
        try await waitUntil("the retrier observes the network") { network.observers == 1 && waits.count == 1 }
        // A change that brings no network is none for the request.
        network.change()
        await network.settle()
        #expect(stub.requests.count == 1)
        network.set(.reachable(isCellular: true))
        #expect(await response.value.value == "back")
        #expect(stub.requests.count == 2 && request.retryCount == 1 && waits.entries == [5])
        try await waitUntil("the observation ends") { network.observers == 0 }
    }

    @Test("A network that stays away is the request's error, when the wait is over")
    func staysAway() async throws {
        let (session, stub) = session(retrier(maximumWait: 0.5), failures: 1)
        let response = Task { await session.request("http://stub.test/").serializingString().response }
        try await waitUntil("the retrier waits") { waits.count == 1 }
        isLate.withLock { $0 = true }
        #expect(await response.value.kind == .transportFailed(.notConnectedToInternet))
        #expect(stub.requests.count == 1 && waits.entries == [0.5])
        try await waitUntil("the observation ends") { network.observers == 0 }
    }

    @Test("Without a wait the request is sent again only if the network is there already", arguments: [0, -1, TimeInterval.nan])
    func noWait(seconds: TimeInterval) async throws {
        let (session, stub) = session(retrier(maximumWait: seconds), failures: 1)
        #expect(await session.request("http://stub.test/").raw().kind == .transportFailed(.notConnectedToInternet))
        #expect(waits.count == 0 && stub.requests.count == 1)
        network.set(.reachable(isCellular: false))
        let (other, _) = self.session(retrier(maximumWait: seconds), failures: 1)
        #expect(await other.request("http://stub.test/").raw().text == "back")
    }

    @Test("A network that is there but does not do for the request is not tried for ever")
    func useless() async throws {
        network.set(.reachable(isCellular: true))
        let (session, stub) = session(retrier(), failures: .max)
        #expect(await session.request("http://stub.test/").raw().kind == .transportFailed(.notConnectedToInternet))
        #expect(stub.requests.count == 4)
    }

    @Test("Other failures are left to the next retrier", arguments: [URLError.Code.cannotFindHost, .timedOut, .networkConnectionLost])
    func others(code: URLError.Code) async throws {
        let (session, stub) = session(retrier(), failures: 1, error: .failed(code, "other"))
        #expect(await session.request("http://stub.test/").raw().kind == .transportFailed(code))
        #expect(stub.requests.count == 1 && network.asked == 0)
    }

    @Test("A POST that a server has redirected to one without a route is not sent to that server again, and a GET is")
    func redirected() async throws {
        network.set(.reachable(isCellular: false))
        for method in [HTTPMethod.post, .get] {
            let stub = StubTransport { request in
                if request.id.hop == 0 { return .text("", status: 307, headers: ["Location": "http://far.test/"]) }
                return request.id.attempt == 0 ? [.fail(Self.offline)] : .text("back")
            }
            let session = Session(transport: stub, interceptor: retrier())
            let response = await session.request("http://stub.test/", method: method).raw()
            #expect(response.text == (method == .get ? "back" : nil) && stub.requests.count == (method == .get ? 4 : 2), "\(response)")
        }
    }

    @Test("A cancelled request waits no more")
    func cancelled() async throws {
        let (session, stub) = session(retrier(), failures: 1)
        let request = session.request("http://stub.test/")
        let response = Task { await request.serializingString().response }
        try await waitUntil("the retrier observes the network") { network.observers == 1 && waits.count == 1 }
        request.cancel()
        #expect(await response.value.kind == .explicitlyCancelled)
        try await waitUntil("the observation ends") { network.observers == 0 }
        #expect(stub.requests.count == 1)
    }

    @Test("Many requests wait at a time, and all are sent again")
    func many() async throws {
        let stub = StubTransport { $0.id.attempt == 0 ? [.fail(Self.offline)] : .text("back") }
        let session = Session(transport: stub, interceptor: retrier())
        let responses = (0..<100).map { _ in Task { await session.request("http://stub.test/").raw().text } }
        try await waitUntil("all wait") { network.observers == 100 }
        network.set(.reachable(isCellular: false))
        for response in responses { #expect(await response.value == "back") }
        #expect(stub.requests.count == 200)
    }

    @Test("A system that reports no changes is asked when the wait is over")
    func silent() async throws {
        let silent = FakeNetwork(.unreachable, reportsChanges: false)
        let retrier = OfflineRetrier(maximumWait: 5, network: silent, sleep: { _ in silent.set(.reachable(isCellular: false)) })
        let (session, _) = session(retrier, failures: 1)
        #expect(await session.request("http://stub.test/").raw().text == "back")
    }

    @Test("The short forms have Alamofire's wait, or the one that is given")
    func shortForms() {
        func maximumWait(_ retrier: OfflineRetrier) -> TimeInterval { retrier.maximumWait }
        #expect(
            maximumWait(.offlineRetrier) == 5 && maximumWait(.offlineRetrier(maximumWait: 60)) == 60 && OfflineRetrier().maximumWait == 5)
        let interceptor = Interceptor(retriers: [.offlineRetrier, .retryPolicy])
        #expect(interceptor.retriers.count == 2)
    }
}
