import Foundation

/// One group of the public HTTP caching tests (github.com/http-tests/cache-tests), as the suite's own export writes it.
struct CacheSuite: Decodable, Sendable {
    let id: String
    let tests: [CacheSuiteCase]

    /// The export. `Tests` is four levels above this file and above the link to it in `Tests/CacheTests`.
    static let file = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appendingPathComponent("CacheTests/cache-tests.json")

    /// The cases for a private cache, as the suite selects them for a browser.
    static func privateCases() throws -> [CacheSuiteCase] {
        let suites = try JSONDecoder().decode([CacheSuite].self, from: Data(contentsOf: file))
        return suites.flatMap(\.tests).filter(\.isForPrivateCaches)
    }
}

/// A case of the suite: requests to one resource, made one after another.
struct CacheSuiteCase: Decodable, Sendable {
    enum Kind: String, Decodable, CaseIterable {
        /// The specification demands it.
        case required
        /// It makes a cache more efficient.
        case optimal
        /// A question with no right answer.
        case check
    }

    let id: String
    let name: String
    let kind: Kind
    /// The cases that must pass for this one to say anything.
    let dependencies: [String]
    let exchanges: [CacheSuiteExchange]
    let isForPrivateCaches: Bool

    private enum CodingKeys: String, CodingKey {
        case id, name, kind, requests
        case dependencies = "depends_on"
        case sharedOnly = "cdn_only"
        case skipsBrowsers = "browser_skip"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .required
        dependencies = try container.decodeIfPresent([String].self, forKey: .dependencies) ?? []
        exchanges = try container.decode([CacheSuiteExchange].self, forKey: .requests)
        let isSharedOnly = try container.decodeIfPresent(Bool.self, forKey: .sharedOnly) ?? false
        let skipsBrowsers = try container.decodeIfPresent(Bool.self, forKey: .skipsBrowsers) ?? false
        isForPrivateCaches = !isSharedOnly && !skipsBrowsers
    }
}

/// A header field of the suite.
struct CacheSuiteField: Decodable, Sendable {
    enum Value: Sendable {
        case text(String)
        /// In a date field: seconds from now.
        case number(Int)
    }

    let name: String
    let value: Value
    /// Whether the client must receive it as the server has sent it.
    let isVerified: Bool

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        name = try container.decode(String.self)
        value = try (try? container.decode(Int.self)).map(Value.number) ?? .text(container.decode(String.self))
        isVerified = try container.isAtEnd || container.decode(Bool.self)
    }

    func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

/// What a message must have, or must not have.
enum CacheSuiteFieldRule: Decodable, Sendable {
    case present(String)
    case value(CacheSuiteField)
    /// The same value as another field.
    case same(String, as: String)
    case above(String, Int)

    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self = .present(name)
            return
        }
        var container = try decoder.unkeyedContainer()
        guard container.count == 3 else {
            self = try .value(CacheSuiteField(from: decoder))
            return
        }
        let name = try container.decode(String.self)
        switch try container.decode(String.self) {
        case "=": self = .same(name, as: try container.decode(String.self))
        case ">": self = .above(name, try container.decode(Int.self))
        case let other: throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown operator \(other)")
        }
    }
}

/// One request of a case: how the client makes it, how the server answers it, and what is expected of both.
struct CacheSuiteExchange: Decodable, Sendable {
    enum Kind: String, Decodable {
        case cached
        case notCached = "not_cached"
        case validatedByETag = "etag_validated"
        case validatedByDate = "lm_validated"

        /// The field that a conditional request of this kind has.
        var conditionalField: String? {
            switch self {
            case .cached, .notCached: nil
            case .validatedByETag: "If-None-Match"
            case .validatedByDate: "If-Modified-Since"
            }
        }
    }

    /// A value that a response must have, if the suite states one.
    enum Expected<Value: Decodable & Equatable & Sendable>: Sendable {
        /// The suite does not mention it: what the server is configured to send is expected.
        case asConfigured
        case anything
        case exactly(Value)
    }

    /// The members that are read here. Their names are those that `setup_tests` lists.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case method = "request_method"
        case requestFields = "request_headers"
        case requestBody = "request_body"
        case fileName = "filename"
        case query = "query_arg"
        case cacheMode = "cache"
        case status = "response_status"
        case fields = "response_headers"
        case body = "response_body"
        case pause = "response_pause"
        case disconnects = "disconnect"
        case magicLocations = "magic_locations"
        case pausesAfter = "pause_after"
        case isSetup = "setup"
        case setupChecks = "setup_tests"
        case checksBody = "check_body"
        case kind = "expected_type"
        case expectedStatus = "expected_status"
        case expectedText = "expected_response_text"
        case expectedFields = "expected_response_headers"
        case missingFields = "expected_response_headers_missing"
        case expectedRequestFields = "expected_request_headers"
        case missingRequestFields = "expected_request_headers_missing"
        case expectedMethod = "expected_method"
        // Always `manual`, which the session is configured for.
        case redirect
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let method: String
    let requestFields: [CacheSuiteField]
    let requestBody: String?
    let fileName: String?
    let query: String?
    /// The cache mode of the Fetch API.
    let cacheMode: String?
    /// The configured status code; nil is 200.
    let status: Int?
    let fields: [CacheSuiteField]
    let body: String?
    /// The seconds that the server takes for its answer.
    let pause: Int
    let disconnects: Bool
    /// Whether `Location` and `Content-Location` are relative to the requested URL.
    let magicLocations: Bool
    let pausesAfter: Bool
    let checksBody: Bool
    let kind: Kind?
    let expectedStatus: Expected<Int>
    let expectedText: Expected<String>
    let expectedFields: [CacheSuiteFieldRule]
    let missingFields: [CacheSuiteFieldRule]
    let expectedRequestFields: [CacheSuiteFieldRule]
    let missingRequestFields: [CacheSuiteFieldRule]
    let expectedMethod: String?
    /// Members that the runner does not know, so that it cannot judge the case.
    let unknownMembers: [String]
    private let isSetup: Bool
    private let setupChecks: [String]

    /// Whether a failure of a check only means that the case says nothing.
    func isSetup(_ check: CodingKeys) -> Bool { isSetup || setupChecks.contains(check.rawValue) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? { try container.decodeIfPresent(Value.self, forKey: key) }
        func flag(_ key: CodingKeys) throws -> Bool { try optional(key) ?? false }
        func expected<Value>(_ key: CodingKeys) throws -> Expected<Value> {
            guard container.contains(key) else { return .asConfigured }
            return try optional(key).map(Expected.exactly) ?? .anything
        }
        method = try optional(.method) ?? "GET"
        requestFields = try optional(.requestFields) ?? []
        requestBody = try optional(.requestBody)
        fileName = try optional(.fileName)
        query = try optional(.query)
        cacheMode = try optional(.cacheMode)
        var line = try? container.nestedUnkeyedContainer(forKey: .status)
        status = try line?.decode(Int.self)
        fields = try optional(.fields) ?? []
        body = try optional(.body)
        pause = try optional(.pause) ?? 0
        disconnects = try flag(.disconnects)
        magicLocations = try flag(.magicLocations)
        pausesAfter = try flag(.pausesAfter)
        checksBody = try optional(.checksBody) ?? true
        kind = try optional(.kind)
        expectedStatus = try expected(.expectedStatus)
        expectedText = try expected(.expectedText)
        expectedFields = try optional(.expectedFields) ?? []
        missingFields = try optional(.missingFields) ?? []
        expectedRequestFields = try optional(.expectedRequestFields) ?? []
        missingRequestFields = try optional(.missingRequestFields) ?? []
        expectedMethod = try optional(.expectedMethod)
        isSetup = try flag(.isSetup)
        setupChecks = try optional(.setupChecks) ?? []
        let members = try decoder.container(keyedBy: AnyKey.self).allKeys
        unknownMembers = members.map(\.stringValue).filter { CodingKeys(rawValue: $0) == nil }
    }
}
