package import Envelope
package import PushStore
import ServiceParts

/// Body of `POST /v1/bundles/query`: devices, with the sender's copies of their bundles.
package struct BundleQuery: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let device: DeviceID
        /// Tag of the sender's copy; tags of earlier forms match none.
        package let tag: String?
    }

    package static let countMax = 1_000
    private static let tagByteCounts = 1...64

    /// One or more.
    package let items: [Item]

    /// - Throws: `.invalidFields`.
    package init(_ value: JSONValue) throws(Problem) {
        let faults = FieldErrors()
        let reader = ObjectReader(value, at: .root, names: ["devices"], faults: faults)
        let elements = reader?.elements("devices", 1...Self.countMax, of: "objects", isRequired: true) ?? []
        items = elements.compactMap { element in
            let object = ObjectReader(element.value, at: element.path, names: ["device", "etag"], faults: faults)
            let form = "a device's id, 1 to 64 of A-Z a-z 0-9 - _"
            let text = object?.text(
                "device",
                1...Identifier.byteCountMax,
                form,
                isRequired: true,
                isValid: Identifier.isValid
            )
            let tag = object?.text("etag", Self.tagByteCounts, "the 'etag' of an earlier answer") { text in
                text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }
            return text.flatMap { try? DeviceID($0) }.map { Item(device: $0, tag: tag) }
        }
        guard faults.all.isEmpty else { throw Problem(faults.all) }
    }
}
