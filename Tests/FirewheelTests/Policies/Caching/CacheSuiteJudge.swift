import Firewheel
import Foundation

/// A response as the client has received it.
struct CacheSuiteResponse: Sendable {
    /// nil if the exchange has failed as expected.
    var status: Int?
    var headers: HTTPHeaders = [:]
    var text = ""
    var source = ResponseSource.network

    /// Which of the server's answers it is, counted in the order of the requests that the server has seen.
    var answerNumber: Int? { headers["Server-Request-Count"].flatMap(Self.leadingInteger) }

    /// The number at the beginning of a value; repeated fields are joined, and the first one counts.
    static func leadingInteger(_ text: String) -> Int? {
        Int(text.trimmingCharacters(in: .whitespaces).prefix { $0.isNumber || $0 == "-" })
    }
}

/// A request as the server has seen it.
struct CacheSuiteRequest: Sendable {
    /// The request's number in the case, as the client has sent it.
    let number: Int
    let method: String
    let headers: HTTPHeaders
    /// The fields of the answer that the client must receive unchanged.
    let verified: [HTTPHeader]
}

/// The suite's rules: what the client must have received, and what the server must have seen.
struct CacheSuiteJudge {
    /// Why a case does not pass.
    enum Failure: Error, Equatable {
        /// The cache does not do what the case asks for.
        case assertion(String)
        /// The case says nothing, because the cache did not do what it builds on.
        case setup(String)
        /// The runner has failed, not the cache.
        case harness(String)
    }

    let test: CacheSuiteCase
    /// The default content of the server's answers.
    let resource: String

    private func check(_ condition: Bool, isSetup: Bool, _ reason: @autoclosure () -> String) throws(Failure) {
        if !condition { throw isSetup ? .setup(reason()) : .assertion(reason()) }
    }

    // MARK: - The client's side

    /// - Parameter number: The number of the request in the case, from 1.
    func checkResponse(_ response: CacheSuiteResponse, number: Int) throws(Failure) {
        let exchange = test.exchanges[number - 1]
        let requests = response.headers["Request-Numbers"]?.split(separator: " ") ?? []
        try check(Set(requests).count == requests.count, isSetup: true, "retry")
        try checkKind(of: response, exchange, number)
        try checkStatus(of: response, exchange, number)
        for rule in exchange.expectedFields { try checkExpected(rule, in: response, exchange, number) }
        for rule in exchange.missingFields { try checkMissing(rule, in: response, exchange, number) }
        if exchange.checksBody { try checkBody(of: response, exchange, number) }
    }

    private func checkKind(of response: CacheSuiteResponse, _ exchange: CacheSuiteExchange, _ number: Int) throws(Failure) {
        let isSetup = exchange.isSetup(.kind)
        switch exchange.kind {
        case .cached:
            // Some caches answer a condition of the client's with a 304 of their own.
            if response.status == 304, response.answerNumber == nil { return }
            try check(response.answerNumber.map { $0 < number } ?? false, isSetup: isSetup, "Response \(number) does not come from cache")
        case .notCached:
            try check(response.answerNumber == number, isSetup: isSetup, "Response \(number) comes from cache")
        case .validatedByETag, .validatedByDate, nil: break
        }
    }

    private func checkStatus(of response: CacheSuiteResponse, _ exchange: CacheSuiteExchange, _ number: Int) throws(Failure) {
        func check(_ expected: Int, isSetup: Bool) throws(Failure) {
            let status = response.status.map { "\($0)" } ?? "none"
            try self.check(response.status == expected, isSetup: isSetup, "Response \(number) status is \(status), not \(expected)")
        }
        switch exchange.expectedStatus {
        case .anything: return
        case .exactly(let status): try check(status, isSetup: exchange.isSetup(.expectedStatus))
        case .asConfigured:
            if let status = exchange.status { return try check(status, isSetup: true) }
            let isUnconditional = response.status == 999
            try self.check(
                !isUnconditional, isSetup: exchange.isSetup(.kind), "Request \(number) should have been conditional, but it was not.")
            try check(200, isSetup: true)
        }
    }

    private func checkExpected(
        _ rule: CacheSuiteFieldRule, in response: CacheSuiteResponse, _ exchange: CacheSuiteExchange, _ number: Int
    ) throws(Failure) {
        let isSetup = exchange.isSetup(.expectedFields)
        func value(_ name: String) throws(Failure) -> String {
            guard let value = response.headers[name] else {
                try check(false, isSetup: isSetup, "Response \(number) \(name) header not present.")
                return ""
            }
            return value
        }
        switch rule {
        case .present(let name): _ = try value(name)
        case .same(let name, let other):
            let (left, right) = (try value(name), response.headers[other])
            try check(
                left == right, isSetup: isSetup, "Response \(number) header \(name) is \(left), should match \(other) (\(right ?? ""))")
        case .above(let name, let bound):
            let text = try value(name)
            let isAbove = CacheSuiteResponse.leadingInteger(text).map { $0 > bound } ?? false
            try check(isAbove, isSetup: isSetup, "Response \(number) header \(name) is \(text), should be bigger than \(bound)")
        case .value(let field):
            let milliseconds = response.headers["Server-Now"].flatMap(CacheSuiteResponse.leadingInteger)
            let expected = field.fixed(milliseconds: milliseconds, base: response.headers["Server-Base-Url"], exchange).value
            let received = response.headers[field.name]
            try check(received == expected, isSetup: isSetup, Self.difference("Response", number, field.name, received, expected))
        }
    }

    private func checkMissing(
        _ rule: CacheSuiteFieldRule, in response: CacheSuiteResponse, _ exchange: CacheSuiteExchange, _ number: Int
    ) throws(Failure) {
        let isSetup = exchange.isSetup(.missingFields)
        switch rule {
        // The suite's own runner looks for these values in the wrong place, and so never finds any.
        case .value(let field):
            guard case .text(let text) = field.value, let received = response.headers[field.name] else { return }
            try check(
                !received.contains(text), isSetup: isSetup, "Response \(number) header \(field.name) still has value \"\(received)\"")
        case .present(let name), .same(let name, _), .above(let name, _):
            let received = response.headers[name]
            try check(
                received == nil, isSetup: isSetup, "Response \(number) includes unexpected header \(name): \"\(received ?? "")\"")
        }
    }

    private func checkBody(of response: CacheSuiteResponse, _ exchange: CacheSuiteExchange, _ number: Int) throws(Failure) {
        func check(_ expected: String, isSetup: Bool) throws(Failure) {
            try self.check(
                response.text == expected, isSetup: isSetup, "Response \(number) body is \"\(response.text)\", not \"\(expected)\"")
        }
        switch exchange.expectedText {
        case .anything: return
        case .exactly(let text): try check(text, isSetup: exchange.isSetup(.expectedText))
        case .asConfigured:
            if let body = exchange.body { return try check(body, isSetup: true) }
            if !CacheSuiteExchange.isBodiless(status: response.status), exchange.method != "HEAD" { try check(resource, isSetup: true) }
        }
    }

    // MARK: - The server's side

    /// Compares the requests with those that the server has seen, after the last response.
    func checkServer(_ seen: [CacheSuiteRequest], _ responses: [CacheSuiteResponse]) throws(Failure) {
        var remaining = seen[...]
        for (index, exchange) in test.exchanges.enumerated() where exchange.kind != .cached {
            try checkRequest(remaining.popFirst(), exchange, responses[index], index + 1)
        }
    }

    private func checkRequest(
        _ seen: CacheSuiteRequest?, _ exchange: CacheSuiteExchange, _ response: CacheSuiteResponse, _ number: Int
    ) throws(Failure) {
        let isSetup = exchange.isSetup(.kind)
        guard let seen else {
            let isConditional = exchange.kind?.conditionalField != nil
            let isExpected =
                isConditional || exchange.kind == .notCached || exchange.expectedMethod != nil || !exchange.expectedRequestFields.isEmpty
                || !exchange.missingRequestFields.isEmpty
            return try check(!isExpected, isSetup: isConditional && isSetup, "Request \(number) wasn't sent to server")
        }
        if exchange.kind == .notCached {
            try check(seen.number == number, isSetup: isSetup, "Response \(number) comes from cache (\(seen.number) on server)")
        }
        if let field = exchange.kind?.conditionalField {
            try check(seen.headers[field] != nil, isSetup: isSetup, "Request \(number) doesn't have \(field) header")
        }
        for rule in exchange.expectedRequestFields { try checkRequestField(rule, of: seen, exchange, number) }
        for rule in exchange.missingRequestFields { try checkMissingRequestField(rule, of: seen, exchange, number) }
        // The fields that a browser hides, and the date, which the suite never compares.
        for field in seen.verified where !["set-cookie", "set-cookie2", "date"].contains(field.name.lowercased()) {
            let received = response.headers[field.name]
            try check(received == field.value, isSetup: true, Self.difference("Response", number, field.name, received, field.value))
        }
        if let method = exchange.expectedMethod {
            try check(
                seen.method == method, isSetup: exchange.isSetup(.expectedMethod),
                "Request \(number) had method \(seen.method), not \(method)")
        }
    }

    private func checkRequestField(
        _ rule: CacheSuiteFieldRule, of seen: CacheSuiteRequest, _ exchange: CacheSuiteExchange, _ number: Int
    ) throws(Failure) {
        let isSetup = exchange.isSetup(.expectedRequestFields)
        guard case .value(let field) = rule, case .text(let text) = field.value else {
            guard case .present(let name) = rule else { throw .harness("unknown rule for a request's field") }
            return try check(seen.headers[name] != nil, isSetup: isSetup, "Request \(number) \(name) header not present.")
        }
        let sent = seen.headers[field.name]
        try check(sent == text, isSetup: isSetup, Self.difference("Request", number, field.name, sent, text))
    }

    private func checkMissingRequestField(
        _ rule: CacheSuiteFieldRule, of seen: CacheSuiteRequest, _ exchange: CacheSuiteExchange, _ number: Int
    ) throws(Failure) {
        let isSetup = exchange.isSetup(.missingRequestFields)
        guard case .value(let field) = rule, case .text(let text) = field.value else {
            guard case .present(let name) = rule else { throw .harness("unknown rule for a request's field") }
            return try check(seen.headers[name] == nil, isSetup: isSetup, "Request \(number) \(name) header present.")
        }
        try check(seen.headers[field.name] != text, isSetup: isSetup, "Request \(number) header \(field.name) is \"\(text)\"")
    }

    private static func difference(_ what: String, _ number: Int, _ name: String, _ actual: String?, _ expected: String) -> String {
        "\(what) \(number) header \(name) is \(actual.map { "\"\($0)\"" } ?? "missing"), not \"\(expected)\""
    }
}
