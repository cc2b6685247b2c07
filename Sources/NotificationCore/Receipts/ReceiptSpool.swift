package import Envelope
import Platform
import Primitives

/// Unsent receipts, the newest 256, added before sending, so that the extension's end does not lose them.
package struct ReceiptSpool: Hashable, Sendable {
    static let receiptCountMax = 256

    private let folder: ArrivalFolder

    package init(folder path: String) {
        folder = ArrivalFolder(
            path: path,
            protection: .untilFirstUnlock,
            fileCountMax: Self.receiptCountMax,
            byteCountMax: 16 * 1024
        )
    }

    func prepare() throws(ContainerError) { try folder.prepare() }

    /// Adds a receipt once.
    package func add(_ receipt: DeliveryReceipt, now: Timestamp) throws(ContainerError) {
        try folder.add(receipt.bytes, key: receipt.bytes, now: now) { DeliveryReceipt(bytes: $0) == receipt }
    }

    /// Oldest first, each once.
    package func all() throws(ContainerError) -> [DeliveryReceipt] {
        var receipts: [DeliveryReceipt] = []
        for (_, receipt) in try stored() where !receipts.contains(receipt) { receipts.append(receipt) }
        return receipts
    }

    package func remove(_ receipts: some Collection<DeliveryReceipt>) throws(ContainerError) {
        let receipts = Set(receipts)
        for (name, receipt) in try stored() where receipts.contains(receipt) { try folder.remove(name) }
    }

    /// Removes damaged files too.
    package func removeAll() throws(ContainerError) { try folder.removeAll() }

    /// Removes damaged files.
    private func stored() throws(ContainerError) -> [(name: String, receipt: DeliveryReceipt)] {
        var stored: [(name: String, receipt: DeliveryReceipt)] = []
        for name in try folder.names() {
            guard let bytes = try folder.read(name) else { continue }
            guard let receipt = DeliveryReceipt(bytes: bytes) else {
                try folder.remove(name)
                continue
            }
            stored.append((name, receipt))
        }
        return stored
    }
}

// Bytes: version 0x01 ‖ code u8 ‖ capability 16.
extension DeliveryReceipt {
    private static let version: UInt8 = 0x01

    var bytes: [UInt8] { [Self.version, code.rawValue] + capability.rawRepresentation }

    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.take(UInt8.self) == Self.version,
            let code = reader.take(UInt8.self).flatMap({ Code(rawValue: $0) }),
            let rest = reader.take(reader.remainingByteCount),
            let capability = ReceiptCapability(rawRepresentation: rest)
        else { return nil }
        self.init(capability: capability, code: code)
    }
}
