package import Envelope
package import Primitives

extension Vector {
    package func bytes(_ field: String, _ text: some StringProtocol) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(Array(text.utf8)) else {
            throw VectorError.malformed(vector: name, field: field)
        }
        return bytes
    }

    package func bytes(_ field: String) throws -> [UInt8] { try bytes(field, try required(field)) }

    package func secret(_ field: String, _ text: some StringProtocol) throws -> SecretBytes {
        let bytes = try bytes(field, text)
        guard !bytes.isEmpty else { throw VectorError.malformed(vector: name, field: field) }
        return SecretBytes(copying: unsafe bytes.span.bytes)
    }

    package func number(_ field: String, _ text: some StringProtocol) throws -> UInt64 {
        guard let number = UInt64(text) else { throw VectorError.malformed(vector: name, field: field) }
        return number
    }

    package func time(_ field: String) throws -> Timestamp {
        Timestamp(milliseconds: try number(field, try required(field)))
    }

    package func timeOfEach(_ field: String) throws -> [Timestamp] {
        try values(field).map { Timestamp(milliseconds: try number(field, $0)) }
    }
}
