import CurlLoop
import Firewheel
import Foundation

/// The baseline: one thread of C on libcurl, which checks its responses and reports wrong ones on stderr.
enum CurlLoopClient {
    /// - Parameter fields: Additional fields of each request beside `Host` and `Accept`.
    static func run(_ work: Work, fields: HTTPHeaders) throws -> Double {
        let decoding = Decoding(work)
        var job = curl_loop_job()
        job.in_flight = Int32(clamping: work.inFlight)
        job.requests = work.requests
        job.body_length = work.bodyLength
        job.drop = work.task == .drop
        // Firewheel's buffer size, because libcurl's default slows large bodies down.
        job.buffer_size = work.task == .memory || work.task == .drop ? 131_072 : 0
        if work.task == .json {
            job.user = Unmanaged.passUnretained(decoding).toOpaque()
            job.on_body = { user, bytes, length in
                guard let user, let bytes else { return false }
                return Unmanaged<Decoding>.fromOpaque(user).takeUnretainedValue().decode(Data(bytes: bytes, count: length))
            }
        }
        var seconds = 0.0
        job.streams = work.wire == .h2 ? Wire.streams : 0
        let authority = Wire.authority.flatMap { strdup($0) }
        defer { free(authority) }
        job.authority = UnsafePointer(authority)
        let lines = (Array(fields) + work.extraFields).map { strdup("\($0.name): \($0.value)") }
        defer { for line in lines { free(line) } }
        let pointers = lines.map { UnsafePointer($0) } + [nil]
        let result = pointers.withUnsafeBufferPointer { pointers in
            job.fields = pointers.baseAddress
            return withExtendedLifetime(decoding) { work.url.withCString { curl_loop_run($0, &job, &seconds) } }
        }
        if let error = decoding.error { throw error }
        guard result == 0 else { throw Failure("the C loop failed") }
        return seconds
    }

    /// Decodes on the loop's thread.
    private final class Decoding {
        private let work: Work
        private(set) var error: (any Error)?

        init(_ work: Work) {
            self.work = work
        }

        func decode(_ body: Data) -> Bool {
            do {
                try work.check(body)
                return true
            } catch {
                self.error = error
                return false
            }
        }
    }
}
