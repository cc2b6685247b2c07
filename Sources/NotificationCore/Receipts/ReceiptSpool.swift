package import Envelope
import Platform
import Primitives

/// Unsent receipts, the newest 256, added before sending, so that the extension's end does not lose them.
package struct ReceiptSpool: Hashable, Sendable {
    static let receiptCountMax = 256

    let file: ArrivalFile

    var path: String { file.path }

    package init(path: String) {
        file = ArrivalFile(
            path: path,
            protection: .untilFirstUnlock,
            countMax: Self.receiptCountMax,
            itemByteCountMax: DeliveryReceipt.byteCount
        )
    }

    func prepare() throws(ContainerError) { try file.prepare() }

    /// Adds a receipt once.
    package func add(_ receipt: DeliveryReceipt, now: Timestamp) throws(ContainerError) {
        try file.add(receipt.bytes, key: receipt.bytes, now: now) { DeliveryReceipt(bytes: $0) == receipt }
    }

    /// Oldest first, each once.
    package func all() throws(ContainerError) -> [DeliveryReceipt] {
        var receipts: [DeliveryReceipt] = []
        for (_, receipt) in try stored() where !receipts.contains(receipt) { receipts.append(receipt) }
        return receipts
    }

    package func remove(_ receipts: some Collection<DeliveryReceipt>) throws(ContainerError) {
        let receipts = Set(receipts)
        try file.remove(try stored().filter { receipts.contains($0.receipt) }.map(\.item))
    }

    /// Removes damaged ones.
    private func stored() throws(ContainerError) -> [(item: ArrivalFile.Item, receipt: DeliveryReceipt)] {
        var stored: [(item: ArrivalFile.Item, receipt: DeliveryReceipt)] = []
        for item in try file.items() {
            if let receipt = try file.read(item, DeliveryReceipt.init(bytes:)) { stored.append((item, receipt)) }
        }
        return stored
    }
}

// Bytes: version 0x01 ‖ code u8 ‖ capability 16.
extension DeliveryReceipt {
    private static let version: UInt8 = 0x01
    fileprivate static let byteCount = 2 + ReceiptCapability.byteCount

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
