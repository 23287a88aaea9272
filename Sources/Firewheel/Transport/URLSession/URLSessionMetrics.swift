#if canImport(Darwin)
    import Foundation
    import Security

    extension TransportMetrics {
        /// Converts URLSession's metrics.
        ///
        /// - Parameter clock: A reading from the start of the request, because URLSession's dates are on the wall clock.
        init(_ metrics: URLSessionTaskTransactionMetrics, clock: ClockReading) {
            func instant(_ date: Date?) -> MonotonicInstant? {
                date.map { clock.instant(of: $0) }
            }
            self.init(start: clock.instant, end: clock.instant)
            domainLookupStart = instant(metrics.domainLookupStartDate)
            domainLookupEnd = instant(metrics.domainLookupEndDate)
            connectStart = instant(metrics.connectStartDate)
            connectEnd = instant(metrics.connectEndDate)
            secureConnectionStart = instant(metrics.secureConnectionStartDate)
            secureConnectionEnd = instant(metrics.secureConnectionEndDate)
            requestStart = instant(metrics.requestStartDate)
            requestEnd = instant(metrics.requestEndDate)
            responseStart = instant(metrics.responseStartDate)
            responseEnd = instant(metrics.responseEndDate)
            networkProtocolName = metrics.networkProtocolName
            isProxyConnection = metrics.isProxyConnection
            isReusedConnection = metrics.isReusedConnection
            localAddress = metrics.localAddress
            localPort = metrics.localPort
            remoteAddress = metrics.remoteAddress
            remotePort = metrics.remotePort
            tlsProtocolVersion = metrics.negotiatedTLSProtocolVersion.flatMap { Self.name(ofTLSVersion: $0.rawValue) }
            tlsCipherSuite = metrics.negotiatedTLSCipherSuite.flatMap { Self.name(ofCipherSuite: $0.rawValue) }
            requestHeaderBytesSent = metrics.countOfRequestHeaderBytesSent
            requestBodyBytesSent = metrics.countOfRequestBodyBytesSent
            responseHeaderBytesReceived = metrics.countOfResponseHeaderBytesReceived
            responseBodyBytesReceived = metrics.countOfResponseBodyBytesReceived
        }

        /// The name of a TLS version by its number (RFC 8446 section 4.2.1).
        private static func name(ofTLSVersion version: UInt16) -> String? {
            switch version {
            case 0x0301: "TLSv1"
            case 0x0302: "TLSv1.1"
            case 0x0303: "TLSv1.2"
            case 0x0304: "TLSv1.3"
            default: nil
            }
        }

        /// The name of a cipher suite by its number in IANA's registry of TLS cipher suites: those of TLS 1.3 and the usual ones of TLS
        /// 1.2.
        private static func name(ofCipherSuite suite: UInt16) -> String? {
            switch suite {
            case 0x1301: "TLS_AES_128_GCM_SHA256"
            case 0x1302: "TLS_AES_256_GCM_SHA384"
            case 0x1303: "TLS_CHACHA20_POLY1305_SHA256"
            case 0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
            case 0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
            case 0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
            case 0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
            case 0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
            case 0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
            default: nil
            }
        }
    }
#endif
