/// State of a store before an enrolment; pure logic.
package struct EnrolmentStanding: Sendable {
    /// True if another device has the endpoint key.
    package var isKeyTaken = false
    /// False for a registered device of another app: it stays in that one's count.
    package var isSameApp = true
    package var isEnrolled = false
    /// Enrolled devices of the app.
    package var enrolledCount = 0
    /// The device's key of App Attest.
    package var attestedKey: AttestedKey?
    /// True if another device has the enrolment's key of App Attest.
    package var isAttestedKeyTaken = false

    package init() {}

    /// - Returns: nil if the device may enrol.
    package func refusal(of enrolment: Enrolment) -> EnrolmentResult? {
        guard !isKeyTaken, isSameApp else { return .taken }
        switch enrolment.attestation {
        case nil: break
        case .first(let key):
            guard !isAttestedKeyTaken else { return .taken }
            if let attestedKey, key.challenged <= attestedKey.challenged { return .repeated }
        case .again(let keyID, let counter, let challenged):
            guard let attestedKey, attestedKey.id == keyID, counter > attestedKey.counter,
                challenged > attestedKey.challenged
            else { return .repeated }
        }
        return !isEnrolled && enrolledCount >= enrolment.deviceCountMax ? .full : nil
    }
}
