import Envelope

/// Positions of a configuration's fields, for faults that show only in its files or against an earlier configuration.
package struct ConfigurationPlaces: Sendable {
    private let file: [UInt8]
    private let document: JSONValue?

    package init(file: [UInt8], environment: [String: String]) {
        self.file = file
        // Without JSON every place is the first byte; its reader has said more.
        let parsed = try? JSONParser.parse(file, limits: ServiceConfiguration.parserLimits)
        var faults: [ConfigurationFault] = []
        document = parsed.map { ConfigurationEnvironment.apply(environment, to: $0, faults: &faults) }
    }

    /// Makes a fault of the field at a JSON pointer, or of its parent if it is absent.
    package func fault(_ pointer: String, _ problem: String) -> ConfigurationFault {
        ConfigurationFault(
            place: ServiceConfiguration.place(offset(of: pointer), in: file),
            pointer: pointer,
            problem: problem
        )
    }

    /// Splits at slashes only: no name of the configuration has `~` or `/`.
    private func offset(of pointer: String) -> Int {
        guard var value = document else { return 0 }
        for step in pointer.split(separator: "/") {
            let next: JSONValue? =
                if let elements = value.elements {
                    Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                } else {
                    value[String(step)]
                }
            guard let next else { break }
            value = next
        }
        return value.offset
    }
}
