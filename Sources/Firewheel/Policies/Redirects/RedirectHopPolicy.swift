import Foundation

/// The redirect hop policy: ``RedirectPolicy`` determines the target, the caller's handler whether and how to follow it.
struct RedirectHopPolicy: HopPolicy {
    var heldStatuses: Set<Int> { [301, 302, 303, 307, 308] }

    func judge(_ head: ResponseHead, of request: HopRequest, facts makeFacts: () -> HopFacts) -> HopVerdict {
        guard (301...308).contains(head.statusCode), heldStatuses.contains(head.statusCode), head.headers.mayContain(.location) else {
            return .pass
        }
        let facts = makeFacts()
        let behavior = (facts.redirectHandler as? Redirector)?.behavior
        if case .doNotFollow = behavior { return .pass }
        let decision = RedirectPolicy.decide(
            method: request.method, url: request.url, target: request.target, headers: request.headers,
            hasBody: request.hasBody,
            head: head, count: facts.earlierRedirects, opensWebSocket: facts.opensWebSocket)
        switch decision {
        case .stop:
            return .pass
        case .fail(let code, let reason):
            return Self.failure(code, reason)
        case .follow(let next):
            let target = request.redirected(to: next)
            if case .follow = behavior { return .again(target) }
            guard let handler = facts.redirectHandler, let context = facts.context else { return .again(target) }
            let response = head.makeHTTPURLResponse(from: request.target)
            let sent = [request] + (facts.owner.first.map { [$0] } ?? [])
            return .ask { await Self.ask(handler, context, target, response, after: sent) }
        }
    }

    private static func failure(_ code: URLError.Code, _ reason: String) -> HopVerdict {
        .fail(.transportFailed(code, reason))
    }

    private static func ask(
        _ handler: any RedirectHandler, _ context: RequestContext, _ target: HopRequest, _ response: HTTPURLResponse?,
        after sent: [HopRequest]
    ) async -> HopVerdict {
        // A handler that cannot be called is not skipped, because it might refuse.
        guard let proposed = target.makeURLRequest(), let response else {
            let reason = "the redirect handler cannot be asked: Foundation makes no URLRequest or HTTPURLResponse of the redirect"
            return failure(.redirectToNonExistentLocation, reason)
        }
        do {
            guard let chosen = try await handler.redirect(context, to: proposed, for: response) else { return .pass }
            if chosen.isSame(as: proposed) { return .again(target) }
            let wasSecure = sent.first?.target.origin.isSecure == true
            let changed = try target.replaced(by: chosen, insteadOf: proposed, after: sent)
            // The same rule as for unchanged redirects.
            if wasSecure, !changed.target.origin.isSecure, changed.hasBody {
                return failure(RedirectPolicy.downgrade.code, RedirectPolicy.downgrade.reason)
            }
            return .again(changed)
        } catch let error as RefusedRedirect {
            return .fail(error.reason)
        } catch {
            return .fail(FirewheelError(.redirectHandlingFailed, underlyingError: error, request: proposed, response: response))
        }
    }
}

/// The error for a handler's request that cannot be sent.
private struct RefusedRedirect: Error {
    let reason: FirewheelError
}

extension URLRequest {
    /// Foundation's comparison does not cover all properties.
    fileprivate func isSame(as other: URLRequest) -> Bool {
        url == other.url && httpMethod == other.httpMethod && allHTTPHeaderFields == other.allHTTPHeaderFields && httpBody == other.httpBody
            && timeoutInterval == other.timeoutInterval && (httpBodyStream == nil) == (other.httpBodyStream == nil)
            && httpShouldHandleCookies == other.httpShouldHandleCookies && cachePolicy == other.cachePolicy
    }
}

extension HopRequest {
    /// The redirected request.
    fileprivate func redirected(to next: RedirectPolicy.RedirectedRequest) -> HopRequest {
        HopRequest(
            method: next.method, url: next.url, target: next.target, headers: next.headers, bodySource: next.keepsBody ? bodySource : nil,
            idleTimeout: idleTimeout, mayExpectContinue: mayExpectContinue, handlesCookies: handlesCookies, decodesContent: decodesContent,
            cacheUse: cacheUse)
    }

    /// The handler's request, validated like any request of the caller.
    ///
    /// If it goes to another origin than the redirect's, credentials and a Host field are sent only if the handler set them, because the
    /// proposed ones were meant for that origin. The same applies to a Referer from https to http.
    fileprivate func replaced(by chosen: URLRequest, insteadOf proposed: URLRequest, after sent: [HopRequest]) throws -> HopRequest {
        guard let url = chosen.url?.absoluteString, case .success(let target) = TargetURI.parse(url) else {
            throw RefusedRedirect(reason: .invalidURL(chosen.url?.absoluteString ?? "", base: nil))
        }
        do { try chosen.checkProperties() } catch { throw RefusedRedirect(reason: error) }
        var headers = chosen.headers
        let given = proposed.headers
        if !target.hasSameOrigin(as: self.target) {
            for header in chosen.headers where Redaction.isCredential(fieldName: header.name) && given[header.name] == header.value {
                headers.remove(name: header.name)
            }
            if headers["Host"] == given["Host"] { headers.remove(name: "Host") }
        }
        // The handler may have copied a field from an earlier request, where it was meant for another server or for a single hop.
        for header in headers where Redaction.isCredential(fieldName: header.name) {
            let isOfBefore = sent.contains { hop in
                hop.added[header.name] == header.value || hop.headers[header.name] == header.value && !target.hasSameOrigin(as: hop.target)
            }
            if isOfBefore { headers.remove(name: header.name) }
        }
        let wasSecure = sent.first?.target.origin.isSecure == true
        // RFC 9110 section 10.1.3.
        if wasSecure, !target.origin.isSecure, headers["Referer"] == given["Referer"] { headers.remove(name: "Referer") }
        do {
            let method = chosen.method ?? .get
            // A body that is not in memory is not in the `URLRequest` either.
            let streamed = proposed.httpBody == nil && method.allowsBody ? bodySource : nil
            return try HopRequest(
                checking: method, url: url, target: target, headers: headers, over: [:],
                body: chosen.httpBody.map { .data($0) } ?? streamed,
                idleTimeout: chosen.timeoutInterval(or: idleTimeout), handlesCookies: chosen.httpShouldHandleCookies,
                codings: decodesContent ? .decodable : .asSent,
                cacheUse: CacheUse(
                    chosen.cachePolicy == .useProtocolCachePolicy ? cacheUse?.policy ?? chosen.cachePolicy : chosen.cachePolicy,
                    hasCache: cacheUse != nil, isDeduplicated: cacheUse?.isDeduplicated == true,
                    storesCookies: chosen.httpShouldHandleCookies))
        } catch let error as FirewheelError {
            throw RefusedRedirect(reason: error)
        }
    }
}
