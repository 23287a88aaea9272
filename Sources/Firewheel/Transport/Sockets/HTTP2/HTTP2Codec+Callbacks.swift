#if os(Linux)
    import CFirewheelSystem

    extension HTTP2Codec {
        /// The C functions that the session calls with the codec as context and a stream's pointer. Both live as long as the session knows
        /// them: the codec frees the session, and keeps each stream until it is reported as closed.
        static func makeCallbacks() -> fwhttp2_callbacks {
            var callbacks = fwhttp2_callbacks()
            callbacks.section_began = { context, stream in codec(context)?.sectionBegan(HTTP2Codec.stream(stream)) }
            callbacks.field = { context, name, nameCount, value, valueCount, isSuspect in
                let (name, value) = (
                    UnsafeRawBufferPointer(start: name, count: nameCount), UnsafeRawBufferPointer(start: value, count: valueCount)
                )
                return codec(context)?.received(field: name, value, isSuspect: isSuspect) ?? false
            }
            callbacks.section_ended = { context, stream, endsStream in
                codec(context)?.sectionEnded(HTTP2Codec.stream(stream), endsStream: endsStream)
            }
            callbacks.data = { context, stream, bytes, count in
                codec(context)?.received(UnsafeRawBufferPointer(start: bytes, count: count), on: HTTP2Codec.stream(stream))
            }
            callbacks.data_ended = { context, stream in
                codec(context)?.dataEnded(HTTP2Codec.stream(stream), trailers: HTTPHeaders())
            }
            callbacks.reset = { context, stream, code in
                codec(context)?.wasReset(HTTP2Codec.stream(stream), HTTP2ErrorCode(rawValue: code))
            }
            callbacks.invalid = { context, stream, endsStream in
                if let stream = HTTP2Codec.stream(stream) { codec(context)?.wasInvalid(stream, endsStream: endsStream) }
            }
            callbacks.closed = { context, stream, code in
                if let stream = HTTP2Codec.stream(stream) { codec(context)?.wasClosed(stream, HTTP2ErrorCode(rawValue: code)) }
            }
            callbacks.settings = { context in codec(context)?.settingsChanged() }
            callbacks.ping_answered = { context in codec(context)?.pingAnswered() }
            callbacks.go_away = { context, lastStream, code, text, count in
                codec(context)?.received(
                    HTTP2GoAway(lastStream: lastStream, code: HTTP2ErrorCode(rawValue: code), text: HTTP2Words.text(text, count)))
            }
            addSending(to: &callbacks)
            return callbacks
        }

        private static func addSending(to callbacks: inout fwhttp2_callbacks) {
            callbacks.output = { context, bytes, count in codec(context)?.send(UnsafeRawBufferPointer(start: bytes, count: count)) }
            callbacks.head_sent = { context, stream in codec(context)?.headWasSent(HTTP2Codec.stream(stream)) }
            callbacks.go_away_sent = { context, code, text, count in
                codec(context)?.goAwayWasSent(HTTP2ErrorCode(rawValue: code), HTTP2Words.text(text, count))
            }
            callbacks.read_body = { context, stream, limit, next in
                guard let stream = HTTP2Codec.stream(stream), let read = codec(context)?.readBody(of: stream, limit: limit) else {
                    return 0
                }
                next?.pointee = Int32(read.next)
                return read.count
            }
            callbacks.write_body = { context, stream, frameHead, frameHeadCount, count in
                guard let stream = HTTP2Codec.stream(stream) else { return }
                codec(context)?.writeBody(
                    of: stream, frameHead: UnsafeRawBufferPointer(start: frameHead, count: frameHeadCount), count: count)
            }
        }

        private static func stream(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Stream? {
            pointer.map { Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private func codec(_ context: UnsafeMutableRawPointer?) -> HTTP2Codec? {
        context.map { Unmanaged<HTTP2Codec>.fromOpaque($0).takeUnretainedValue() }
    }
#endif
