import Envelope
package import ServiceParts

/// Positions of fields, for faults that show later: in files, or against an earlier configuration.
package struct ConfigurationPositions: Sendable {
    private let file: [UInt8]
    private let document: JSONValue?

    package init(file: [UInt8], environment: [String: String]) {
        self.file = file
        let parsed = try? JSONParser.parse(file, limits: ServiceConfiguration.parserLimits)
        var faults: [ConfigurationError] = []
        document = parsed.map { ConfigurationEnvironment.apply(environment, to: $0, faults: &faults) }
    }

    /// Fault of the field at a JSON pointer, or of its parent if absent.
    package func fault(_ pointer: String, _ problem: String) -> ConfigurationError {
        ConfigurationError(
            place: ServiceConfiguration.place(offset(of: pointer), in: file),
            pointer: pointer,
            problem: problem
        )
    }

    /// No name has `~` or `/`: splitting suffices.
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
