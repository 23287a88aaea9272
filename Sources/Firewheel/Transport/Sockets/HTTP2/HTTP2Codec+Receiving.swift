#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// What the library reports of received frames. Events wait until the owners may call back.
    extension HTTP2Codec {
        func sectionBegan(_ stream: HTTP2Stream?) {
            sectionStream = stream
            section.begin()
        }

        /// Returns whether the stream goes on.
        func received(field name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSuspect: Bool) -> Bool {
            guard let stream = sectionStream, !stream.isOver else { return true }
            do throws(ResponseLines.Problem) {
                try section.add(
                    name, value, limit: ResponseLines.maximumBytes - stream.headBytes, isTrailer: stream.hasHead, isSuspect: isSuspect)
                return true
            } catch {
                refuse(stream, error.reason)
                return false
            }
        }

        func sectionEnded(_ stream: HTTP2Stream?, endsStream: Bool) {
            sectionStream = nil
            defer { section.end() }
            guard let stream, !stream.isOver else { return }
            stream.headBytes += section.bytes
            if stream.hasHead {
                let trailers = section.fields
                let allowed = trailers.isEmpty ? trailers : HTTPHeaders(received: trailers.filter { TrailerNames.isAllowed($0.name) })
                if endsStream { dataEnded(stream, trailers: allowed) }
                return
            }
            let head = ResponseHead(statusCode: section.statusCode, httpVersion: "HTTP/2", headers: section.fields)
            if head.statusCode < 200 { return post(.interim(head), stream) }
            if let problem = section.lengths.problem {
                refuse(stream, problem.reason)
                return fwhttp2_reset(session, stream.id, HTTP2ErrorCode.protocolError.rawValue)
            }
            let hasNoBody = stream.isHead || head.statusCode == 204 || head.statusCode == 304
            stream.declaredLength = hasNoBody ? 0 : section.lengths.length
            stream.hasHead = true
            meter.earn(100)
            post(.head(head), stream)
            if endsStream { dataEnded(stream, trailers: HTTPHeaders()) }
        }

        func received(_ data: UnsafeRawBufferPointer, on stream: HTTP2Stream?) {
            guard let stream, !stream.isOver else { return }
            stream.receivedBytes += Int64(data.count)
            post(.body(data), stream)
        }

        func dataEnded(_ stream: HTTP2Stream?, trailers: HTTPHeaders) {
            guard let stream, !stream.isOver else { return }
            if let missing = stream.missingBytes, missing != 0 { return wasInvalid(stream, endsStream: true) }
            stream.hasEnded = true
            post(.end(trailers: trailers), stream)
        }

        private func refuse(_ stream: HTTP2Stream, _ reason: String) {
            end(stream, .failed(.failed(.cannotParseResponse, reason)))
        }

        func wasReset(_ stream: HTTP2Stream?, _ code: HTTP2ErrorCode) { stream?.resetCode = code }

        func wasInvalid(_ stream: HTTP2Stream, endsStream: Bool) {
            if !stream.hasEnded { end(stream, .failed(HTTP2Words.invalid(stream, endsStream: endsStream))) }
        }

        func wasClosed(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
            if !stream.isOver { end(stream, howEnded(stream, code)) } else { events.append(.connection(.roomChanged)) }
            guard let place = stream.place, place < streams.count else { return }
            stream.place = nil
            let last = streams.removeLast()
            if last !== stream {
                streams[place] = last
                last.place = place
            }
        }

        private func howEnded(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> HTTP2StreamEnd {
            if stream.hasEnded { return .complete }
            // Behind a head, or what came of it, these codes are errors like all others.
            let isUnused = !stream.hasHead
            if let reset = stream.resetCode {
                if isUnused, reset == .refusedStream { return .refused }
                if isUnused, reset == .http11Required { return .needsHTTP1 }
                return .failed(HTTP2Words.reset(reset))
            }
            // The library's own code for streams that GOAWAY leaves out, and for those that it could not begin any more.
            if code == .refusedStream || !stream.isSent {
                guard isUnused else { return .lost(HTTP2Words.abandoned(goAway)) }
                return goAway?.code == .http11Required ? .needsHTTP1 : .refused
            }
            return .failed(HTTP2Words.invalidData(stream, code))
        }

        func settingsChanged() {
            hasSettings = true
            events.append(.connection(.roomChanged))
        }

        func pingAnswered() { events.append(.connection(.pong)) }

        func received(_ goAway: HTTP2GoAway) {
            self.goAway = goAway
            // The library has not looked at these yet.
            for stream in streams where !stream.isSent { end(stream, goAway.code == .http11Required ? .needsHTTP1 : .refused) }
            events.append(.connection(.goAway(goAway)))
        }
    }
#endif
