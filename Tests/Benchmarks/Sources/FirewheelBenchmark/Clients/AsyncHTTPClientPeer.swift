#if Peers
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOFoundationCompat
    import NIOSSL

    /// AsyncHTTPClient with async/await on its shared event loops. Downloads use its file delegate.
    struct AsyncHTTPClientPeer {
        private let work: Work

        init(_ work: Work) {
            self.work = work
        }

        func run() async throws -> Double {
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = work.inFlight
            configuration.httpVersion = work.wire == .h2 ? .automatic : .http1Only
            if let authority = Wire.authority {
                var security = TLSConfiguration.makeClientConfiguration()
                security.trustRoots = .file(authority)
                configuration.tlsConfiguration = security
            }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            do {
                let seconds = try await runTasks(shares: work.shares) { [work] in try await Self.request(work, client) }
                try await client.shutdown()
                return seconds
            } catch {
                try? await client.shutdown()
                throw error
            }
        }

        private static func request(_ work: Work, _ client: HTTPClient) async throws {
            if work.task == .file {
                let file = try work.newFile()
                let delegate = try FileDownloadDelegate(path: file.path)
                let progress = try await client.execute(request: HTTPClient.Request(url: work.url), delegate: delegate).get()
                try work.check(status: Int(progress.head.status.code))
                return try work.check(file)
            }
            var request = HTTPClientRequest(url: work.url)
            for field in work.extraFields { request.headers.add(name: field.name, value: field.value) }
            if work.task == .sendStream {
                request.method = .PUT
                request.body = try .stream(FileSequence(work.fileToSend()), length: .unknown)
            }
            let response = try await client.execute(request, timeout: .seconds(60))
            try work.check(status: Int(response.status.code))
            if work.task == .sendStream {
                return try work.check(answer: String(buffer: await response.body.collect(upTo: 1_000)))
            }
            if work.task == .drop {
                var length = 0
                for try await chunk in response.body { length += chunk.readableBytes }
                return try work.check(length: length)
            }
            if work.task == .lines { return try await checkLines(of: response, work) }
            let body = try await response.body.collect(upTo: work.bodyLength)
            if work.task == .json {
                try work.check(JSONDecoder().decode([Person].self, from: body))
            } else {
                try work.check(length: body.readableBytes)
            }
        }

        /// Splits the body at each LF. A line within one buffer is not copied before its string is made.
        private static func checkLines(of response: HTTPClientResponse, _ work: Work) async throws {
            let tally = Tally()
            var beginning = ByteBuffer()
            for try await var buffer in response.body {
                while let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                    let length = end - buffer.readerIndex
                    if beginning.readableBytes == 0 {
                        if let line = buffer.readString(length: length) { tally.add(line) }
                    } else if var rest = buffer.readSlice(length: length) {
                        beginning.writeBuffer(&rest)
                        tally.add(String(buffer: beginning))
                        beginning.clear()
                    }
                    buffer.moveReaderIndex(forwardBy: 1)
                }
                beginning.writeBuffer(&buffer)
            }
            try work.check(tally)
        }
    }

    extension FileSequence<ByteBuffer> {
        init(_ file: URL) {
            self.init(file: file) { descriptor in
                var buffer = ByteBufferAllocator().buffer(capacity: filePiece)
                let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: filePiece) { bytes in
                    Swift.max(0, Foundation.read(descriptor, bytes.baseAddress, filePiece))
                }
                return count > 0 ? buffer : nil
            }
        }
    }
#endif
