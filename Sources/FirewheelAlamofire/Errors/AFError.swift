public enum AFError: Error, Sendable {
    case sessionDeinitialized
    case other(any Error)
    case responseSerializationFailed(reason: Reason)
    public enum Reason: Sendable { case inputFileNil, inputFileReadFailed(at: URL) }
    init(ofPipeline error: any Error) { self = (error as? AFError) ?? .other(error) }
}
