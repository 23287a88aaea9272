import Firewheel
import Foundation

extension HTTPHeaders {
    /// The fields of `httpAdditionalHeaders`, sorted by name. Numbers become text.
    ///
    /// A refusal has no value in it, since that may be a secret.
    init(additional dictionary: [AnyHashable: Any]) throws(ConfigurationRefusal) {
        self.init()
        var texts: [String: String] = [:]
        for (key, value) in dictionary {
            guard let name = key as? String else { throw ConfigurationRefusal("a name is not a String, but of type \(type(of: key.base))") }
            guard let text = Self.text(value) else {
                throw ConfigurationRefusal("the value of \(name) is neither text nor a number, but of type \(type(of: value))")
            }
            texts[name] = text
        }
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            // A dictionary has no order by which one of them could count.
            if let other = self.first(where: { $0.name.lowercased() == name.lowercased() }) {
                throw ConfigurationRefusal("\(other.name) and \(name) are the same field")
            }
            update(name: name, value: text)
        }
    }

    private static func text(_ value: Any) -> String? {
        switch value {
        case let text as String: text
        case let text as Substring: String(text)
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }
}
