#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// Resolves host names off the loop, with a bounded number of threads for any number of names.
    ///
    /// `getaddrinfo` blocks, and cannot be interrupted. A lookup that hangs blocks one thread; requests waiting for it end by their own
    /// timeouts, and further threads are added while slow names block all of them. Equal lookups are merged, and an answer is cached for a
    /// minute, as in libcurl and browsers.
    final class NameResolver: Sendable {
        static let shared = NameResolver()

        /// IP addresses as text, in the order in which to try them (RFC 6724), or the failure.
        typealias Answer = Result<[String], Failure>

        /// Why a name could not be resolved.
        struct Failure: Error, Equatable {
            let description: String
            /// Whether the reason may be that there is no network. False if the system has found that the name does not exist.
            var mayBeOffline = false
        }

        /// What is asked for.
        struct Question: Hashable, Sendable {
            let host: String
            var family = AddressFamily.any
        }

        /// The number of threads that are started without delay.
        private static let readyThreads = 8
        /// The most threads. Beyond the first ones another is started whenever none became free within ``patience``.
        private static let maximumThreads = 64
        private static let patience: TimeInterval = 0.25
        private static let lifetime: TimeInterval = 60
        /// The seconds that an idle thread waits for another name before it ends.
        private static let linger: TimeInterval = 1

        private struct Asker {
            let owner: ObjectIdentifier?
            let completion: @Sendable (Answer) -> Void
        }

        private struct State {
            var cache: [Question: (addresses: [String], expiry: MonotonicInstant)] = [:]
            var asking: [Question: [Asker]] = [:]
            var queue: [Question] = []
            var threads = 0
            var isHelpComing = false
            var idle = 0
        }

        private let condition = NSCondition()
        /// Starts a thread; false if the process has none left.
        private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
        // Used only while holding `condition`.
        private nonisolated(unsafe) var state = State()

        /// - Parameter start: Starts a thread; replaced in tests.
        init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = NameResolver.startThread) {
            self.start = start
        }

        /// The cached addresses of a name, if they are fresh.
        func cached(_ question: Question) -> [String]? {
            condition.withLock {
                guard let entry = state.cache[question], MonotonicInstant.now() < entry.expiry else { return nil }
                return entry.addresses
            }
        }

        /// Forgets the cached addresses of a name: in another network it may have others.
        func forget(_ question: Question) {
            condition.withLock { state.cache[question] = nil }
        }

        /// Resolves a name and calls back on a resolver thread, or on the current thread if none can be started.
        func resolve(_ question: Question, for owner: ObjectIdentifier? = nil, completion: @escaping @Sendable (Answer) -> Void) {
            let asker = Asker(owner: owner, completion: completion)
            let needsThread = condition.withLock { () -> Bool in
                if state.asking[question] != nil {
                    state.asking[question]?.append(asker)
                    return false
                }
                state.asking[question] = [asker]
                state.queue.append(question)
                if state.idle >= state.queue.count {
                    condition.signal()
                    return false
                }
                guard state.threads < Self.readyThreads else {
                    helpIfStuck()
                    return false
                }
                state.threads += 1
                return true
            }
            if needsThread { startWorking() }
        }

        static func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
            PlatformThread.start(name: "firewheel.dns", stackSize: 256 * 1024) {
                PlatformThread.detach(PlatformThread.current)
                work()
            }
        }

        /// Starts a thread that is already counted. If that fails, the other threads continue; without any, all waiting lookups fail.
        private func startWorking() {
            guard !start({ self.work() }) else { return }
            let waiting = condition.withLock { () -> [Asker] in
                state.threads -= 1
                guard state.threads == 0 else {
                    helpIfStuck()
                    return []
                }
                defer { state.queue.removeAll() }
                return state.queue.flatMap { state.asking.removeValue(forKey: $0) ?? [] }
            }
            for asker in waiting { asker.completion(.failure(Failure(description: "no thread is left to look the name up"))) }
        }

        /// Starts another thread if the first waiting name is still waiting after ``patience``, because slow names then block all threads.
        /// Must be called while holding `condition`.
        private func helpIfStuck() {
            guard !state.isHelpComing, state.threads < Self.maximumThreads, let first = state.queue.first else { return }
            state.isHelpComing = true
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
                let isStuck = condition.withLock { () -> Bool in
                    state.isHelpComing = false
                    let isStuck = state.queue.first == first && state.threads < Self.maximumThreads
                    if isStuck { state.threads += 1 }
                    helpIfStuck()
                    return isStuck
                }
                if isStuck { startWorking() }
            }
        }

        /// Ends an owner's interest in a name. A lookup that has not begun and has no other owner is dropped.
        func abandon(_ question: Question, for owner: ObjectIdentifier) {
            condition.withLock {
                guard let index = state.queue.firstIndex(of: question) else { return }
                state.asking[question]?.removeAll { $0.owner == owner }
                guard state.asking[question]?.isEmpty == true else { return }
                state.asking[question] = nil
                state.queue.remove(at: index)
            }
        }

        private func work() {
            while let question = nextQuestion() {
                let answer = Self.lookUp(question)
                let waiting = condition.withLock { () -> [Asker] in
                    if case .success(let addresses) = answer { remember(addresses, of: question) }
                    return state.asking.removeValue(forKey: question) ?? []
                }
                for asker in waiting { asker.completion(answer) }
            }
        }

        /// The next name to resolve; nil if the thread has been idle long enough to end.
        private func nextQuestion() -> Question? {
            condition.withLock {
                let deadline = Date(timeIntervalSinceNow: Self.linger)
                state.idle += 1
                while state.queue.isEmpty, condition.wait(until: deadline) {}
                state.idle -= 1
                if state.queue.isEmpty {
                    state.threads -= 1
                    return nil
                }
                return state.queue.removeFirst()
            }
        }

        private func remember(_ addresses: [String], of question: Question) {
            let now = MonotonicInstant.now()
            if state.cache.count >= 1024 { state.cache = state.cache.filter { now < $0.value.expiry } }
            if state.cache.count >= 1024 { state.cache.removeAll() }
            state.cache[question] = (addresses, now.advanced(by: Self.lifetime))
        }

        private static func lookUp(_ question: Question) -> Answer {
            let host = question.host
            var hints = addrinfo()
            hints.ai_family = question.family.number
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, nil, &hints, &list)
            guard code == 0 else { return .failure(failure(code, errno, question)) }
            defer { freeaddrinfo(list) }
            var addresses: [String] = []
            var entry = list
            while let current = entry {
                if let text = numericHost(current.pointee), !addresses.contains(text) { addresses.append(text) }
                entry = current.pointee.ai_next
            }
            return addresses.isEmpty ? .failure(Failure(description: "host \"\(host)\" has no address")) : .success(addresses)
        }

        /// - Parameter systemError: The value of `errno`.
        private static func failure(_ code: Int32, _ systemError: Int32, _ question: Question) -> Failure {
            let host = question.host
            let reason: String
            switch code {
            case EAI_NONAME, noDataCode, addressFamilyCode:
                let kind = question.family == .any ? "" : "an \(question.family.name) address of "
                return Failure(description: "cannot find \(kind)host \"\(host)\"")
            case EAI_SYSTEM: reason = FirewheelError.words(forSystemError: systemError)
            default: reason = String(cString: gai_strerror(code)).lowercased()
            }
            let mayBeOffline = [EAI_AGAIN, EAI_FAIL].contains(code) || code == EAI_SYSTEM && NetlinkNetwork.wantsRoute(systemError)
            return Failure(description: "cannot look up host \"\(host)\": \(reason)", mayBeOffline: mayBeOffline)
        }

        /// glibc's `EAI_NODATA`, which its headers define for GNU C only: the name exists but has no address.
        private static let noDataCode: Int32 = -5
        /// Its `EAI_ADDRFAMILY`: the name has addresses of the other family only.
        private static let addressFamilyCode: Int32 = -9

        private static func numericHost(_ info: addrinfo) -> String? {
            guard info.ai_family == AF_INET || info.ai_family == AF_INET6 else { return nil }
            var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(info.ai_addr, info.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0 else {
                return nil
            }
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return info.ai_family == AF_INET6 ? "[\(text)]" : text
        }
    }
#endif
