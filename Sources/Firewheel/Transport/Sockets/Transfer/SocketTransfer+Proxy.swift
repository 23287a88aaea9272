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
            guard isForwarded, let authorization = authorization else { return request.headers }
            var headers = request.headers
            headers.update(authorization)
            return headers
        }

        // MARK: Credentials

        /// nil if nothing answers challenges, or the caller has: `Proxy-Authorization` of its own takes precedence.
        private var authenticator: ProxyAuthenticator? {
            let isCallers = request.headers.contains { $0.name.equalsIgnoringASCIICase("Proxy-Authorization") }
            return isCallers ? nil : request.route.proxy?.authenticator
        }

        /// The field for the proxy; nil for none.
        private var authorization: HTTPHeader? {
            guard let authenticator, let subject else {
                return request.headers.first { $0.name.equalsIgnoringASCIICase("Proxy-Authorization") }
            }
            if proxyAnswer == nil { proxyAnswer = authenticator.answerAhead(for: subject) }
            return proxyAnswer.map { HTTPHeader(name: "Proxy-Authorization", value: $0.fieldValue) }
        }

        /// What is asked of the proxy; nil without one.
        private var subject: ProxyAuthenticator.Subject? {
            guard let proxy else { return nil }
            var target: [UInt8] = []
            guard isForwarded else {
                target.appendConnectTarget(origin)
                return .init(proxy: proxy, method: .connect, target: String(decoding: target, as: UTF8.self), body: .known(nil))
            }
            target.appendAbsoluteTarget(request.target)
            let body: DigestBody
            switch request.bodySource {
            case nil: body = .known(nil)
            // Hashing more would hold up other connections.
            case .data(let data) where data.count <= Self.mostHashed: body = .known(data)
            default: body = .unknown
            }
            return .init(proxy: proxy, method: request.method, target: String(decoding: target, as: UTF8.self), body: body)
        }

        private static let mostHashed = 65_536

        /// Whether the body of a challenge is being discarded, whose answer is then sent.
        var answersProxy: Bool { isDiscarding && head == nil }

        /// Looks at the head of a response to a request that the proxy has got.
        ///
        /// - Returns: False if it is a challenge of the proxy's that is answered, or an error.
        func isServers(_ head: ResponseHead, bodyHasBegun: Bool) -> Bool {
            guard head.statusCode == 407 || proxyAnswer != nil, let authenticator, let proxy else { return true }
            do throws(TransportError) {
                guard head.statusCode == 407, let subject else {
                    if let proxyAnswer { try authenticator.check(head, of: proxy, to: proxyAnswer) }
                    return true
                }
                guard let answer = try authenticator.answer(to: head, of: subject, after: proxyAnswer) else { return true }
                guard mayRepeatBody(bodyHasBegun, after: "the proxy asks for credentials") else { return false }
                proxyAnswer = answer
            } catch {
                fail(error)
                return false
            }
            hold = .discarding(until: loop.now.advanced(by: Self.discardPatience))
            setTimer()
            return false
        }

        /// Sends the request again, with the answer to the proxy's challenge.
        ///
        /// - Parameter closing: Whether the connection cannot be used again.
        func answerProxy(closing: Bool) {
            leaveExchange(closing: closing)
            hold = .none
            // Not at once: the connection is about to become idle.
            waitAgain()
        }

        // MARK: CONNECT

        /// - Parameters:
        ///   - wire: The connection to the proxy.
        ///   - isReused: Whether the proxy has refused a request on it. Default: false.
        private func goThrough(_ proxy: ProxyServer, _ wire: Wire, isReused: Bool = false) {
            guard !isForwarded else { return ready(wire) }
            let handshake: ConnectHandshake
            do throws(RequestWriter.Problem) {
                let userAgent = request.headers.first { $0.name.equalsIgnoringASCIICase("User-Agent") }
                handshake = try ConnectHandshake(to: origin, through: proxy, userAgent: userAgent, authorization: authorization)
            } catch {
                wire.close(on: loop)
                return fail(.failed(.badURL, "the request cannot be written"))
            }
            let new = ProxyTunnel(wire, handshake, loop: loop) { [unowned self] outcome in
                tunnel = nil
                switch outcome {
                case .connected(let wire, let head): connected(by: head, wire)
                case .refused(let head, let error, let wire): refused(by: head, error, wire)
                // A proxy may close a connection on which it has refused, although it does not say so.
                case .failed(_, hasAnswered: false) where isReused: connectAgain()
                case .failed(let error, _): fail(error)
                }
            }
            tunnel = new
            new.start()
        }

        private func connected(by head: ResponseHead, _ wire: Wire) {
            if let proxy, let proxyAnswer {
                do throws(TransportError) { try authenticator?.check(head, of: proxy, to: proxyAnswer) } catch {
                    wire.close(on: loop)
                    return fail(error)
                }
                // Another connection of the request needs another answer.
                self.proxyAnswer = nil
            }
            ready(wire)
        }

        /// Answers a refusal that is a challenge.
        ///
        /// - Parameter wire: The connection; nil if the proxy takes no other request on it.
        private func refused(by head: ResponseHead, _ refusal: TransportError, _ wire: Wire?) {
            do throws(TransportError) {
                if let proxy, let authenticator, let subject {
                    if head.statusCode == 407, let answer = try authenticator.answer(to: head, of: subject, after: proxyAnswer) {
                        proxyAnswer = answer
                        if let wire { return goThrough(proxy, wire, isReused: true) }
                        return connectAgain()
                    }
                    if head.statusCode != 407, let proxyAnswer { try authenticator.check(head, of: proxy, to: proxyAnswer) }
                }
                throw refusal
            } catch {
                wire?.close(on: loop)
                fail(error)
            }
        }

        private func connectAgain() {
            measured.forgetTry()
            openConnection()
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
