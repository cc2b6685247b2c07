package import Envelope
package import Primitives

/// Reader of secret records, for the extension's side of the key ring.
package protocol SecretReader: Sendable {
    /// - Returns: record, zeroed with its owner.
    func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes
}

/// Store of secret records, each with a protection class. Calls are atomic, even on a kill or power loss, and durable
/// on return.
package protocol SecretStore: SecretReader {
    /// Creates or replaces a record of 1 to 16,384 bytes.
    func write(_ record: RawSpan, to name: RecordName, protection: ProtectionClass) throws(SecretStoreError)

    /// Removes a record, if there.
    func delete(_ name: RecordName) throws(SecretStoreError)

    /// All names, locked ones too.
    func names() throws(SecretStoreError) -> [RecordName]

    /// Removes remains of interrupted writes. Not during a write.
    func removeRemains() throws(SecretStoreError)
}

/// Failure of a store, without path, name or contents.
public enum SecretStoreError: Error, Equatable {
    /// No such record.
    case notFound
    /// Before the first unlock, or while locked: retry later.
    case locked
    /// Damaged record.
    case damaged
    /// Other failed call, with its code.
    case system(call: String, code: Int32)
}
