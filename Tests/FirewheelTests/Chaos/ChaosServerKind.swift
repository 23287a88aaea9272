import FirewheelTesting

extension ChaosScenario {
    /// What a server speaks.
    enum ServerKind: Sendable, Equatable, CaseIterable {
        case http
        /// HTTP/1.1 over TLS.
        case https
        /// HTTP/2 over TLS.
        case http2
        /// HTTP/2 over TLS with few streams at a time, and GOAWAY after a few more.
        case briefHTTP2

        var isHTTP2: Bool { self == .http2 || self == .briefHTTP2 }
    }

    /// The faults of all servers of a kind.
    func faults(of kind: ServerKind) -> [MockFault] {
        trips.flatMap { trip in
            [trip.hops, trip.policies.later ?? []].flatMap { hops in
                hops.indices.filter { trip.server(at: $0) == kind }.compactMap { hops[$0].fault }
            }
        }
    }

    /// Whether faults may end connections to servers of a kind, which other requests use as well.
    func losesConnections(to kind: ServerKind) -> Bool {
        let faults = faults(of: kind)
        if !kind.isHTTP2, breaksUploads(to: kind) { return true }
        return kind.isHTTP2 ? faults.contains(where: \.breaksHTTP2) : !faults.isEmpty
    }
}

extension ChaosScenario {
    /// Whether servers of a kind break connections in the middle of an upload.
    private func breaksUploads(to kind: ServerKind) -> Bool {
        trips.contains { trip in
            [trip.hops, trip.policies.later ?? []].contains { hops in
                hops.indices.contains { trip.server(at: $0) == kind && hops[$0].intake.breaks }
            }
        }
    }
}

extension MockFault {
    /// Whether it ends the whole connection over HTTP/2: nghttp2 takes no field value that has more than 64 KiB when compressed.
    var breaksHTTP2: Bool {
        if case .longHeaderLine(let bytes) = self { return bytes > 65_536 }
        return false
    }
}

extension ChaosScenario.Trip {
    /// The kind of a hop's server.
    func server(at hop: Int) -> ChaosScenario.ServerKind { access.abroad.contains(hop) ? serverAbroad : server }

    /// Whether a hop over TLS leads to one without.
    func isDowngrade(_ direction: ChaosScenario.Direction?, at hop: Int) -> Bool {
        guard server(at: hop) != .http else { return false }
        switch direction {
        case .next: return server(at: hop + 1) == .http
        case .back(let earlier): return server(at: earlier) == .http
        // The port without a listener is one of http.
        case .refused: return true
        case nil, .noURL, .otherScheme: return false
        }
    }

    /// Whether the trip's own request has a body.
    var carriesBody: Bool {
        // A body of unknown length is one, even if it turns out to be empty.
        bodySize > 0 || upload.map { $0.kind.isForm || !$0.kind.hasLength } ?? false
            || source == .parameters && (method == .post || method == .put)
    }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Chooses what the servers speak. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawServers() {
        var dice = ChaosDice(seed: seed ^ 0x5EED_0A11_5EC0_12E5)
        // Mostly all trips have the same kind, so that they meet on connections.
        let common = dice.chance(60) ? dice.one(of: ServerKind.allCases) : nil
        for index in trips.indices {
            trips[index].server = common ?? dice.one(of: ServerKind.allCases)
            trips[index].serverAbroad = dice.chance(50) ? trips[index].server : dice.one(of: ServerKind.allCases)
        }
    }
}
