#if os(Linux)
    import FirewheelTesting
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel

    /// The host addresses that libcurl is told, which it keeps until told to forget them.
    @Suite("Addresses handed to libcurl", .timeLimit(.minutes(5)))
    struct ToldAddressesTests {
        /// The news about a host for a transfer that ends soon.
        private func news(_ told: inout ToldAddresses, _ host: String, _ addresses: [String] = ["1.1.1.1"]) throws -> ToldAddresses.News? {
            let origin = try origin(host)
            defer { told.end(origin) }
            return told.begin(origin, addresses: addresses)
        }

        private func origin(_ host: String) throws -> TargetURI.Origin { try #require(TargetURI("http://\(host):81/")).origin }

        @Test("A host's addresses are handed to libcurl until it has taken them, and again when they change")
        func once() throws {
            var told = ToldAddresses()
            let both = ["1.1.1.1", "[::1]"]
            let first = try #require(try news(&told, "a", both))
            #expect(first.lines == ["a:81:1.1.1.1,[::1]"])
            #expect(try news(&told, "a", both) != nil)
            told.noteLoaded(first)
            #expect(try news(&told, "a", both) == nil)
            let second = try #require(try news(&told, "a", ["2.2.2.2"]))
            // The earlier news does not count for the newer one.
            told.noteLoaded(first)
            #expect(try news(&told, "a", ["2.2.2.2"])?.lines == ["a:81:2.2.2.2"])
            told.noteLoaded(second)
            #expect(try news(&told, "a", ["2.2.2.2"]) == nil)
        }

        @Test("Of many hosts the least recently used are removed from libcurl, once it has been told")
        func many() throws {
            var told = ToldAddresses()
            var known: Set<String> = []
            for number in 0..<10_000 {
                for host in ["host\(number)", "favourite"] {
                    guard let news = try news(&told, host) else { continue }
                    // Applied in order, like libcurl.
                    for line in news.lines {
                        if line.hasPrefix("-") { known.remove(String(line.dropFirst())) } else { known.insert(String(line.dropLast(8))) }
                    }
                    told.noteLoaded(news)
                }
                #expect(known.contains("host\(number):81") && known.contains("favourite:81"))
                #expect(told.count <= 1_536 && known.count <= 1_536)
            }
            #expect(try news(&told, "favourite") == nil)
            // A forgotten host is told again.
            #expect(try news(&told, "host1") != nil)
        }

        @Test("Removals that libcurl has not heard of are repeated, a few at a time")
        func unheard() throws {
            var told = ToldAddresses()
            for number in 0..<ToldAddresses.most { told.noteLoaded(try #require(try news(&told, "host\(number)"))) }
            let first = try #require(try news(&told, "next"))
            #expect(first.lines.count == 17 && first.lines.last == "next:81:1.1.1.1")
            // The first was cancelled before libcurl saw it.
            let second = try #require(try news(&told, "another"))
            #expect(second.lines.dropLast() == first.lines.dropLast())
            // A host that is requested again is not forgotten.
            let again = String(first.lines[0].dropFirst().dropLast(3))
            #expect(try news(&told, again)?.lines.contains("-\(again):81") == false)
            told.noteLoaded(second)
            let third = try #require(try news(&told, "last"))
            #expect(third.lines.count == 17 && Set(third.lines).isDisjoint(with: first.lines))
        }

        @Test("Addresses of a transfer under way are not removed")
        func inUse() throws {
            var told = ToldAddresses()
            for number in 0..<5_000 {
                let news = try #require(told.begin(try origin("host\(number)"), addresses: ["1.1.1.1"]))
                #expect(news.lines.count == 1)
            }
            #expect(told.count == 5_000)
            for number in 0..<5_000 { told.end(try origin("host\(number)")) }
            // As many as were released are forgotten in the end.
            for number in 0..<3_000 { if let news = try news(&told, "later\(number)") { told.noteLoaded(news) } }
            #expect(told.count <= 1_536)
        }

        @Test("After 3,000 hosts, a third of which refuse, a session remembers a bounded number and libcurl looks up none")
        func crawl() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 250)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { _ in MockResponse.text("x").closing() }
                let deaf = try BoundSocket(listening: false)
                let transport = CurlTransport()
                let session = Session(transport: transport)
                for start in Array(stride(from: 0, to: 3_000, by: 50)) + [0, 50, 100] {
                    await withTaskGroup(of: Void.self) { group in
                        for number in start..<(start + 50) {
                            let port = number % 3 == 0 ? deaf.port : server.port
                            group.addTask {
                                let response = await session.request("http://fake-\(number).test:\(port)/").raw()
                                #expect((response.text == "x") == (number % 3 != 0), "\(number): \(response)")
                            }
                        }
                    }
                }
                let opened = try transport.open()
                let known = Journal<Int>()
                opened.inbox.post(.inspect { known.add(opened.reference.channel.toldAddresses.count) })
                #expect(await eventually { known.count == 1 })
                #expect(known.entries[0] <= 2_000, "\(known.entries)")
                #expect(slow_lookup_count() >= 3_000, "\(slow_lookup_count()) lookups")
                #expect(slow_lookup_count_elsewhere() == 0, "\(slow_lookup_count_elsewhere()) lookups by libcurl")
                withExtendedLifetime(session) {}
            }
        }
    }
#endif
