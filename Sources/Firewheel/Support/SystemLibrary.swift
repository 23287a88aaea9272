#if os(Linux)
    import CFirewheelSystem
#endif

/// A system library does not provide what a feature needs.
///
/// Only that feature fails; everything else works without the library.
package struct SystemLibraryError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
        /// The dynamic linker could not load it; the message is the linker's.
        case notLoaded(String)
        /// It has no function of this name.
        case missingFunction(String)
        /// It is too old.
        case version(found: String, needed: String)
        /// It does not provide this algorithm, or its configuration refuses it.
        case algorithmRefused(String)
        case outOfMemory
    }

    /// The library's file name.
    package let library: String
    /// The package that installs it on Debian and Ubuntu; nil if it is part of the system.
    package let package: String?
    package let reason: Reason

    package var description: String {
        let name = package.map { "\(library) (package \($0))" } ?? library
        switch reason {
        case .notLoaded(let why): return "\(name) could not be loaded: \(why.onOneLine)"
        case .missingFunction(let function): return "\(name) has no function \(function.onOneLine)"
        case .version(let found, let needed): return "\(name) is version \(found), and \(needed) or later is needed"
        case .algorithmRefused(let algorithm): return "\(name) does not offer \(algorithm)"
        case .outOfMemory: return "\(name) could not be loaded: out of memory"
        }
    }
}

#if os(Linux)
    /// A library that is loaded at run time into a table of C functions.
    package struct SystemLibrary: Sendable {
        let soname: String
        let package: String
        /// As printed in the error.
        let leastVersion: String

        package init(soname: String, package: String, leastVersion: String) {
            self.soname = soname
            self.package = package
            self.leastVersion = leastVersion
        }

        /// Calls a loader of `CFirewheelSystem` and converts its failure to the error.
        package func load(
            _ loader: (UnsafePointer<CChar>, UnsafeMutablePointer<fwsystem_failure>) -> OpaquePointer?
        ) -> Result<SystemLibraryTable, SystemLibraryError> {
            var failure = fwsystem_failure()
            if let table = loader(soname, &failure) { return .success(SystemLibraryTable(functions: table)) }
            let detail = String(cString: fwsystem_failure_detail(&failure))
            let reason: SystemLibraryError.Reason =
                switch Int(failure.reason) {
                case FWSYSTEM_NO_SYMBOL: .missingFunction(detail)
                case FWSYSTEM_OLD_VERSION: .version(found: detail, needed: leastVersion)
                case FWSYSTEM_NO_MEMORY: .outOfMemory
                default: .notLoaded(detail)
                }
            return .failure(SystemLibraryError(library: soname, package: package, reason: reason))
        }
    }

    /// The functions of a loaded library.
    package struct SystemLibraryTable: @unchecked Sendable {
        // Sound because the table is never changed or freed after its loader has returned it.
        package let functions: OpaquePointer
    }
#endif
