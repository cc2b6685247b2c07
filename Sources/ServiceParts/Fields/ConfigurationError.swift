/// Fault in the configuration. Repeats no value: some are secret.
package struct ConfigurationError: Error, Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        /// Both from 1.
        case file(line: Int, column: Int)
        case environment(String)
    }

    package let place: Place
    /// JSON pointer to the field; empty for the whole document.
    package let pointer: String
    /// Sentence without its full stop.
    package let problem: String

    package init(place: Place, pointer: String, problem: String) {
        self.place = place
        self.pointer = pointer
        self.problem = problem
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// `12:5: /tenants/0/id: expected 1 to 64 of a-z, 0-9 and hyphens`
    package var description: String {
        let start =
            switch place {
            case .file(let line, let column): "\(line):\(column)"
            case .environment(let name): "environment variable \(name)"
            }
        return pointer.isEmpty ? "\(start): \(problem)" : "\(start): \(pointer): \(problem)"
    }
}

/// One fault or more.
package struct ConfigurationErrors: Error, Equatable, Sendable {
    package let faults: [ConfigurationError]

    package init(faults: [ConfigurationError]) { self.faults = faults }
}
