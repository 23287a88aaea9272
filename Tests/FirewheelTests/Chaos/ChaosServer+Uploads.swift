#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    extension ChaosServer {
        /// Serves a hop of an upload: reads as much of the body as the scenario says, and answers or breaks the connection.
        func takeIn(_ exchange: MockExchange) throws {
            let request = exchange.request
            guard let place = place(of: request) else { return try exchange.send(MockResponse(status: 410)) }
            let (scenario, run, trip, number) = place
            let attempt = request.header(ChaosNotes.stamp).flatMap { Int($0) } ?? 0
            let hop = scenario.trips[trip].hops(of: attempt)[number]
            if request.header("Expect") != nil {
                if hop.refusesExpectation {
                    note(arrival(exchange, place, isUnexpected: true), run, trip)
                    return try exchange.send(MockResponse(status: ChaosOracle.refusal.status, body: ChaosOracle.refusal.body))
                }
                if hop.intake.limit != 0 { try exchange.sendInterim(100) }
            }
            do {
                try read(exchange, upTo: hop.intake.limit ?? .max, pause: scenario.trips[trip].readPause)
            } catch {
                note(arrival(exchange, place), run, trip)
                throw error
            }
            note(arrival(exchange, place), run, trip)
            if number == 0, attempt == 0 { waitForBurst(run, scenario) }
            var response = answer(exchange.request, place, attempt: attempt)
            switch hop.intake {
            case .whole, .answers: break
            case .resets: response.fault = .resetBeforeHead
            case .closes: response.fault = .closeBeforeHead
            }
            try exchange.send(response)
        }

        private func read(_ exchange: MockExchange, upTo limit: Int, pause: Int?) throws {
            while exchange.request.body.count < limit {
                if let pause { usleep(UInt32(pause)) }
                guard try exchange.read(upTo: min(16_384, limit - exchange.request.body.count)) != nil else { return }
            }
        }

        private func arrival(
            _ exchange: MockExchange, _ place: (scenario: ChaosScenario, run: Int, trip: Int, hop: Int), isUnexpected: Bool = false
        ) -> ChaosRecord.Arrival {
            let request = exchange.request
            var arrival = ChaosRecord.Arrival(request, hop: place.hop)
            let body = request.method == "GET" ? Data() : place.scenario.requestBody(place.trip) ?? Data()
            arrival.size = request.body.count
            arrival.isWhole = request.body.count >= body.count
            arrival.hasRightBody = body.starts(with: request.body)
            arrival.isUnexpected = isUnexpected
            return arrival
        }
    }

    extension ChaosRecord.Arrival {
        init(_ request: RecordedRequest, hop: Int) {
            self.init(
                hop: hop, method: request.method, hasRightBody: true,
                attempt: request.header(ChaosNotes.stamp).flatMap { Int($0) }, isAbroad: ChaosGate.isAbroad(request),
                isAuthorized: request.header("Authorization") != nil, cookies: ChaosGate.cookies(request))
        }
    }
#endif
