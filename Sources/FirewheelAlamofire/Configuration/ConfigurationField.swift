import Firewheel
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A property of `URLSessionConfiguration`, and what is done with its value.
///
/// `Documentation/Migration/Alamofire5.md` has a row for each.
struct ConfigurationField: Sendable {
    typealias Apply =
        @Sendable (_ own: URLSessionConfiguration, _ standard: URLSessionConfiguration, inout SessionSettings) throws(ConfigurationRefusal)
        -> Void

    let name: String
    /// Honors the value, or refuses it. `standard` has the defaults of this system.
    let apply: Apply

    init(_ name: String, _ apply: @escaping Apply) {
        (self.name, self.apply) = (name, apply)
    }

    /// A property that cannot be honored.
    init<Value: Equatable & SendableMetatype>(
        _ name: String, refused reason: String, unlessDefault value: @escaping @Sendable (URLSessionConfiguration) -> Value
    ) {
        self.init(name) { own, standard, _ throws(ConfigurationRefusal) in
            if value(own) != value(standard) { throw ConfigurationRefusal(reason) }
        }
    }

    /// A property that has no effect on this kind of session in Foundation either.
    init(withoutEffect name: String) {
        self.init(name) { _, _, _ in }
    }

    /// Every property of this system, in an order in which later ones may read the settings of earlier ones.
    static let all = everywhere + ofThisSystem

    /// Those that each system has.
    static let everywhere: [ConfigurationField] = [
        ConfigurationField("identifier") { own, _, _ throws(ConfigurationRefusal) in
            if own.identifier != nil { throw ConfigurationRefusal("there are no background sessions; use .default or .ephemeral") }
        },
        ConfigurationField(withoutEffect: "isDiscretionary"),
        ConfigurationField(withoutEffect: "sharedContainerIdentifier"),
        ConfigurationField("timeoutIntervalForRequest") { own, _, settings in
            settings.configuration.timeoutIntervalForRequest = own.timeoutIntervalForRequest
        },
        ConfigurationField("timeoutIntervalForResource") { own, _, settings in
            settings.configuration.timeoutIntervalForResource = own.timeoutIntervalForResource
        },
        ConfigurationField("httpMaximumConnectionsPerHost") { own, _, settings throws(ConfigurationRefusal) in
            guard own.httpMaximumConnectionsPerHost > 0 else {
                throw ConfigurationRefusal("\(own.httpMaximumConnectionsPerHost) is less than 1")
            }
            settings.configuration.maximumConnectionsPerHost = own.httpMaximumConnectionsPerHost
        },
        ConfigurationField("httpAdditionalHeaders") { own, _, settings throws(ConfigurationRefusal) in
            settings.configuration.headers = []
            settings.configuration.headers = try HTTPHeaders(additional: own.httpAdditionalHeaders ?? [:])
        },
        ConfigurationField("requestCachePolicy") { own, _, settings in
            settings.configuration.requestCachePolicy = own.requestCachePolicy
        },
        ConfigurationField("urlCache") { own, standard, _ throws(ConfigurationRefusal) in
            guard let cache = own.urlCache, cache !== standard.urlCache, !cache.isEphemeralOrEmpty else { return }
            throw ConfigurationRefusal("it is not used; leave it as it is, and set a cache by configure: { $0.cache = HTTPCache() }")
        },
        ConfigurationField("httpCookieStorage") { own, _, settings in
            settings.configuration.cookies = .off
            guard let storage = own.httpCookieStorage else { return }
            let bridge = CookieStorageBridge(
                storage, sendsCookies: own.httpShouldSetCookies, storesCookies: own.httpCookieAcceptPolicy != .never)
            settings.configuration.cookies = .jar(CookieJar(mirror: bridge))
        },
        // Read with the storage. Policies that accept cookies differ only for requests on behalf of a document of another site.
        ConfigurationField("httpShouldSetCookies") { _, _, _ in },
        ConfigurationField("httpCookieAcceptPolicy") { _, _, _ in },
        ConfigurationField("urlCredentialStorage") { own, _, settings in settings.credentialStorage = own.urlCredentialStorage },
        ConfigurationField("connectionProxyDictionary") { own, _, settings throws(ConfigurationRefusal) in
            guard let dictionary = own.connectionProxyDictionary else { return }
            settings.configuration.proxy = try ProxyDictionary(dictionary).configuration
        },
        ConfigurationField("protocolClasses") { own, standard, _ throws(ConfigurationRefusal) in
            let known = Set((standard.protocolClasses ?? []).map(ObjectIdentifier.init))
            guard let other = own.protocolClasses?.first(where: { !known.contains(ObjectIdentifier($0)) }) else { return }
            throw ConfigurationRefusal("\(other) would not be called; for tests there are the servers and transports of FirewheelTesting")
        },
        ConfigurationField("networkServiceType", refused: "the system is not told of kinds of traffic") { $0.networkServiceType },
        ConfigurationField("allowsCellularAccess", refused: "it is not known which networks are cellular") { $0.allowsCellularAccess },
        ConfigurationField("httpShouldUsePipelining", refused: "requests are not pipelined") { $0.usesPipelining },
        ConfigurationField("shouldUseExtendedBackgroundIdleMode", refused: "connections have no such mode") { $0.usesExtendedIdleMode },
    ]

    /// The names of those that only Apple's systems have.
    static let namesOnApple = [
        "allowsConstrainedNetworkAccess", "allowsExpensiveNetworkAccess", "allowsUltraConstrainedNetworkAccess", "enablesEarlyData",
        "multipathServiceType", "proxyConfigurations", "requiresDNSSECValidation", "sessionSendsLaunchEvents",
        "tlsMaximumSupportedProtocol", "tlsMaximumSupportedProtocolVersion", "tlsMinimumSupportedProtocol",
        "tlsMinimumSupportedProtocolVersion", "usesClassicLoadingMode", "waitsForConnectivity",
    ]

    #if canImport(FoundationNetworking)
        private static let ofThisSystem: [ConfigurationField] = []
    #else
        private static let ofThisSystem = onApple
    #endif
}

extension URLCache {
    /// Whether it can hold nothing, or is like that of an ephemeral configuration.
    fileprivate var isEphemeralOrEmpty: Bool {
        guard diskCapacity == 0 else { return false }
        return memoryCapacity == 0 || memoryCapacity == URLSessionConfiguration.ephemeral.urlCache?.memoryCapacity
    }
}

extension URLSessionConfiguration {
    // Read by way of a protocol, because a direct use of a deprecated property is a warning.
    fileprivate var usesPipelining: Bool { (self as any DeprecatedFields).httpShouldUsePipelining }
    fileprivate var usesExtendedIdleMode: Bool { (self as any DeprecatedFields).shouldUseExtendedBackgroundIdleMode }
}

/// The deprecated properties of each system.
protocol DeprecatedFields: AnyObject {
    var httpShouldUsePipelining: Bool { get set }
    var shouldUseExtendedBackgroundIdleMode: Bool { get set }
}

extension URLSessionConfiguration: DeprecatedFields {}
