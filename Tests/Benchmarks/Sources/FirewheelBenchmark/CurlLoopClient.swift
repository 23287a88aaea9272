import CurlLoop

extension Client {
    /// The yardstick. It checks its responses itself, and says on stderr what was wrong with one.
    static func curlLoop(url: String) -> Client {
        Client(name: "C loop") { load in
            var seconds = 0.0
            guard curl_loop_run(url, Int32(load.inFlight), load.requests, &seconds) == 0 else { throw Failure("the C loop failed") }
            return seconds
        }
    }
}
