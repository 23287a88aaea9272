#if !canImport(FoundationNetworking)
    import Firewheel
    import Foundation

    // Not yet built or run: based on Apple's documentation only.

    extension ConfigurationField {
        static let onApple: [ConfigurationField] =
            [
                ConfigurationField(withoutEffect: "sessionSendsLaunchEvents"),
                ConfigurationField("waitsForConnectivity") { own, _, settings in
                    settings.configuration.waitsForConnectivity = own.waitsForConnectivity
                },
                ConfigurationField("tlsMinimumSupportedProtocolVersion") { own, standard, settings throws(ConfigurationRefusal) in
                    guard own.tlsMinimumSupportedProtocolVersion != standard.tlsMinimumSupportedProtocolVersion else { return }
                    settings.configuration.tls.minimumVersion = try TLSVersion(own.tlsMinimumSupportedProtocolVersion)
                },
                ConfigurationField("tlsMaximumSupportedProtocolVersion") { own, standard, settings throws(ConfigurationRefusal) in
                    guard own.tlsMaximumSupportedProtocolVersion != standard.tlsMaximumSupportedProtocolVersion else { return }
                    settings.configuration.tls.maximumVersion = try TLSVersion(own.tlsMaximumSupportedProtocolVersion)
                },
                // Foundation may change these with those above.
                ConfigurationField("tlsMinimumSupportedProtocol") { own, standard, _ throws(ConfigurationRefusal) in
                    guard own.tlsMinimumSupportedProtocolVersion == standard.tlsMinimumSupportedProtocolVersion else { return }
                    try own.requireDefault(of: "TLSMinimumSupportedProtocol", in: standard, "use tlsMinimumSupportedProtocolVersion")
                },
                ConfigurationField("tlsMaximumSupportedProtocol") { own, standard, _ throws(ConfigurationRefusal) in
                    guard own.tlsMaximumSupportedProtocolVersion == standard.tlsMaximumSupportedProtocolVersion else { return }
                    try own.requireDefault(of: "TLSMaximumSupportedProtocol", in: standard, "use tlsMaximumSupportedProtocolVersion")
                },
            ]
            + [
                "allowsConstrainedNetworkAccess", "allowsExpensiveNetworkAccess", "allowsUltraConstrainedNetworkAccess", "enablesEarlyData",
                "multipathServiceType", "proxyConfigurations", "requiresDNSSECValidation", "usesClassicLoadingMode",
            ].map { name in
                ConfigurationField(name) { own, standard, _ throws(ConfigurationRefusal) in
                    try own.requireDefault(of: name, in: standard, "it is not supported")
                }
            }
    }

    extension URLSessionConfiguration {
        /// Compares by name, because not each release of a system has each property, and some are deprecated.
        fileprivate func requireDefault(
            of key: String, in standard: URLSessionConfiguration, _ reason: String
        ) throws(ConfigurationRefusal) {
            guard responds(to: NSSelectorFromString(key)) else { return }
            let (own, other) = (value(forKey: key) as? NSObject, standard.value(forKey: key) as? NSObject)
            if own != other { throw ConfigurationRefusal(reason) }
        }
    }

    extension TLSVersion {
        fileprivate init(_ version: tls_protocol_version_t) throws(ConfigurationRefusal) {
            switch version {
            case .TLSv12: self = .v1_2
            case .TLSv13: self = .v1_3
            default: throw ConfigurationRefusal("only TLS 1.2 and 1.3 are supported")
            }
        }
    }
#endif
