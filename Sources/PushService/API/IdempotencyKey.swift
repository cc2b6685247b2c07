import Envelope
import ServiceParts

/// Field `Idempotency-Key`, or the member of the body.
enum IdempotencyKey {
    static let name = "idempotency-key"
    static let byteCountMax = 255

    /// Invalid or different keys are a fault.
    static func read(_ request: APIRequest, _ reader: ObjectReader) -> String? {
        func expected() -> String {
            "1 to \(byteCountMax) printable ASCII characters, the same as 'Idempotency-Key' if both are there"
        }
        let member = reader.text(name, 1...byteCountMax, expected(), isValid: isKey)
        guard request.has(name) else { return member }
        let field = request.value(of: name)
        guard let field, isKey(field), member == nil || member == field else {
            reader.faults.add(.wrong, reader.place(name), at: reader.object.offset, "expected \(expected())")
            return nil
        }
        return field
    }

    private static func isKey(_ text: String) -> Bool {
        (1...byteCountMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
