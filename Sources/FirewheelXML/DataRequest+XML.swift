import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

// Each handler has two overloads, as in Firewheel.
extension DataRequest {
    /// Calls a handler on the main actor with a parser of the body, ready to run: set its `delegate`, which it does not retain,
    /// and call `parse()`, once.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which an empty body is `invalidEmptyResponse`. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseXML(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DataResponse<XMLParser>) -> Void
    ) -> Self {
        response(
            responseSerializer: .xml(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with a parser of the body, ready to run: set its `delegate`, which it does not retain,
    /// and call `parse()`, once.
    @discardableResult
    public func responseXML(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DataResponse<XMLParser>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: .xml(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler)
    }

    /// A parser of the body that is ready to run, handed over once.
    public func serializingXML(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<XMLHandover<XMLParser>> {
        serializingResponse(
            using: DataResponseSerializer<XMLHandover<XMLParser>>.reading(dataPreprocessor, emptyResponseCodes, emptyRequestMethods) {
                try XMLHandover($0.parser())
            },
            automaticallyCancelling: automaticallyCancelling)
    }
}

#if os(macOS) || os(Linux)
    extension DataRequest {
        /// Calls a handler on the main actor with a tree of the body.
        ///
        /// - Parameters:
        ///   - dataPreprocessor: Applied to the body first. Default: none.
        ///   - emptyResponseCodes: The status codes with which an empty body is `invalidEmptyResponse`. Default: 204, 205.
        ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
        ///   - options: Options of `XMLDocument`. External entities and DTDs are never loaded, whatever they say. Default: none.
        ///   - completionHandler: Called exactly once, also after a failure.
        @discardableResult
        public func responseXMLDocument(
            dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
            emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: XMLNode.Options = [],
            completionHandler: @escaping @MainActor (DataResponse<XMLDocument>) -> Void
        ) -> Self {
            response(
                responseSerializer: .xmlDocument(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods),
                completionHandler: completionHandler)
        }

        /// Calls a handler on a queue with a tree of the body.
        @discardableResult
        public func responseXMLDocument(
            queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
            emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
            emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: XMLNode.Options = [],
            completionHandler: @escaping @Sendable (DataResponse<XMLDocument>) -> Void
        ) -> Self {
            response(
                queue: queue,
                responseSerializer: .xmlDocument(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods),
                completionHandler: completionHandler)
        }

        /// The body as a tree, handed over once.
        public func serializingXMLDocument(
            automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough, options: XMLNode.Options = [],
            emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
            emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
        ) -> DataTask<XMLHandover<XMLDocument>> {
            serializingResponse(
                using: DataResponseSerializer<XMLHandover<XMLDocument>>.reading(dataPreprocessor, emptyResponseCodes, emptyRequestMethods) {
                    try XMLHandover($0.document(options: options))
                },
                automaticallyCancelling: automaticallyCancelling)
        }
    }
#endif
