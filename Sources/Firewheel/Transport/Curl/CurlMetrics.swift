#if os(Linux)
    import CFirewheelCurl

    extension TransportMetrics {
        /// Takes from an easy handle what libcurl measured of its last transfer.
        ///
        /// - Parameters:
        ///   - added: When the handle was added to its multi handle: libcurl's times are microseconds since then, and 0 for what did not happen.
        mutating func read(from easy: UnsafeMutableRawPointer, added: Instant, isSecure: Bool) {
            func instant<Info: BinaryInteger>(_ info: Info) -> UInt64? {
                let microseconds = fwcurl_get_offset(easy, Int32(info))
                return microseconds > 0 ? added.nanoseconds + UInt64(microseconds) * 1000 : nil
            }
            func number<Info: BinaryInteger>(_ info: Info) -> Int? {
                let value = fwcurl_get_long(easy, Int32(info))
                return value > 0 ? value : nil
            }
            func text<Info: BinaryInteger>(_ info: Info) -> String? {
                fwcurl_get_string(easy, Int32(info)).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
            }

            remoteAddress = text(FWCURLINFO_PRIMARY_IP)
            remotePort = number(FWCURLINFO_PRIMARY_PORT)
            localAddress = text(FWCURLINFO_LOCAL_IP)
            localPort = number(FWCURLINFO_LOCAL_PORT)
            isProxyConnection = false
            networkProtocolName = Self.protocolName(fwcurl_get_long(easy, Int32(FWCURLINFO_HTTP_VERSION)))
            if requestStart != nil {
                isReusedConnection = fwcurl_get_long(easy, Int32(FWCURLINFO_NUM_CONNECTS)) == 0
                let body = fwcurl_get_offset(easy, Int32(FWCURLINFO_SIZE_UPLOAD_T))
                requestBodyBytesSent = body
                requestHeaderBytesSent = number(FWCURLINFO_REQUEST_SIZE).map { Int64($0) }
                responseBodyBytesReceived = responseStart == nil ? nil : fwcurl_get_offset(easy, Int32(FWCURLINFO_SIZE_DOWNLOAD_T))
            }
            if isReusedConnection != true, let connected = instant(FWCURLINFO_CONNECT_TIME_T) {
                connectStart = domainLookupEnd.map { max($0, added.nanoseconds) } ?? added.nanoseconds
                connectEnd = connected
                if isSecure, let secured = instant(FWCURLINFO_APPCONNECT_TIME_T) {
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
