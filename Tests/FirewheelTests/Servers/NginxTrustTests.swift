#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// ``NginxTrust``: what becomes of each client with each server, and that a refused server has no request in its log.
    @Suite("nginx: trust", .needs(.trust), .timeLimit(.minutes(10)))
    struct NginxTrustTests {
        /// Makes sure that the servers have logged the requests that they have answered, and no others. Answers may be logged late.
        private func check(_ trust: NginxTrust, answered: [String: Int], refused: [String]) async throws {
            try await waitUntil("the servers' log") {
                guard let heard = try? trust.heard() else { return false }
                return answered.allSatisfy { (heard[$0.key] ?? 0) >= $0.value }
            }
            let heard = try trust.heard()
            for (mark, count) in answered { #expect(heard[mark] == count, "\(mark)") }
            for mark in refused { #expect(heard[mark] == nil, "\(mark) is in the log of a server that was refused") }
        }

        @Test(
            "Each client trusts each server, or refuses it for its reason before it sends anything; again on a kept connection",
            arguments: [HTTPVersions.http1Only, .automatic])
        func matrix(httpVersions: HTTPVersions) async throws {
            let trust = try NginxTrust(httpVersions)
            let run = UUID().uuidString
            var (answered, refused) = ([String: Int](), [String]())
            for (column, server) in NginxTrust.servers.enumerated() {
                for (row, client) in NginxTrust.clients.enumerated() {
                    let (mark, expected) = ("\(run)-\(column)-\(row)", client.outcomes[column])
                    let session = try trust.session(client, of: column)
                    for round in 1...2 {
                        let response = await session.request(trust.url(column, mark)).raw()
                        #expect(NginxTrust.letter(response) == expected, "\(client.name) × \(server.name): \(response)")
                        guard expected == "." else { continue }
                        #expect(response.hop?.isReusedConnection == (round == 2), "\(client.name) × \(server.name)")
                        #expect(response.hop?.networkProtocolName == (httpVersions == .automatic ? "h2" : "http/1.1"))
                    }
                    if NginxTrust.isAnswered(expected) { answered[mark] = 2 } else { refused.append(mark) }
                }
            }
            #expect(answered.count + refused.count == 16 * 13 && answered.count > 80 && refused.count > 80)
            try await check(trust, answered: answered, refused: refused)
        }

        @Test(
            "An evaluator that never returns is ended by the connect timeout, and its server hears nothing",
            arguments: [HTTPVersions.http1Only, .automatic])
        func waiting(httpVersions: HTTPVersions) async throws {
            let trust = try NginxTrust(httpVersions)
            let (run, client) = (UUID().uuidString, NginxTrust.waiting)
            let found = try await withThrowingTaskGroup(of: (Int, Character).self) { group in
                for column in NginxTrust.servers.indices {
                    let session = try trust.session(client, of: column)
                    group.addTask { (column, NginxTrust.letter(await session.request(trust.url(column, "\(run)-\(column)")).raw())) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(NginxTrust.servers.indices.map { found[$0] } == client.outcomes)
            try await check(trust, answered: [:], refused: NginxTrust.servers.indices.map { "\(run)-\($0)" })
        }

        @Test(
            "A second session with another policy on the same transport gets no connection and no TLS session of the first",
            arguments: [HTTPVersions.http1Only, .automatic])
        func otherPolicy(httpVersions: HTTPVersions) async throws {
            let trust = try NginxTrust(httpVersions)
            let run = UUID().uuidString
            let disabled = try #require(NginxTrust.clients.first { $0.name == "disabled" })
            var (answered, refused) = ([String: Int](), [String]())
            for column in NginxTrust.servers.indices {
                let transport = trust.transport()
                let first = try trust.session(disabled, of: column, transport)
                let before = await first.request(trust.url(column, "\(run)-\(column)")).raw()
                #expect(NginxTrust.letter(before) == disabled.outcomes[column], "\(before)")
                for (row, client) in NginxTrust.clients.enumerated() where !NginxTrust.isAnswered(client.outcomes[column]) {
                    let mark = "\(run)-\(column)-\(row)"
                    let response = await (try trust.session(client, of: column, transport)).request(trust.url(column, mark)).raw()
                    #expect(NginxTrust.letter(response) == client.outcomes[column], "\(client.name) × \(column): \(response)")
                    refused.append(mark)
                }
                let after = await first.request(trust.url(column, "\(run)-\(column)")).raw()
                #expect(NginxTrust.letter(after) == disabled.outcomes[column], "\(after)")
                #expect(after.statusCode == 400 || after.hop?.isReusedConnection == true)
                answered["\(run)-\(column)"] = 2
            }
            try await check(trust, answered: answered, refused: refused)
        }

        @Test("50 requests at once have one outcome, and none of those refused is sent", arguments: [HTTPVersions.http1Only, .automatic])
        func crowds(httpVersions: HTTPVersions) async throws {
            let trust = try NginxTrust(httpVersions)
            let run = UUID().uuidString
            var (answered, refused) = ([String: Int](), [String]())
            func isChosen(_ number: Int) -> Bool { TestDepth.isDeep || number % 4 == 0 }
            for column in NginxTrust.servers.indices {
                for (row, client) in NginxTrust.clients.enumerated() where isChosen(row + column) {
                    let (mark, session) = ("\(run)-\(column)-\(row)", try trust.session(client, of: column))
                    let letters = await withTaskGroup(of: Character.self) { group in
                        for _ in 0..<50 { group.addTask { NginxTrust.letter(await session.request(trust.url(column, mark)).raw()) } }
                        return await group.reduce(into: Set()) { $0.insert($1) }
                    }
                    let expected = client.outcomes[column]
                    #expect(letters == [expected], "\(client.name) × \(column)")
                    if NginxTrust.isAnswered(expected) { answered[mark] = 50 } else { refused.append(mark) }
                }
            }
            try await check(trust, answered: answered, refused: refused)
        }

        @Test("curl trusts the same servers as a session without rules of its own")
        func curl() async throws {
            let trust = try NginxTrust(.http1Only)
            let codes = Journal<(Int, Int32)>()
            let authority = trust.place("trust-ca.pem").path
            await onThreads(1) { _ in
                for (column, server) in NginxTrust.servers.enumerated() {
                    let process = Process()
                    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                    let address = "\(server.host):\(trust.port(column)):127.0.0.1"
                    process.arguments = ["curl", "-s", "--cacert", authority, "--resolve", address, trust.url(column, "curl")]
                    process.standardOutput = FileHandle.nullDevice
                    guard (try? process.run()) != nil else { return }
                    process.waitUntilExit()
                    codes.add((column, process.terminationStatus))
                }
            }
            let expected = NginxTrust.clients[0].outcomes
            // 60: the certificate is refused.
            #expect(codes.entries.map(\.1) == expected.map { NginxTrust.isAnswered($0) ? 0 : 60 })
        }
    }
#endif
