extension URLSessionConfiguration {
    var engineConfiguration: (SessionConfiguration, problem: (any Error)?) { (SessionConfiguration(), nil) }
    struct Stub { var `default`: URLSessionConfiguration { .default } }
    public static var af: Stub2 { Stub2() }
    public struct Stub2 { public var `default`: URLSessionConfiguration { .default } }
}
