import Foundation

/// A complete response that is stored if a ``CachedResponseHandler`` agrees.
struct ProposedResponse: Sendable {
    /// What becomes of it.
    enum Outcome: Sendable {
        case store(StoredResponse, Data)
        case refused(CacheStorability.Reason)
    }

    let head: ResponseHead
    let body: Data
    /// As it is stored without changes.
    let stored: StoredResponse
    let request: CacheRequest
    let requestTime: TimeInterval
    let responseTime: TimeInterval
    let clientLifetime: TimeInterval?
    /// Whether the cache is in memory.
    let isInMemory: Bool

    /// The most bytes of a body that a handler is shown, because it must be in memory.
    static let mostBytes = 64 << 20

    /// Asks the handler.
    func outcome(of handler: any CachedResponseHandler, _ context: RequestContext) async -> Outcome {
        guard let response = head.makeHTTPURLResponse(from: request.target) else {
            return .refused(.handler("the handler could not be asked: Foundation cannot make an HTTPURLResponse of it"))
        }
        let shown = CachedURLResponse(response: response, data: body)
        guard let answer = await handler.willCache(context, shown) else { return .refused(.handler("the handler refused it")) }
        switch answer.storagePolicy {
        case .allowed: break
        case .allowedInMemoryOnly where isInMemory: break
        case .allowedInMemoryOnly:
            return .refused(.handler("the handler allows it in memory only, and the cache is on disk"))
        default: return .refused(.handler("the handler's storagePolicy does not allow it"))
        }
        guard let chosen = answer.response as? HTTPURLResponse else {
            return .refused(.handler("the handler's response is not an HTTPURLResponse"))
        }
        if chosen === response, answer.data == body { return .store(stored, body) }
        return outcome(of: chosen, answer.data, insteadOf: response)
    }

    private func outcome(of chosen: HTTPURLResponse, _ data: Data, insteadOf shown: HTTPURLResponse) -> Outcome {
        let (before, after) = (Self.fields(of: shown), Self.fields(of: chosen))
        // Foundation joins repeated fields, so those that are the same stay as the server has sent them. The length is that of the data.
        var changed = Set(before.keys).union(after.keys).filter { before[$0]?.value != after[$0]?.value }.subtracting(["content-length"])
        let hasOtherBody = data != body
        if changed.isEmpty, !hasOtherBody, chosen.statusCode == head.statusCode { return .store(stored, body) }
        // RFC 9110 sections 15.3.5 and 15.3.6.
        if [204, 205].contains(chosen.statusCode), !data.isEmpty {
            return .refused(.handler("the handler's response has a body, which its status \(chosen.statusCode) does not allow"))
        }
        let chosenFields = changed.sorted().compactMap { after[$0] }
        guard HTTPHeaders(received: chosenFields).problem == nil else {
            return .refused(.handler("the handler's response has an invalid header field"))
        }
        var fields = head.headers.filter { !changed.contains($0.name.lowercased()) } + chosenFields
        // The server's length was that of the coded body.
        if hasOtherBody || changed.contains("content-encoding") {
            fields.removeAll { $0.name.lowercased() == "content-length" }
            if after["content-encoding"] == nil { fields.append(HTTPHeader(name: "Content-Length", value: "\(data.count)")) }
            changed.insert("content-length")
        }
        let newHead = ResponseHead(statusCode: chosen.statusCode, httpVersion: head.httpVersion, headers: HTTPHeaders(received: fields))
        switch CacheStorability(newHead, to: request) {
        case .refused(let reason): return .refused(reason)
        case .storable(let names):
            let response = StoredResponse(
                newHead, of: request, varyingBy: names, requestTime: requestTime, responseTime: responseTime,
                clientLifetime: clientLifetime, fixedFields: changed)
            return .store(response, data)
        }
    }

    /// Foundation's fields by their lowercase names. Those of one name are joined, so that none is overlooked.
    private static func fields(of response: HTTPURLResponse) -> [String: HTTPHeader] {
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { ($0.lowercased(), HTTPHeader(name: $0, value: "\(value)")) }
        }
        return Dictionary(fields) { HTTPHeader(name: $0.name, value: "\($0.value), \($1.value)") }
    }
}
