#if os(Linux)
    import Foundation

    /// The way through a proxy.
    extension SocketTransfer {
        /// nil for none.
        var proxy: ProxyServer? { passage?.proxy }
        var isForwarded: Bool { passage?.isForwarded ?? false }

        /// Handles that the proxy is reached.
        func connected(to proxy: ProxyServer, _ socket: WatchedSocket, _ address: SocketAddress) {
            measured.proxyStart = loop.now
            guard proxy.origin.isSecure else { return goThrough(proxy, Wire(socket, to: address)) }
            secure(
                socket, over: nil, to: address, proxy: proxy, protocols: { ["http/1.1"] },
                done: { [unowned self] wire in goThrough(proxy, wire) })
        }

        /// The fields of the request as it is written for a proxy now.
        func makeHeadersForProxy() -> HTTPHeaders {
            guard let authorization = makeAuthorization() else { return request.headers }
            var headers = request.headers
            headers.update(authorization)
            return headers
        }

        /// An error of the exchange with the name of a proxy that has got the request: the words are those for a server.
        func located(_ error: TransportError) -> TransportError {
            guard isForwarded, stage == .running, let proxy, case .failed(let code, let words) = error else { return error }
            return .failed(code, "\(words) (connected to the proxy \(proxy))")
        }

        // MARK: Credentials

        /// nil if nothing answers challenges, or if the request has a `Proxy-Authorization` field of its own.
        private var authenticator: ProxyAuthenticator? {
            let isCallers = request.headers.contains { $0.name.equalsIgnoringASCIICase("Proxy-Authorization") }
            return isCallers ? nil : request.route.proxy?.authenticator
        }

        /// The field for the proxy in what is written now; nil for none. Each Digest answer has a count of its own.
        private func makeAuthorization() -> HTTPHeader? {
            guard let authenticator, let subject else {
                return request.headers.first { $0.name.equalsIgnoringASCIICase("Proxy-Authorization") }
            }
            let proof = passage?.proof ?? authenticator.proofAhead(for: subject.proxy)
            passage?.answer = proof.flatMap { authenticator.answer(with: $0, for: subject) }
            return passage?.answer.map { HTTPHeader(name: "Proxy-Authorization", value: $0.fieldValue) }
        }

        /// What is asked of the proxy; nil without one.
        private var subject: ProxyAuthenticator.Subject? {
            guard let proxy else { return nil }
            var target: [UInt8] = []
            guard isForwarded else {
                target.appendConnectTarget(server)
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

        /// Whether another challenge may be answered. If an answer could not be made, the credential is gone.
        private var mayAnswer: Bool { passage?.proof == nil || passage?.answer != nil }

        /// Looks at the head of a response to a request that the proxy has got.
        ///
        /// - Returns: False if it is a challenge that will be answered, or if the request has failed.
        func mayDeliver(_ head: ResponseHead, bodyHasBegun: Bool) -> Bool {
            guard head.statusCode == 407 || passage?.answer != nil, let authenticator, let proxy else { return true }
            do throws(TransportError) {
                guard head.statusCode == 407, let subject, mayAnswer else {
                    if head.statusCode != 407, let answer = passage?.answer { try authenticator.check(head, of: proxy, to: answer) }
                    return true
                }
                guard let proof = try authenticator.proof(answering: head, of: subject, after: passage?.answer) else { return true }
                guard mayRepeatBody(bodyHasBegun, after: "the proxy asks for credentials") else { return false }
                passage?.proof = proof
            } catch {
                fail(error)
                return false
            }
            passage?.isAnswering = true
            hold = .discarding(until: loop.now.advanced(by: Self.discardPatience))
            setTimer()
            return false
        }

        /// Sends the request again, with the answer to the proxy's challenge.
        ///
        /// - Parameter closing: Whether the connection cannot be used again.
        func answerProxy(_ passage: ProxyPassage, closing: Bool) {
            passage.isAnswering = false
            let before = measured
            // A proxy may close the connection although it does not say so, and what it may have acted on must not be sent again.
            leaveExchange(closing: closing || !request.allowsResend)
            hold = .none
            // Not at once: the connection is about to become idle.
            waitAgain()
            measured.keepConnecting(before)
        }

        // MARK: Tunnels

        /// Whether the server's name has to be looked up before its proxy is asked.
        var looksUpForProxy: Bool {
            guard let proxy, proxy.kind.needsAddress else { return false }
            return passage?.address == nil && !server.isAddress
        }

        /// - Parameter addresses: The server's.
        func passToProxy(_ addresses: [String]) {
            guard let proxy else { return }
            stage = .connecting
            guard let address = addresses.first(where: { !proxy.kind.isSOCKS4 || !$0.contains(":") }) else {
                let words =
                    destination?.family == .ipv6
                    ? "the proxy \(proxy) takes only IPv4 addresses, and the session's addressFamily is ipv6"
                    : "the host \"\(server.host)\" has no IPv4 address, which the proxy \(proxy) needs"
                return fail(.failed(.cannotConnectToHost, words))
            }
            passage?.address = address
            openConnection()
        }

        /// - Parameters:
        ///   - wire: The connection to the proxy.
        ///   - isReused: Whether the proxy has refused a request on it. Default: false.
        private func goThrough(_ proxy: ProxyServer, _ wire: Wire, isReused: Bool = false) {
            guard !isForwarded else { return ready(wire) }
            let handshake: any TunnelHandshake
            do throws(TransportError) { handshake = try self.handshake(with: proxy) } catch {
                wire.close(on: loop)
                return fail(error)
            }
            let mayAnswer = passage?.proof == nil && authenticator?.hasCredential(for: proxy) == true
            let new = ProxyTunnel(wire, handshake, mayAnswer: mayAnswer, loop: loop) { [unowned self] outcome in
                passage?.tunnel = nil
                switch outcome {
                case .connected(let wire, let head): connected(by: head, wire)
                case .refused(let head, let error, let wire): refused(by: head, error, wire)
                // A proxy may close a connection on which it has refused, although it does not say so.
                case .failed(_, hasAnswered: false) where isReused: connectAgain()
                case .failed(let error, _): fail(error)
                }
            }
            passage?.tunnel = new
            new.start()
        }

        private func handshake(with proxy: ProxyServer) throws(TransportError) -> any TunnelHandshake {
            guard proxy.kind.isHTTP else { return try SOCKSHandshake(to: server, at: passage?.address, through: proxy, named: place) }
            do throws(RequestWriter.Problem) {
                let userAgent = request.headers.first { $0.name.equalsIgnoringASCIICase("User-Agent") }
                return try ConnectHandshake(
                    to: server, through: proxy, named: place, userAgent: userAgent, authorization: makeAuthorization())
            } catch {
                throw .failed(.badURL, "the request cannot be written")
            }
        }

        private func connected(by head: ResponseHead?, _ wire: Wire) {
            if let passage, let head, let answer = passage.answer {
                do throws(TransportError) { try authenticator?.check(head, of: passage.proxy, to: answer) } catch {
                    wire.close(on: loop)
                    return fail(error)
                }
                // Another connection of the request begins with what is sent ahead.
                (passage.answer, passage.proof) = (nil, nil)
            }
            ready(wire)
        }

        /// Answers a refusal that is a challenge.
        ///
        /// - Parameter wire: The connection; nil if the proxy takes no other request on it.
        private func refused(by head: ResponseHead, _ refusal: TransportError, _ wire: Wire?) {
            do throws(TransportError) {
                if let proxy, let authenticator, let subject {
                    if head.statusCode == 407, mayAnswer,
                        let proof = try authenticator.proof(answering: head, of: subject, after: passage?.answer)
                    {
                        passage?.proof = proof
                        if let wire { return goThrough(proxy, wire, isReused: true) }
                        return connectAgain()
                    }
                    if head.statusCode != 407, let answer = passage?.answer { try authenticator.check(head, of: proxy, to: answer) }
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
