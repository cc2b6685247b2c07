package import Envelope
import Platform
package import Primitives

/// Receipts that nobody has sent yet: at most 256, the newest. The extension adds them before it tries to send, so that
/// whatever ends it leaves them here.
package struct ReceiptSpool: Sendable {
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

    /// The app's side: see `ArrivalFolder.prepare`.
    func prepare() throws(ContainerError) { try folder.prepare() }

    /// One that is here already is not added again.
    package func add(
        _ receipt: DeliveryReceipt,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(ContainerError) {
        guard try !all().contains(receipt) else { return }
        try folder.add(receipt.bytes, now: now, random: &random)
    }

    /// Oldest first, each once.
    package func all() throws(ContainerError) -> [DeliveryReceipt] {
        var receipts: [DeliveryReceipt] = []
        for (_, receipt) in try stored() where !receipts.contains(receipt) { receipts.append(receipt) }
        return receipts
    }

    /// They were sent.
    package func remove(_ receipts: some Collection<DeliveryReceipt>) throws(ContainerError) {
        let receipts = Set(receipts)
        for (name, receipt) in try stored() where receipts.contains(receipt) { try folder.remove(name) }
    }

    /// Drops everything, also what is damaged.
    package func removeAll() throws(ContainerError) { try folder.removeAll() }

    /// What is damaged goes.
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

// In the spool: version 0x01 ‖ code u8 ‖ capability 16.
extension DeliveryReceipt {
    private static let version: UInt8 = 0x01

    var bytes: [UInt8] { [Self.version, code.rawValue] + capability.rawRepresentation }

    /// - Returns: nil unless these are the bytes of one receipt.
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
