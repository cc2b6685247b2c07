import Envelope

/// Where fields of a configuration stand: for faults that only show in the files which it names, or beside the
/// configuration before.
package struct ConfigurationPlaces: Sendable {
    private let file: [UInt8]
    private let document: JSONValue?

    /// - Parameters:
    ///   - file: the configuration's bytes.
    ///   - environment: of the process, as the configuration was read with it.
    package init(file: [UInt8], environment: [String: String]) {
        self.file = file
        // Of what is no JSON only the first byte can be named; its reader has said more.
        let parsed = try? JSONParser.parse(file, limits: ServiceConfiguration.parserLimits)
        var faults: [ConfigurationFault] = []
        document = parsed.map { ConfigurationEnvironment.apply(environment, to: $0, faults: &faults) }
    }

    /// A fault of the field that a JSON pointer leads to; where that is absent, of what should have it.
    package func fault(_ pointer: String, _ problem: String) -> ConfigurationFault {
        ConfigurationFault(
            place: ServiceConfiguration.place(offset(of: pointer), in: file),
            pointer: pointer,
            problem: problem
        )
    }

    /// Names of the configuration have neither `~` nor `/`, so that steps are what stands between the slashes.
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
