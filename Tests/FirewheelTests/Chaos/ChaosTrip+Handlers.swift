#if os(Linux)
    import Firewheel
    import Foundation

    // How each kind of handler is attached. Its value is converted back to the bytes it came from.
    extension ChaosTrip {
        func attach(_ number: Int, _ handler: ChaosScenario.Handler, to request: DataRequest) {
            func add<Value: Sendable>(_ serializer: DataResponseSerializer<Value>, _ bytes: @escaping @Sendable (Value) -> Data?) {
                if handler.place == .task {
                    let task = request.serializingResponse(using: serializer)
                    keep(
                        Task {
                            let response = await task.response
                            self.told(number, handler, response.result, rest: response.data, file: nil, bytes)
                        })
                } else if let queue = queue(handler.place) {
                    request.response(queue: queue, responseSerializer: serializer) { response in
                        self.told(number, handler, response.result, rest: response.data, file: nil, bytes)
                    }
                } else {
                    request.response(responseSerializer: serializer) { response in
                        self.told(number, handler, response.result, rest: response.data, file: nil, bytes)
                    }
                }
            }
            switch handler.value {
            case .raw:
                if let queue = queue(handler.place) {
                    request.response(queue: queue) { self.told(number, handler, $0.result, rest: $0.data, file: nil) { $0 ?? Data() } }
                } else {
                    request.response { self.told(number, handler, $0.result, rest: $0.data, file: nil) { $0 ?? Data() } }
                }
            case .json:
                if let queue = queue(handler.place) {
                    request.responseJSON(queue: queue) { self.told(number, handler, $0.result, rest: $0.data, file: nil, Self.bytes) }
                } else {
                    request.responseJSON { self.told(number, handler, $0.result, rest: $0.data, file: nil, Self.bytes) }
                }
            case .data: add(.data) { $0 }
            case .string: add(.string) { [plan] in Self.bytes($0, plan) }
            case .decodable: add(.decodable(of: ChaosProbe.self)) { $0.bytes }
            case .own, .slow, .refusing, .tolerant, .cancelling: add(serializer(handler.value)) { $0 }
            }
        }

        func attach(_ number: Int, _ handler: ChaosScenario.Handler, to request: DownloadRequest) {
            func add<Value: Sendable>(_ serializer: DownloadResponseSerializer<Value>, _ bytes: @escaping @Sendable (Value) -> Data?) {
                if handler.place == .task {
                    let task = request.serializingDownload(using: serializer)
                    keep(
                        Task {
                            let response = await task.response
                            self.told(number, handler, response.result, rest: nil, file: response.fileURL, bytes)
                        })
                } else if let queue = queue(handler.place) {
                    request.response(queue: queue, responseSerializer: serializer) { response in
                        self.told(number, handler, response.result, rest: nil, file: response.fileURL, bytes)
                    }
                } else {
                    request.response(responseSerializer: serializer) { response in
                        self.told(number, handler, response.result, rest: nil, file: response.fileURL, bytes)
                    }
                }
            }
            switch handler.value {
            case .raw:
                if let queue = queue(handler.place) {
                    request.responseURL(queue: queue) { self.told(number, handler, $0.result, rest: nil, file: $0.fileURL, Self.content) }
                } else {
                    request.responseURL { self.told(number, handler, $0.result, rest: nil, file: $0.fileURL, Self.content) }
                }
            case .json:
                if let queue = queue(handler.place) {
                    request.responseJSON(queue: queue) { self.told(number, handler, $0.result, rest: nil, file: $0.fileURL, Self.bytes) }
                } else {
                    request.responseJSON { self.told(number, handler, $0.result, rest: nil, file: $0.fileURL, Self.bytes) }
                }
            case .data: add(.data) { $0 }
            case .string: add(.string) { [plan] in Self.bytes($0, plan) }
            case .decodable: add(.decodable(of: ChaosProbe.self)) { $0.bytes }
            case .own, .slow, .refusing, .tolerant, .cancelling: add(DownloadResponseSerializer(serializer(handler.value))) { $0 }
            }
        }

        /// Custom serializers.
        private func serializer(_ value: ChaosScenario.Value) -> DataResponseSerializer<Data> {
            DataResponseSerializer { [weak self] _, _, data, error in
                switch value {
                case .refusing: return .failure(Refusal())
                case .tolerant where error != nil: return .success(ChaosTolerance.failed)
                case .slow: usleep(1_500)
                case .cancelling: self?.cancel()
                default: break
                }
                return error.map { .failure($0) } ?? .success(data ?? Data())
            }
        }

        // MARK: Values as bytes

        private static func content(_ url: URL) -> Data? { try? Data(contentsOf: url) }

        private static func bytes(_ json: Any) -> Data? { json is NSNull ? Data() : ChaosProbe(json: json)?.bytes }

        /// Text in the response's charset, or ISO-8859-1.
        private static func bytes(_ text: String, _ plan: ChaosScenario.Trip) -> Data? {
            if text.unicodeScalars.allSatisfy(\.isASCII) { return Data(text.utf8) }
            return Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
    }
#endif
