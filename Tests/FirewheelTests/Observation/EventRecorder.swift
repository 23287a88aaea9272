import Dispatch
import Foundation
import Testing

@testable import Firewheel

/// A monitor that writes down, in words, what it is told.
final class EventRecorder: EventMonitor {
    struct Entry: Sendable {
        let context: RequestContext
        let event: RequestEvent
    }

    let queue: DispatchQueue?
    let journal = Journal<Entry>()

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func request(_ context: RequestContext, did event: RequestEvent) {
        journal.add(Entry(context: context, event: event))
    }

    var words: [String] { journal.entries.map(\.event.word) }

    /// The words, once the last of them is there.
    func words(until last: String) async throws -> [String] {
        try await waitUntil("the event \(last)") { self.words.contains(last) }
        return words
    }

    func context(of word: String) -> RequestContext? { journal.entries.first { $0.event.word == word }?.context }
}

extension RequestEvent {
    /// The event with as much of its payload as tests compare.
    var word: String {
        switch self {
        case .resume: "resume"
        case .suspend: "suspend"
        case .cancel: "cancel"
        case .createURLRequest: "createURLRequest"
        case .failToCreateURLRequest: "failToCreateURLRequest"
        case .adaptURLRequest(let request): "adaptURLRequest \(request.url?.path ?? "")"
        case .failToAdaptURLRequest: "failToAdaptURLRequest"
        case .createTask(let attempt, let hop): "createTask \(attempt).\(hop)"
        case .waitForConnectivity: "waitForConnectivity"
        case .didUseCache(let source): "didUseCache \(source.word ?? "network")"
        case .retry(let delay, _): "retry \(delay)"
        case .redirect(let request): "redirect \(request.httpMethod ?? "") \(request.url?.path ?? "")"
        case .receiveResponse: "receiveResponse"
        case .gatherMetrics: "gatherMetrics"
        case .completeTask(let error): "completeTask" + Self.suffix(error)
        case .validate(let error): "validate" + Self.suffix(error)
        case .saveFile: "saveFile"
        case .finish(let error): "finish" + Self.suffix(error)
        case .parseResponse(let type, let error): "parseResponse \(type)" + Self.suffix(error)
        }
    }

    private static func suffix(_ error: (any Error)?) -> String {
        guard let error else { return "" }
        return kind(error).map { " \($0)" } ?? " \(error)"
    }
}
