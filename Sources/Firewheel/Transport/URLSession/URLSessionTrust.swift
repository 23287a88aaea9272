#if canImport(Security)
    import Foundation
    import Security

    // Not yet built or run: based on Apple's documentation only.

    extension URLSessionConfiguration {
        /// Limits the versions of TLS to those of a route.
        func setVersions(of route: TransportRoute) {
            tlsMinimumSupportedProtocolVersion = route.minimumTLSVersion == .v1_2 ? .TLSv12 : .TLSv13
            if let greatest = route.maximumTLSVersion { tlsMaximumSupportedProtocolVersion = greatest == .v1_2 ? .TLSv12 : .TLSv13 }
        }
    }

    extension URLProtectionSpace {
        /// Whether it is the server of a request.
        func isFor(_ request: TransportRequest) -> Bool {
            let name = HostPatterns<Void>.name(ofHost: host)
            return name != nil && name == HostPatterns<Void>.name(ofHost: request.target.origin.host)
        }
    }

    extension URLSessionDriver {
        /// Verifies a server by Security. If the route has evaluators, the client then decides about it.
        func judge(
            _ trust: SecTrust, of transfer: URLSessionTransfer, by rule: TransportRoute.Trust,
            _ completion: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            queue.assertIsCurrent()
            let (id, host) = (transfer.request.id, transfer.request.target.origin.host)
            // A verdict belongs to one connection.
            guard !transfer.isJudged else {
                completion(.cancelAuthenticationChallenge, nil)
                return end(id, error: .failed(.networkConnectionLost, "the connection was lost while its server was verified"))
            }
            let trust = SecurityTrust(trust)
            transfer.beginJudging { isTrusted in
                completion(isTrusted ? .useCredential : .cancelAuthenticationChallenge, isTrusted ? trust.credential : nil)
            }
            limitJudging(of: transfer)
            guard rule.judge == nil || trust.leaveOutName(), trust.setAuthorities(rule.rules?.authorities ?? .system) else {
                let words = "Security does not take the session's rules for servers"
                return answer(id, .refuse(.failed(.serverCertificateUntrusted, words)))
            }
            // On another thread, because it may wait for the network.
            WorkerPool.shared.run { [weak self, queue] in
                let failure = trust.failure(for: host)
                queue.async { [weak self] in self?.didVerify(trust, failure, id, rule) }
            }
        }

        private func didVerify(_ trust: SecurityTrust, _ failure: TransportError?, _ id: TransportTaskID, _ rule: TransportRoute.Trust) {
            queue.assertIsCurrent()
            guard let transfer = transfer(id), transfer.isJudged else { return }
            guard rule.judge != nil else { return answer(id, failure.map { .refuse($0) } ?? .accept) }
            let chain = trust.chain
            var certificates = ServerCertificates(
                host: transfer.request.target.origin.host, chain: chain, verifiedChain: failure == nil ? chain : [], failure: failure)
            certificates.rules = rule.rules
            certificates.platformTrust = trust
            transfer.ask(.trust(certificates))
        }

        /// Ends a transfer whose server is not judged within the time for connecting.
        private func limitJudging(of transfer: URLSessionTransfer) {
            let (id, seconds) = (transfer.request.id, transfer.request.connectTimeout ?? transfer.request.idleTimeout)
            guard seconds > 0 else { return }
            let number = transfer.judgments
            queue.queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
                guard let transfer = self?.transfer(id), transfer.isJudged, transfer.judgments == number else { return }
                self?.end(id, error: .failed(.timedOut, TimeoutWords.connecting(seconds, "verifying the server")))
            }
        }
    }
#endif
