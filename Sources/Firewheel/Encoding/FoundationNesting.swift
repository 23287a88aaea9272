import Foundation

/// Checks the nesting depth of a Foundation container before it is cast to a Swift type.
///
/// On Linux the cast, and every method that reads an element, converts all nested containers at once: this overflows the stack on deeply
/// nested arrays, and never ends for one that contains itself. A mirror's children are the stored objects. On Apple platforms elements are
/// converted lazily.
enum FoundationNesting {
    /// - Parameter depth: The nesting level of the container.
    /// - Throws: ``ParameterFailure/tooDeep``.
    static func check(_ container: Any, depth: Int) throws {
        #if canImport(FoundationNetworking)
            // Depth first, so that a cycle is found quickly, and iterative, so that no deep stack is needed.
            var rest = [(value: container, depth: depth)]
            while let (value, depth) = rest.popLast() {
                guard let object = value as AnyObject?, object is NSArray || object is NSDictionary || object is NSSet else { continue }
                guard depth < ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
                for child in Mirror(reflecting: object).children {
                    let field = child.value as? (key: NSObject, value: AnyObject)
                    rest.append((field?.value ?? child.value, depth + 1))
                }
            }
        #endif
    }
}
