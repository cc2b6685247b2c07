import Envelope

/// Canaries of one run, and the pairs of things that must look equally long from outside.
package struct CanarySet: Sendable, Equatable {
    package struct Pair: Sendable, Equatable {
        /// Traces of two messages, or names of two canaries in files of their own.
        package let short: String
        package let long: String

        package init(short: String, long: String) {
            self.short = short
            self.long = long
        }
    }

    package var canaries: [Canary] = []
    /// Traces: records with them must differ in nothing but ids and times.
    package var records: [Pair] = []
    /// Canaries: the files with them must have one length.
    package var files: [Pair] = []

    package init() {}

    package mutating func add(_ name: String, _ asset: Asset, _ value: some Sequence<UInt8>) throws(AuditError) {
        canaries.append(try Canary(name, asset, Array(value)))
    }
}

extension CanarySet {
    private static let byteCountMax = 1 << 20

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("canaries")
            writer.array { writer in
                for canary in canaries {
                    writer.object { writer in
                        writer.member("name", canary.name)
                        writer.member("asset", canary.asset.rawValue)
                        writer.member("value", Base64URL.string(canary.value))
                    }
                }
            }
            for (name, pairs) in [("records", records), ("files", files)] {
                writer.name(name)
                writer.array { writer in
                    for pair in pairs {
                        writer.object { writer in
                            writer.member("short", pair.short)
                            writer.member("long", pair.long)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    package init(json: [UInt8]) throws(AuditError) {
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 4, allowsFractions: false)
        let document: JSONValue
        do { document = try JSONParser.parse(json, limits: limits) } catch { throw .malformedCanaries }
        guard let elements = document["canaries"]?.elements, !elements.isEmpty else { throw .malformedCanaries }
        for element in elements {
            guard let name = element["name"]?.string, let asset = element["asset"]?.string.flatMap(Asset.init),
                let value = element["value"]?.string.flatMap(Base64URL.decode(text:))
            else { throw .malformedCanaries }
            try add(name, asset, value)
        }
        records = try Self.pairs(document["records"])
        files = try Self.pairs(document["files"])
    }

    private static func pairs(_ value: JSONValue?) throws(AuditError) -> [Pair] {
        var pairs: [Pair] = []
        for element in value?.elements ?? [] {
            guard let short = element["short"]?.string, let long = element["long"]?.string else {
                throw .malformedCanaries
            }
            pairs.append(Pair(short: short, long: long))
        }
        return pairs
    }
}
