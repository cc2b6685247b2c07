package import Envelope
package import Primitives

/// Reads secret records by name. All that the extension's side of the key ring can do with a store.
package protocol SecretReader: Sendable {
    /// - Parameter name: whose record.
    /// - Returns: the record, zeroed when its owner goes.
    /// - Throws: `SecretStoreError`.
    func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes
}

/// Holds secret records, each with its own protection class. Every call is whole or not at all, also when the process
/// ends or the power goes in the middle of it, and durable once it has returned.
package protocol SecretStore: SecretReader {
    /// Makes or replaces a record.
    ///
    /// - Parameters:
    ///   - record: 1 to 16,384 bytes.
    ///   - name: whose record.
    ///   - protection: when it can be read from now on.
    /// - Throws: `SecretStoreError`.
    func write(_ record: RawSpan, to name: RecordName, protection: ProtectionClass) throws(SecretStoreError)

    /// Removes a record; one that is not there is no error.
    func delete(_ name: RecordName) throws(SecretStoreError)

    /// The names of all records, also of those that are locked.
    func names() throws(SecretStoreError) -> [RecordName]

    /// Removes what writes left behind that were cut short. Only for who may write, while nobody else does.
    func removeRemains() throws(SecretStoreError)
}

/// Why a store could not do it. Without a path, a name or a content.
public enum SecretStoreError: Error, Equatable {
    /// There is no such record.
    case notFound
    /// Not before the first unlock, or not while the device is locked: try again later.
    case locked
    /// Not what was written.
    case damaged
    /// Any other failure: the call that failed, and its code.
    case system(call: String, code: Int32)
}
