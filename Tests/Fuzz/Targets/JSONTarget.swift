import Foundation

/// Accepted JSON is written as the same value, and Foundation accepts it too.
func fuzzJSON(_ input: [UInt8]) {
    let data = Data(input)
    _ = Redaction.body(String(decoding: input, as: UTF8.self), contentType: nil)
    guard let value = try? JSONValue(data: data) else { return }
    let text = value.description
    check((try? JSONValue(data: Data(text.utf8))) == value, "\(text) is another value")
    _ = (value.intValue, value.doubleValue, value.numberValue.flatMap { Decimal(exactly: $0) })
    _ = value.foundationObject
}
