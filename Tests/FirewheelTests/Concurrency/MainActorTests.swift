import Firewheel
import Foundation
import Testing

/// The most common use: a view model stores what a handler gets. Without `queue:` handlers run on the main actor.
@Suite("Handlers on the main actor", .timeLimit(.minutes(5)))
@MainActor
struct MainActorTests {
    @MainActor
    final class ViewModel {
        var items: [Int] = []
        var title: String?
        var json: [Any] = []
        var steps: [String] = []

        func load(_ session: Session, done: @escaping @MainActor () -> Void) {
            session.request("http://stub.test/").validate()
                .responseDecodable(of: [Int].self) { response in
                    self.items = response.value ?? []
                    self.steps.append("decodable")
                }
                .responseString { response in
                    self.title = response.value
                    self.steps.append("string")
                }
                .responseJSON { response in
                    self.json = response.value as? [Any] ?? []
                    self.steps.append("json")
                }
                .responseData { _ in self.steps.append("data") }
                .response { _ in
                    self.steps.append("response")
                    done()
                }
        }
    }

    @Test("Handlers may set main-actor properties, and run in the order in which they were attached")
    func viewModel() async throws {
        let session = session(body: "[1,2]")
        let model = ViewModel()
        await withCheckedContinuation { continuation in model.load(session) { continuation.resume() } }
        #expect(model.items == [1, 2] && model.title == "[1,2]")
        #expect(model.json as? [Int] == [1, 2])
        #expect(model.steps == ["decodable", "string", "json", "data", "response"])
        withExtendedLifetime(session) {}
    }

    @Test("Handlers of downloads run on the main actor in order")
    func download() async throws {
        let session = session(body: "[1,2]")
        var steps: [String] = []
        var file: URL?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.download("http://stub.test/")
                .responseURL { response in
                    file = response.value
                    steps.append("url")
                }
                .responseJSON { steps.append("\(($0.value as? [Int]) ?? [])") }
                .responseDecodable(of: [Int].self) { steps.append("\($0.value ?? [])") }
                .responseString { steps.append($0.value ?? "") }
                .responseData { steps.append("\($0.value?.count ?? 0)") }
                .response { _ in continuation.resume() }
        }
        #expect(steps == ["url", "[1, 2]", "[1, 2]", "[1,2]", "5"])
        try FileManager.default.removeItem(at: try #require(file))
        withExtendedLifetime(session) {}
    }

    @Test("Failures and handlers attached late arrive on the main actor")
    func failures() async throws {
        let session = session(body: "x")
        let request = session.request("no URL")
        var kinds: [FirewheelError.Kind?] = []
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request.responseData { response in
                MainActor.assertIsolated()
                kinds.append(kind(response.error))
                request.responseJSON { response in
                    MainActor.assertIsolated()
                    kinds.append(kind(response.error))
                    continuation.resume()
                }
            }
        }
        #expect(kinds == [.invalidURL, .invalidURL])
        withExtendedLifetime(session) {}
    }

    @Test("The completion of cancelAllRequests runs on the main queue by default")
    func cancelAll() async throws {
        let bench = EngineBench()
        let request = bench.session.request("http://stub.test/").resume()
        await withCheckedContinuation { continuation in
            bench.session.cancelAllRequests {
                MainActor.assertIsolated()
                continuation.resume()
            }
        }
        #expect(request.isCancelled)
    }
}
