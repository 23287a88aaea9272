#if os(Linux)
    import CFirewheelCurl

    extension TransportMetrics {
        /// Reads what libcurl measured for an easy handle's last transfer.
        ///
        /// - Parameters:
        ///   - added: When the handle was added to its multi handle. libcurl's times are microseconds since then, and 0 for what did not
        ///     happen.
        mutating func read(from easy: UnsafeMutableRawPointer, added: MonotonicInstant, isSecure: Bool) {
            var measured = fwcurl_measured()
            fwcurl_measure(easy, &measured)
            func text(_ characters: UnsafePointer<CChar>?) -> String? {
                characters.flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
            }
            func number(_ value: Int) -> Int? { value > 0 ? value : nil }
            func instant(_ microseconds: Int64) -> MonotonicInstant? {
                microseconds > 0 ? MonotonicInstant(nanoseconds: added.nanoseconds + UInt64(microseconds) * 1000) : nil
            }

            remoteAddress = text(measured.remote_address)
            remotePort = number(measured.remote_port)
            localAddress = text(measured.local_address)
            localPort = number(measured.local_port)
            isProxyConnection = false
            networkProtocolName = Self.protocolName(measured.http_version)
            if requestStart != nil {
                isReusedConnection = measured.new_connections == 0
                requestBodyBytesSent = measured.uploaded
                let sent = Int64(measured.request_size) - (CurlVersion.countsBodyWithHead ? measured.uploaded : 0)
                requestHeaderBytesSent = sent > 0 ? sent : nil
                responseBodyBytesReceived = responseStart == nil ? nil : measured.downloaded
            }
            if isReusedConnection != true, let connected = instant(measured.connected_us) {
                connectStart = domainLookupEnd.map { max($0, added) } ?? added
                connectEnd = connected
                if isSecure, let secured = instant(measured.secured_us) {
                    secureConnectionStart = connected
                    secureConnectionEnd = secured
                    connectEnd = secured
                }
            }
        }

        private static func protocolName(_ version: Int) -> String? {
            switch version {
            case Int(FWCURL_HTTP_VERSION_1_0): "http/1.0"
            case Int(FWCURL_HTTP_VERSION_1_1): "http/1.1"
            case Int(FWCURL_HTTP_VERSION_2_0): "h2"
            case Int(FWCURL_HTTP_VERSION_3): "h3"
            default: nil
            }
        }
    }
#endif
