import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

@Suite("OfflineRetrier", .timeLimit(.minutes(5)))
struct OfflineRetrierTests {
    private let sessions = TestSessions()
    private static let url = "http://stub.test/"

    @Test("Its errors are those without a network, alone and in an AFError")
    func errors() {
        let isOffline = OfflineRetrier.defaultIsOfflineError
        #expect(isOffline(URLError(.notConnectedToInternet)))
        #expect(isOffline(AFError.sessionTaskFailed(error: URLError(.notConnectedToInternet))))
        #expect(!isOffline(URLError(.timedOut)) && !isOffline(CancellationError()))
        #expect(OfflineRetrier.defaultURLErrorOfflineCodes == [.notConnectedToInternet])
        #expect(OfflineRetrier.defaultWait == .seconds(5))
    }

    @Test("Other failures are left to the next retrier")
    func otherFailures() async {
        let stub = StubTransport.text("busy", status: 503)
        let asked = Notes<any Error>()
        let last = Retrier { _, _, error, completion in
            asked.add(error)
            completion(.doNotRetry)
        }
        let interceptor = Interceptor(retriers: [.offlineRetrier(maximumWait: .never), last])
        let response = await sessions(stub).request(Self.url, interceptor: interceptor).validate().serializingData().response
        #expect(response.error?.isResponseValidationError == true)
        #expect(stub.requests.count == 1 && asked.all.count == 1)
    }

    @Test("The closure is given an AFError")
    func closure() async {
        let errors = Notes<any Error>()
        let retrier = OfflineRetrier { error in
            errors.add(error)
            return false
        }
        let session = sessions(StubTransport.text("busy", status: 503), retrier)
        _ = await session.request(Self.url).validate().serializingData().response
        #expect(errors.all.map { $0 is AFError } == [true])
        retrier.retry(session.request(Self.url), for: session, dueTo: URLError(.timedOut)) { #expect($0.isDoNotRetry) }
        #expect(errors.all.map { $0 is URLError } == [false, true])
    }

    @Test("A request waits for the network and is sent again", arguments: [true, false])
    func comesBack(isDirect: Bool) async {
        let network = SwitchedNetwork()
        let retrier = OfflineRetrier(network.retrier(), isOfflineError: OfflineRetrier.defaultIsOfflineError)
        // Wrapped, it is called in the completion form.
        let wrapped = Retrier { retrier.retry($0, for: $1, dueTo: $2, completion: $3) }
        let stub = StubTransport { _ in network.isThere ? .text("fine") : [.fail(.failed(.notConnectedToInternet, "no network"))] }
        let session = sessions(stub)
        let task = session.request(Self.url, method: .post, interceptor: isDirect ? retrier : wrapped).serializingString()
        await network.observed.wait(for: 1)
        network.comeBack()
        #expect(await task.response.value == "fine")
        #expect(stub.requests.count == 2)
    }

    @Test("A request that is cancelled while it waits ends, and waits no longer")
    func cancelled() async {
        let network = SwitchedNetwork()
        let retrier = OfflineRetrier(network.retrier(), isOfflineError: OfflineRetrier.defaultIsOfflineError)
        let stub = StubTransport { _ in [.fail(.failed(.notConnectedToInternet, "no network"))] }
        let request = sessions(stub, retrier).request(Self.url)
        let task = request.serializingString()
        await network.observed.wait(for: 1)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        await network.forgotten.wait(for: 1)
    }
}
