#if os(Linux)
    import Foundation

    extension SocketTransfer {
        /// What is measured of an exchange.
        struct Measured {
            var leftQueue: MonotonicInstant?
            var lookup: (start: MonotonicInstant, end: MonotonicInstant)?
            var connectStart: MonotonicInstant?
            var connectEnd: MonotonicInstant?
            /// When what had to be agreed on with the proxy began; nil if there was nothing.
            var proxyStart: MonotonicInstant?
            var proxyEnd: MonotonicInstant?
            var secureStart: MonotonicInstant?
            var secureEnd: MonotonicInstant?
            /// The server, once there is a connection to it. Not the whole address: with it, the memory of a transfer would exceed what the
            /// allocator of glibc keeps at hand for each thread (1,032 bytes).
            var remote: (address: String, port: Int?)?
            var isReused = false
            var requestStart: MonotonicInstant?
            var requestEnd: MonotonicInstant?
            var firstByte: MonotonicInstant?
            /// The first byte of the final response.
            var responseStart: MonotonicInstant?
            var headReceived: MonotonicInstant?
            var headBytesSent: Int64 = 0
            /// Without the framing of chunks.
            var bodyBytesSent: Int64 = 0
            /// Without the framing of chunks, and before decoding.
            var bodyBytesReceived: Int64 = 0
            var decodedBytes = 0

            /// Handles that bytes of the server have come.
            mutating func noteBytes(at instant: MonotonicInstant) {
                if firstByte == nil { firstByte = instant }
                if responseStart == nil { responseStart = instant }
            }

            /// Takes over how an earlier try of the request got its connection, which is part of what the request has taken.
            mutating func keepConnecting(_ earlier: Measured) {
                (leftQueue, lookup, remote) = (earlier.leftQueue, earlier.lookup, earlier.remote)
                (connectStart, connectEnd) = (earlier.connectStart, earlier.connectEnd)
                (proxyStart, proxyEnd) = (earlier.proxyStart, earlier.proxyEnd)
            }

            /// Forgets what belongs to a connection that turned out to be dead.
            mutating func forgetTry() {
                let (leftQueue, lookup) = (leftQueue, lookup)
                self = Measured()
                self.leftQueue = leftQueue
                self.lookup = lookup
            }
        }

        func metrics() -> TransportMetrics {
            let end = max(loop.now, measured.leftQueue ?? loop.now)
            var metrics = TransportMetrics(start: measured.leftQueue ?? end, end: end)
            metrics.domainLookupStart = measured.lookup?.start
            metrics.domainLookupEnd = measured.lookup?.end
            metrics.isProxyConnection = proxy != nil
            if let host = destination?.host {
                metrics.connectedHost = ConnectionWords.address(host)
            }
            if let start = measured.proxyStart {
                metrics.details = ConnectionDetails(metrics.details, proxyStart: .some(start), proxyEnd: .some(measured.proxyEnd))
            }
            metrics.connectStart = measured.connectStart
            metrics.connectEnd = measured.connectEnd
            metrics.secureConnectionStart = measured.secureStart
            metrics.secureConnectionEnd = measured.secureEnd
            metrics.remoteAddress = measured.remote?.address
            metrics.remotePort = measured.remote?.port
            guard let exchange, let requestStart = measured.requestStart else { return metrics }
            metrics.requestStart = requestStart
            metrics.requestEnd = measured.requestEnd
            metrics.isReusedConnection = measured.isReused
            metrics.localAddress = exchange.wire.local?.text
            metrics.localPort = exchange.wire.local?.port
            metrics.remoteAddress = exchange.wire.remote.text
            metrics.remotePort = exchange.wire.remote.port
            // That with a proxy is not the server's.
            let tls = origin.isSecure ? exchange.wire.tls : nil
            metrics.tlsProtocolVersion = tls?.version
            metrics.tlsCipherSuite = tls?.cipher
            metrics.isTLSSessionResumed = tls?.isResumed
            if let details = tls?.details { metrics.details = metrics.details?.withCertificates(of: details) ?? details }
            metrics.requestHeaderBytesSent = measured.headBytesSent
            metrics.requestBodyBytesSent = measured.bodyBytesSent
            guard let responseStart = measured.responseStart else { return metrics }
            metrics.responseStart = responseStart
            metrics.responseEnd = end
            metrics.responseHeaderBytesReceived = exchange.headBytesReceived > 0 ? Int64(exchange.headBytesReceived) : nil
            guard let head else { return metrics }
            metrics.networkProtocolName =
                switch head.httpVersion {
                case "HTTP/2": "h2"
                case "HTTP/1.0": "http/1.0"
                default: "http/1.1"
                }
            metrics.responseBodyBytesReceived = measured.bodyBytesReceived
            metrics.responseBodyBytesAfterDecoding = Int64(measured.decodedBytes)
            return metrics
        }
    }
#endif
