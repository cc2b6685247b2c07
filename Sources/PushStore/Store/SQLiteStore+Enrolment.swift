package import Envelope

extension SQLiteStore {
    package func enrol(_ enrolment: Enrolment, now: Timestamp) async throws(StoreError) -> EnrolmentResult {
        try enrolment.registration.check()
        return try await write(canBeRefused: true) { writer throws(StoreError) in try writer.enrol(enrolment, now: now)
        }
    }

    package func attestedKey(of device: DeviceKey) async throws(StoreError) -> AttestedKey? {
        try await read { reader throws(StoreError) in try reader.attestedKey(of: device) }
    }
}
