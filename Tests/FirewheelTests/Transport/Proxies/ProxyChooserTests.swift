#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `ProxyConfiguration.custom`.
    @Suite("A closure that chooses proxies", .timeLimit(.minutes(5)))
    struct ProxyChooserTests {
        private func servers() throws -> (proxy: MockServer, origin: MockServer) {
            let (proxy, origin) = (try MockServer(), try MockServer())
            proxy.route("*") { .text("\($0.target) by the proxy") }
            origin.route("*") { .text("\($0.target) by the server") }
            return (proxy, origin)
        }

        @Test("It is asked about each request and each redirect, by the URL")
        func chooses() async throws {
            let (proxy, origin) = try servers()
            defer {
                proxy.shutdown()
                origin.shutdown()
            }
            let urls = Journal<String>()
            proxy.route("http://a.invalid/redirect") { _ in .redirect(to: "http://127.0.0.1:\(origin.port)/b?c") }
            let port = proxy.port
            let session = ProxyBench.session(
                .custom { url in
                    urls.add(url.absoluteString)
                    await Task.yield()
                    return url.host == "127.0.0.1" ? .none : .http(host: "127.0.0.1", port: port)
                })
            #expect(
                await session.request("http://u:p@a.invalid/x#y").serializingString().value(or: "") == "http://a.invalid/x by the proxy")
            #expect(await session.request("http://a.invalid/redirect").serializingString().value(or: "") == "/b?c by the server")
            #expect(urls.entries == ["http://a.invalid/x", "http://a.invalid/redirect", "http://127.0.0.1:\(origin.port)/b?c"])
        }

        @Test("Exceptions of what it returns count, and what is not valid is an error")
        func returns() async throws {
            let (proxy, origin) = try servers()
            defer {
                proxy.shutdown()
                origin.shutdown()
            }
            let port = proxy.port
            let direct = ProxyBench.session(.custom { _ in .http(host: "127.0.0.1", port: port, bypass: ["127.0.0.1"]) })
            #expect(await direct.request(origin.url("/x")).serializingString().value(or: "") == "/x by the server")
            for (proxy, words) in [
                (ProxyConfiguration.http(host: "", port: 1), "there is no host"),
                (.custom { _ in .none }, "returned another custom configuration"),
            ] {
                let response = await ProxyBench.session(.custom { _ in proxy }).request(origin.url("/x")).serializingString().response
                #expect(response.error?.asFirewheelError?.kind == .transportFailed(.resourceUnavailable))
                #expect(response.error?.asFirewheelError?.description.contains(words) == true, "\(response)")
            }
            #expect(origin.requestCount == 1)
        }

        @Test("An https request goes through the proxy that it returns, over TLS or with a credential")
        func secure() async throws {
            let (bench, tunnel) = (try TrustBench(), try TestProxy())
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: tunnel.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                tunnel.stop()
                bench.stop()
            }
            let credential = URLCredential(user: "ada", password: "p", persistence: .none)
            let (plain, secure) = (
                ProxyConfiguration.http(host: "127.0.0.1", port: tunnel.port, credential: credential),
                ProxyConfiguration.https(host: "127.0.0.1", port: front.port)
            )
            var configuration = try bench.configuration()
            configuration.tls.authorities = .only([bench.authority.root.certificate, authority.root.certificate])
            configuration.proxy = .custom { $0.path == "/plain" ? plain : secure }
            let session = Session(configuration: configuration)
            for path in ["/plain", "/secure"] { #expect(await session.request(bench.url(path)).raw().text == path) }
            #expect(tunnel.heads.map { $0.contains("Proxy-Authorization: Basic YWRhOnA=\r\n") } == [true, false])
            #expect(front.handshakes.count == 1)
        }

        @Test("One that does not return ends with the connect timeout, and its task is cancelled")
        func endless() async throws {
            let cancelled = Journal<Void>()
            let session = ProxyBench.session(
                .custom { _ in
                    await withTaskCancellationHandler {
                        await Self.forever()
                    } onCancel: {
                        cancelled.add(())
                    }
                    return .none
                }
            ) { $0.connectTimeout = 0.2 }
            let error = await session.request("http://127.0.0.1:1/").serializingString().response.error?.asFirewheelError
            #expect(error?.isTimeout == true && error?.description.contains("choosing the proxy") == true, "\(error as Any)")
            _ = try await cancelled.wait(for: 1)
            let later = ProxyBench.session(
                .custom { _ in
                    await Self.forever()
                    return .none
                })
            let late = await later.request("http://127.0.0.1:1/").timeout(total: 0.2).serializingString().response.error?.asFirewheelError
            #expect(late?.isTimeout == true && late?.description.contains("resource timeout") == true, "\(late as Any)")
        }

        @Test("A request that is cancelled meanwhile ends at once, and nothing is sent")
        func cancels() async throws {
            let (_, origin) = try servers()
            defer { origin.shutdown() }
            let begun = Journal<Void>()
            let gate = Locked(false)
            let session = ProxyBench.session(
                .custom { _ in
                    begun.add(())
                    while !gate.withLock({ $0 }) { await Task.yield() }
                    return .none
                })
            let request = session.request(origin.url("/x"))
            let task = request.serializingString()
            async let response = task.response
            _ = try await begun.wait(for: 1)
            request.cancel()
            #expect(await response.error?.asFirewheelError?.isExplicitlyCancelled == true)
            gate.withLock { $0 = true }
            #expect(await session.request(origin.url("/y")).serializingString().value(or: "") == "/y by the server")
            #expect(origin.requestCount == 1)
        }

        @Test("A request that is suspended meanwhile is not sent before it is resumed")
        func suspends() async throws {
            let (_, origin) = try servers()
            defer { origin.shutdown() }
            let begun = Journal<Void>()
            let gate = Locked(false)
            let routes = try #require(RouteRules(TLSConfiguration(), choosesProxies: true))
            let chooser = ProxyChooser(of: SocketTransport(), routes: routes) { _ in
                begun.add(())
                while !gate.withLock({ $0 }) { await Task.yield() }
                return .none
            }
            // The connect timeout does not run during the pause.
            let client = try ProxyClient(ProxyRules(environment: { _ in nil }), of: origin.url("/"), transport: chooser)
            let request = try client.start(origin.url("/x")) { $0.connectTimeout = 0.3 }
            chooser.pause(request)
            _ = try await begun.wait(for: 1)
            gate.withLock { $0 = true }
            let other = try client.start(origin.url("/y"))
            #expect(try await client.text(other) == "/y by the server")
            #expect(origin.requestCount == 1 && client.end(of: request) == nil)
            chooser.resume(request)
            #expect(try await client.text(request) == "/x by the server")
        }

        @Test("A request whose transport is released meanwhile ends, and the closure's task is cancelled")
        func released() async throws {
            let (begun, cancelled) = (Journal<Void>(), Journal<Void>())
            let routes = try #require(RouteRules(TLSConfiguration(), choosesProxies: true))
            let recorder = ConformanceRecorder()
            let id = TransportTaskID(request: 1)
            do {
                let chooser = ProxyChooser(of: SocketTransport(), routes: routes) { _ in
                    begun.add(())
                    do { try await Task.sleep(for: .seconds(3_600)) } catch { cancelled.add(()) }
                    return .none
                }
                let request = TransportRequest(id: id, method: .get, target: try #require(TargetURI("http://a.test/")), idleTimeout: 20)
                recorder.expect(request)
                chooser.start(request, receiver: recorder)
                try await waitUntil("the closure") { begun.count == 1 }
                withExtendedLifetime(chooser) {}
            }
            await onThreads(1) { _ in
                #expect(recorder.wait(id, seconds: 20) { $0.result }?.error == .failed(.cancelled, "the transport was released"))
            }
            try await waitUntil("the cancellation") { cancelled.count == 1 }
        }

        @Test("A thousand requests at once, some of them cancelled, all end once")
        func many() async throws {
            let (_, origin) = try servers()
            defer { origin.shutdown() }
            let session = ProxyBench.session(
                .custom { _ in
                    await Task.yield()
                    return .none
                })
            let url = origin.url("/x")
            let ends = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<TestDepth.choose(300, deep: 1_000) {
                    group.addTask {
                        let request = session.request(url)
                        let task = request.serializingString()
                        async let response = task.response
                        if number.isMultiple(of: 3) { request.cancel() }
                        let error = await response.error?.asFirewheelError
                        return error == nil || error?.isExplicitlyCancelled == true
                    }
                }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(!ends.contains(false))
        }

        private static func forever() async {
            while !Task.isCancelled { await Task.yield() }
        }
    }

    extension DataTask<String> {
        fileprivate func value(or other: String) async -> String { (try? await value) ?? other }
    }
#endif
