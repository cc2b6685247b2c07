package import Envelope
package import Keys
private import Platform
package import Primitives

/// Secret records as files: one each, of mode 0600, replaced by rename and forced to disk.
///
/// A file is `SPrecrd` ‖ class (1 byte) ‖ record. Readers detect flipped bits: a key by its public half, the index by
/// its digest.
package struct FileSecretStore: SecretStore {
    private static let magic = Array("SPrecrd".utf8)
    private static let headByteCount = 8
    private static let recordByteCountMax = 16_384
    private static let suffix = ".secret"
    private static let temporarySuffix = ".tmp"
    /// More files than a ring can have, with remains of interrupted writes.
    private static let fileCountMax = 4_096

    private let folder: String
    private let lock: @Sendable () -> DeviceLock

    /// - Parameters:
    ///   - folder: made with the first record; its parent exists.
    ///   - lock: read at every read and write.
    package init(folder: String, lock: @escaping @Sendable () -> DeviceLock = { .current }) {
        self.folder = folder
        self.lock = lock
    }

    package func read(_ name: RecordName) throws(SecretStoreError) -> SecretBytes {
        let file: SecretBytes
        do {
            file = try PrivateFile.read(path(name), exampleKeys: .refused)
        } catch {
            // Before the first unlock not even the class is readable.
            if lock() == .beforeFirstUnlock, error != .notFound(path: path(name)) { throw .locked }
            throw SecretStoreError(error)
        }
        let protection = file.withBytes { Self.protection(of: $0) }
        guard let protection else { throw .damaged }
        guard lock().permits(protection) else { throw .locked }
        return file.withBytes { bytes in
            // Zeroed, but not in guarded pages, which take six system calls for each push; the caller chooses.
            SecretBytes(copying: bytes.extracting(Self.headByteCount..<bytes.byteCount))
        }
    }

    package func write(
        _ record: RawSpan,
        to name: RecordName,
        protection: ProtectionClass
    ) throws(SecretStoreError) {
        precondition((1...Self.recordByteCountMax).contains(record.byteCount))
        guard lock().permits(protection) else { throw .locked }
        let file = SecretBytes(byteCount: Self.headByteCount + record.byteCount) { file in
            for (offset, byte) in (Self.magic + [protection.rawValue]).enumerated() {
                file.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
            for offset in 0..<record.byteCount {
                file.storeBytes(
                    of: record.byte(at: offset),
                    toByteOffset: Self.headByteCount + offset,
                    as: UInt8.self
                )
            }
        }
        do throws(FileError) {
            try PrivateFolder.make(folder, protection: .untilFirstUnlock)
            try file.withBytes { bytes throws(FileError) in
                try WholeFile.write(bytes, to: path(name), access: .protected(.untilFirstUnlock))
            }
        } catch {
            throw SecretStoreError(error)
        }
    }

    package func delete(_ name: RecordName) throws(SecretStoreError) { try remove(path(name)) }

    package func names() throws(SecretStoreError) -> [RecordName] {
        try fileNames().compactMap { file in
            file.hasSuffix(Self.suffix) ? RecordName(String(file.dropLast(Self.suffix.count))) : nil
        }
    }

    package func removeRemains() throws(SecretStoreError) {
        for file in try fileNames() where file.hasSuffix(Self.temporarySuffix) { try remove(folder + "/" + file) }
    }

    private func path(_ name: RecordName) -> String { folder + "/" + name.description + Self.suffix }

    private func fileNames() throws(SecretStoreError) -> [String] {
        do {
            return try PrivateFolder.names(folder, countMax: Self.fileCountMax)
        } catch {
            throw SecretStoreError(error)
        }
    }

    private func remove(_ path: String) throws(SecretStoreError) {
        do {
            try PrivateFolder.remove(path)
        } catch {
            throw SecretStoreError(error)
        }
    }

    private static func protection(of file: RawSpan) -> ProtectionClass? {
        guard file.byteCount > headByteCount, file.byteCount <= headByteCount + recordByteCountMax else { return nil }
        for (offset, expected) in magic.enumerated() where file.byte(at: offset) != expected { return nil }
        return ProtectionClass(rawValue: file.byte(at: magic.count))
    }
}
