#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// When the system starts no more threads, as with a container's process limit, there are errors and no endless wait.
    @Suite("Running out of threads", .timeLimit(.minutes(5)))
    struct ScarceThreadsTests {
        @Test("If the loop cannot start its thread the first request fails, and a later one succeeds")
        func loop() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let descriptors = ProcessFacts.descriptorCount
                // The stack of 512 KiB does not fit, but small allocations do.
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
                var scarce = limit
                scarce.rlim_cur = rlim_t(try #require(ProcessFacts.addressSpace) + 256 << 10)
                setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &scarce)
                var texts: Set<String> = []
                for _ in 0..<100 {
                    do {
                        _ = try EventLoop.shared()
                        texts.insert("none")
                    } catch {
                        texts.insert("\(error)")
                    }
                }
                setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
                #expect(texts.count == 1 && texts.first?.contains("out of threads") == true, "\(texts)")
                // Dispatch may open some of its own at any time.
                let kept = ProcessFacts.descriptorCount - descriptors
                #expect(kept < 50, "\(kept) descriptors")
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let (response, _) = await once { $0.request(server.url()) }
                #expect(response.text == "x", "\(response)")
            }
        }

        private func resolve(_ host: String, with resolver: NameResolver) async -> NameResolver.Answer {
            await withCheckedContinuation { continuation in
                resolver.resolve(.init(host: host)) { continuation.resume(returning: $0) }
            }
        }

        @Test("If no lookup thread can start lookups fail, and later ones succeed")
        func lookups() async throws {
            let refusals = Gauge()
            let resolver = NameResolver { work in
                guard refusals.most < 100 else { return NameResolver.startThread(work) }
                refusals.enter()
                return false
            }
            for number in 0..<100 {
                guard case .failure(let failure) = await resolve("host\(number).invalid", with: resolver) else {
                    Issue.record("an answer of nobody")
                    return
                }
                #expect(failure.description.contains("no thread is left"))
            }
            #expect(try await resolve("localhost", with: resolver).get().isEmpty == false)
        }

        @Test("If only one lookup thread can start all lookups are made")
        func oneThread() async throws {
            let started = Gauge()
            let resolver = NameResolver { work in
                started.enter()
                return started.most == 1 && NameResolver.startThread(work)
            }
            let answers = Journal<NameResolver.Answer>()
            // The first takes long enough for the others to be asked for meanwhile: without a name for a second the thread ends.
            for number in 0..<20 {
                resolver.resolve(.init(host: "slow-\(number == 0 ? 3_000 : 20)ms-\(number).invalid")) { answers.add($0) }
            }
            for case .failure(let failure) in try await answers.wait(for: 20) {
                #expect(!failure.description.contains("no thread is left"))
            }
            #expect(started.most > 1)
        }
    }
#endif
