package import Envelope

/// Devices that enrol without their tenant's back end.
extension SQLiteStore {
    /// Registers the device and its endpoint key together, or nothing.
    package func enrol(_ enrolment: Enrolment, now: Timestamp) async throws(StoreError) -> EnrolmentResult {
        try enrolment.registration.check()
        return try await write(canBeRefused: true) { writer throws(StoreError) in try writer.enrol(enrolment, now: now)
        }
    }

    /// - Returns: the device's key of App Attest; nil without one.
    package func attestedKey(of device: DeviceKey) async throws(StoreError) -> AttestedKey? {
        try await read { reader throws(StoreError) in try reader.attestedKey(of: device) }
    }
}
