#if os(Linux)
    import Foundation

    /// The way through a proxy.
    extension SocketTransfer {
        /// Handles that the proxy is reached.
        func connected(to proxy: ProxyServer, _ socket: WatchedSocket, _ address: SocketAddress) {
            measured.proxyStart = loop.now
            guard proxy.origin.isSecure else { return goThrough(proxy, Wire(socket, to: address)) }
            secure(
                socket, over: nil, to: address, proxy: proxy, protocols: { ["http/1.1"] },
                done: { [unowned self] wire in goThrough(proxy, wire) })
        }

        /// The fields of the request as a proxy gets it, or a server.
        var sentHeaders: HTTPHeaders {
            guard isForwarded, let value = proxy?.basicAuthorization, !request.headers.contains(name: "Proxy-Authorization") else {
                return request.headers
            }
            var headers = request.headers
            headers.add(name: "Proxy-Authorization", value: value)
            return headers
        }

        /// - Parameter wire: The connection to the proxy.
        private func goThrough(_ proxy: ProxyServer, _ wire: Wire) {
            guard !isForwarded else { return ready(wire) }
            let handshake: ConnectHandshake
            do throws(RequestWriter.Problem) {
                let userAgent = request.headers.first { $0.name.equalsIgnoringASCIICase("User-Agent") }
                let authorization = request.headers.first { $0.name.equalsIgnoringASCIICase("Proxy-Authorization") }
                handshake = try ConnectHandshake(to: origin, through: proxy, userAgent: userAgent, authorization: authorization)
            } catch {
                wire.close(on: loop)
                return fail(.failed(.badURL, "the request cannot be written"))
            }
            let new = ProxyTunnel(wire, handshake, loop: loop) { [unowned self] outcome in
                tunnel = nil
                switch outcome {
                case .connected(let wire): ready(wire)
                case .failed(let error): fail(error)
                }
            }
            tunnel = new
            new.start()
        }

        /// Handles that nothing more is to be agreed on with the proxy.
        private func ready(_ wire: Wire) {
            // A proxy that takes the request itself, and not over TLS, had nothing to agree on.
            if isForwarded, wire.tls == nil { measured.proxyStart = nil } else { measured.proxyEnd = loop.now }
            if origin.isSecure { return secure(wire.socket, over: wire.tls, to: wire.remote) }
            measured.connectEnd = loop.now
            runOnNew(wire, protocol: nil)
        }
    }
#endif
