import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Event monitors")
struct EventMonitorTests {
    @Test func areCalledOnTheirQueue() async throws {
        let queue = DispatchQueue(label: "test.monitor")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let onQueue = Journal<Bool>()
        let bench = EngineBench(eventMonitors: [
            ClosureEventMonitor(queue: queue) { _, _ in onQueue.add(DispatchQueue.getSpecific(key: key) == true) }
        ])
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end()))
        let entries = try await onQueue.wait(for: 8)
        #expect(entries.allSatisfy { $0 })
    }

    /// Also on a concurrent queue the events come one at a time and in order.
    @Test func keepTheOrderOnAConcurrentQueue() async throws {
        let recorder = EventRecorder(queue: DispatchQueue(label: "test.concurrent", attributes: .concurrent))
        let bench = EngineBench(eventMonitors: [recorder])
        for _ in 0..<50 {
            let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
            bench.transport.deliver((bench.id(request), .end()))
        }
        try await waitUntil("the last event") { recorder.words.filter { $0 == "finish" }.count == 50 }
        for (_, entries) in Dictionary(grouping: recorder.journal.entries, by: \.context.id) {
            #expect(
                entries.map(\.event.word) == [
                    "resume", "createURLRequest", "createTask 0.0", "receiveResponse", "gatherMetrics", "completeTask",
                    "parseResponse Optional<Data>", "finish",
                ])
        }
    }

    /// On a serial queue of the caller's what it causes itself comes after what others have put there.
    @Test func leaveOthersTheirTurn() async throws {
        let queue = DispatchQueue(label: "test.monitor")
        let works = Journal<String>()
        let session = Locked<Session?>(nil)
        let isFirst = Locked(true)
        let bench = EngineBench(eventMonitors: [
            ClosureEventMonitor(queue: queue) { _, event in
                guard case .resume = event else { return }
                works.add("event")
                let makesMore = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if makesMore { session.withLock { $0 }?.request("http://a.test/").resume() }
            }
        ])
        session.withLock { $0 = bench.session }
        queue.suspend()
        bench.session.request("http://a.test/").resume()
        queue.async { works.add("other") }
        queue.resume()
        #expect(try await works.wait(for: 3) == ["event", "other", "event"])
        session.withLock { $0 = nil }
    }

    /// A monitor that blocks holds up nothing but itself.
    @Test func holdUpNoRequest() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let bench = EngineBench(eventMonitors: [ClosureEventMonitor { _, event in if case .resume = event { gate.wait() } }])
        let done = Journal<Int?>()
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { done.add($0.statusCode) }
        bench.transport.deliver((bench.id(request), .end(200)))
        #expect(try await done.wait(for: 1) == [200])
    }

    @Test func severalSeeTheSame() async throws {
        let (first, second, own) = (EventRecorder(), EventRecorder(), EventRecorder())
        let bench = EngineBench(eventMonitors: [first, second])
        let request = bench.session.request("http://a.test/").eventMonitor(own).response(queue: bench.handlers) { _ in }
        let other = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end()), (bench.id(other), .end()))
        let words = try await own.words(until: "finish")
        try await waitUntil("all events") { first.words.count == 16 && second.words.count == 16 }
        #expect(first.journal.entries.filter { $0.context.id == request.id }.map(\.event.word) == words)
        #expect(own.journal.entries.allSatisfy { $0.context.id == request.id })
    }

    @Test func ofOneRequestHearWhatComesAfterThem() async throws {
        let bench = EngineBench()
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        try await bench.started(request)
        let recorder = EventRecorder()
        request.eventMonitor(recorder)
        bench.transport.deliver((bench.id(request), .end(204)))
        #expect(
            try await recorder.words(until: "finish") == [
                "receiveResponse", "gatherMetrics", "completeTask", "parseResponse Optional<Data>", "finish",
            ])
        #expect(recorder.context(of: "finish")?.request?.url?.absoluteString == "http://a.test/")
    }

    @Test func knowTheSession() async throws {
        var configuration = SessionConfiguration.default
        configuration.baseURL = URL(string: "http://a.test/v1")
        configuration.headers = ["X-App": "test"]
        let recorder = EventRecorder()
        let bench = EngineBench(configuration, eventMonitors: [recorder])
        let request = bench.session.request("users").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end()))
        _ = try await recorder.words(until: "finish")
        let context = try #require(recorder.context(of: "finish"))
        #expect(context.id == request.id)
        #expect(context.retryCount == 0)
        #expect(context.baseURL?.absoluteString == "http://a.test/v1")
        #expect(context.headers == ["X-App": "test"])
        #expect(context.request?.url?.absoluteString == "http://a.test/v1/users")
        #expect(context.request?.value(forHTTPHeaderField: "X-App") == "test")
    }

    /// A context is a value: what happens later does not change it.
    @Test func keepContextsThatDoNotChange() async throws {
        let recorder = EventRecorder()
        let bench = EngineBench(eventMonitors: [recorder])
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end()))
        _ = try await recorder.words(until: "finish")
        #expect(recorder.context(of: "resume")?.request == nil)
        #expect(recorder.context(of: "createTask 0.0")?.response == nil)
        #expect(recorder.context(of: "receiveResponse")?.metrics == nil)
        #expect(recorder.context(of: "gatherMetrics")?.metrics != nil)
    }

    @Test func printNoSecrets() async throws {
        var configuration = SessionConfiguration.default
        configuration.headers = [.authorization(bearerToken: "s3cret")]
        let recorder = EventRecorder()
        let bench = EngineBench(configuration, eventMonitors: [recorder])
        let request = bench.session.request("http://user:s3cret@a.test/?access_token=s3cret").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end()))
        _ = try await recorder.words(until: "finish")
        let context = try #require(recorder.context(of: "finish"))
        #expect(!"\(context) \(String(reflecting: context))".contains("s3cret"))
        #expect("\(context)".hasPrefix("request \(request.id) GET http://"))
        #expect("\(context)".hasSuffix("(200)"))
    }

    /// Under a storm of changes from many threads each event is told once, the end after all that led to it.
    @Test func seeOneOrderInAStorm() async throws {
        let recorder = EventRecorder()
        let bench = EngineBench(eventMonitors: [recorder])
        let ended = Journal<UInt64>()
        for _ in 0..<100 {
            let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
            await onThreads(4) { index in
                switch index {
                case 0: request.suspend().resume()
                case 1: request.cancel()
                case 2: request.response(queue: bench.handlers) { _ in ended.add(request.id) }
                default: bench.transport.deliver((bench.id(request), .end()))
                }
            }
        }
        _ = try await ended.wait(for: 100)
        try await waitUntil("every response") { recorder.words.filter { $0.hasPrefix("parseResponse") }.count == 200 }
        // The end of a request can come after its last response.
        try await waitUntil("every end") { recorder.words.filter { $0.hasPrefix("finish") }.count == 100 }
        for (id, entries) in Dictionary(grouping: recorder.journal.entries, by: \.context.id) {
            let words = entries.map(\.event.word)
            #expect(words.filter { $0.hasPrefix("finish") }.count == 1, "request \(id): \(words)")
            #expect(words.filter { $0.hasPrefix("completeTask") }.count == 1)
            let finish = try #require(words.firstIndex { $0.hasPrefix("finish") })
            let complete = try #require(words.firstIndex { $0.hasPrefix("completeTask") })
            #expect(complete < finish)
            // The handler that was there before the end has its response before it, the other one where it came.
            #expect(words[..<finish].contains { $0.hasPrefix("parseResponse") })
            if words.contains("completeTask explicitlyCancelled") {
                let cancel = try #require(words.firstIndex(of: "cancel"))
                #expect(cancel < complete)
            }
        }
    }
}
