package import APNS
package import Envelope
import ServiceParts

/// `POST /v1/resends`: requests to seal messages anew, by trace. Needs no key: reveals little beyond a known trace
/// (protocol v1, rule 20).
package struct ResendRequest: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let trace: Trace
        /// 8 bytes; nil if not given.
        package let prekeyID: [UInt8]?
    }

    package static let countMax = 64

    package let items: [Item]

    package init(_ value: JSONValue) throws(Problem) {
        let faults = FieldErrors()
        let reader = ObjectReader(value, at: .root, names: ["resends"], faults: faults)
        let elements = reader?.elements("resends", 1...Self.countMax, of: "objects", isRequired: true) ?? []
        items = elements.compactMap { element in
            let names = ["trace", "prekey-id"]
            let object = ObjectReader(element.value, at: element.path, names: names, faults: faults)
            let trace = object?.text("trace", 22...22, "the push's trace, 22 characters of base64url", isRequired: true)
            {
                Trace(text: $0) != nil
            }
            let prekey = object?.text("prekey-id", 11...11, "the prekey's id, 11 characters of base64url") {
                Base64URL.decode(Array($0.utf8)) != nil
            }
            return trace.flatMap { Trace(text: $0) }.map { trace in
                Item(trace: trace, prekeyID: prekey.flatMap { Base64URL.decode(Array($0.utf8)) })
            }
        }
        guard faults.all.isEmpty else { throw Problem(faults.all) }
    }
}

/// `POST /v1/receipts`.
package struct ReceiptBatch: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let hash: ReceiptHash
        package let code: ReceiptCode
    }

    /// Hashed at once: no value of the service holds a capability.
    package let items: [Item]

    package init(_ value: JSONValue, countMax: Int) throws(Problem) {
        let faults = FieldErrors()
        let reader = ObjectReader(value, at: .root, names: ["receipts"], faults: faults)
        let elements = reader?.elements("receipts", 1...countMax, of: "objects", isRequired: true) ?? []
        items = elements.compactMap { element in
            let names = ["capability", "code"]
            let object = ObjectReader(element.value, at: element.path, names: names, faults: faults)
            let form = "22 characters of base64url, from the sealed message"
            let text = object?.text("capability", 22...22, form, isRequired: true) {
                ReceiptCapability(text: $0) != nil
            }
            let code: ReceiptCode? = object?.choice("code", isRequired: true)
            guard let capability = text.flatMap({ ReceiptCapability(text: $0) }), let code else { return nil }
            return Item(hash: ReceiptHash(of: capability), code: code)
        }
        guard faults.all.isEmpty else { throw Problem(faults.all) }
    }
}

/// `POST /v1/dead-letters/replay`.
package struct DeadLetterReplay: Equatable, Sendable {
    package static let countMax = 1_000

    package let ids: [APNSID]

    package init(_ value: JSONValue) throws(Problem) {
        let faults = FieldErrors()
        let reader = ObjectReader(value, at: .root, names: ["ids"], faults: faults)
        let elements = reader?.elements("ids", 1...Self.countMax, of: "apns-ids", isRequired: true) ?? []
        var seen: Set<APNSID> = []
        ids = elements.compactMap { element in
            if let id = element.value.string.flatMap({ APNSID($0) }), seen.insert(id).inserted { return id }
            let problem = "expected an apns-id, 36 characters, each once"
            faults.add(.wrong, element.path, at: element.value.offset, problem)
            return nil
        }
        guard faults.all.isEmpty else { throw Problem(faults.all) }
    }
}
