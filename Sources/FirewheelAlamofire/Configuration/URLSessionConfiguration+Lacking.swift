import Foundation

#if canImport(FoundationNetworking)
    // Foundation on Linux lacks these, and the compiler would say only that there is no such member.
    extension URLSessionConfiguration {
        /// Not available on Linux.
        @available(*, unavailable, message: "not on Linux; use Session(configure: { $0.tls.minimumVersion = … })")
        public var tlsMinimumSupportedProtocolVersion: TLSVersion {
            get { fatalError("unavailable") }
            set { fatalError("unavailable") }
        }

        /// Not available on Linux.
        @available(*, unavailable, message: "not on Linux; use Session(configure: { $0.tls.maximumVersion = … })")
        public var tlsMaximumSupportedProtocolVersion: TLSVersion {
            get { fatalError("unavailable") }
            set { fatalError("unavailable") }
        }

        /// Not available on Linux.
        @available(*, unavailable, message: "not on Linux; use Session(configure: { $0.waitsForConnectivity = true })")
        public var waitsForConnectivity: Bool {
            get { fatalError("unavailable") }
            set { fatalError("unavailable") }
        }
    }

    extension TLSVersion {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// Not available on Linux.
        @available(*, unavailable, message: "not on Linux; use Session(configure: { $0.tls.minimumVersion = .v1_2 }), which is the default")
        public static var TLSv12: TLSVersion { .v1_2 }

        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// Not available on Linux.
        @available(*, unavailable, message: "not on Linux; use Session(configure: { $0.tls.minimumVersion = .v1_3 })")
        public static var TLSv13: TLSVersion { .v1_3 }
    }
#endif
