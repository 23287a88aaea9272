import Foundation

/// Converts arrays and dictionaries of Foundation, and what they contain, to values of one type.
///
/// It does not recurse, because the casts of 512 levels take more stack than the threads of dispatch queues have.
struct FoundationTree<Value> {
    let array: ([Value]) -> Value
    let object: ([String: Value]) -> Value
    /// Converts what is neither an array nor a dictionary with string keys.
    let scalar: (Any) throws -> Value

    /// An array or a dictionary of which not all elements are converted.
    private struct Level {
        /// nil for an array.
        let names: [String]?
        let objects: [Any]
        var values: [Value] = []

        init?(_ object: Any) {
            if let elements = object as? [Any] {
                (names, objects) = (nil, elements)
            } else if let members = object as? [String: Any] {
                (names, objects) = (Array(members.keys), Array(members.values))
            } else {
                return nil
            }
            values.reserveCapacity(objects.count)
        }
    }

    /// - Throws: ``JSONValue/Failure`` for more than 512 levels, or the error of `scalar`.
    func convert(_ root: Any) throws -> Value {
        var levels: [Level] = []
        var next = root
        while true {
            var value: Value?
            if let level = Level(next) {
                guard levels.count < JSONValue.maximumDepth else {
                    throw JSONValue.Failure(description: "more than \(JSONValue.maximumDepth) nested arrays and objects")
                }
                levels.append(level)
            } else {
                value = try scalar(next)
            }
            while true {
                if let complete = value {
                    guard let last = levels.indices.last else { return complete }
                    levels[last].values.append(complete)
                }
                let last = levels.count - 1
                let count = levels[last].values.count
                if count < levels[last].objects.count {
                    next = levels[last].objects[count]
                    break
                }
                value = finished(levels.removeLast())
            }
        }
    }

    private func finished(_ level: Level) -> Value {
        guard let names = level.names else { return array(level.values) }
        return object(Dictionary(uniqueKeysWithValues: zip(names, level.values)))
    }
}
