package import Envelope

/// Registration that a device made itself, with its endpoint key.
package struct Enrolment: Equatable, Sendable {
    package let registration: Device.Registration
    /// Hash of the endpoint key.
    package let keyHash: [UInt8]
    /// nil: App Attest proved nothing.
    package let attestation: Attestation?
    /// Enrolled devices that the app may have.
    package let deviceCountMax: Int

    package init(_ registration: Device.Registration, keyHash: [UInt8], attestation: Attestation?, deviceCountMax: Int)
    {
        self.registration = registration
        self.keyHash = keyHash
        self.attestation = attestation
        self.deviceCountMax = deviceCountMax
    }

    /// Use of a key of App Attest, checked but for what only the store knows: that it is a new one.
    package enum Attestation: Equatable, Sendable {
        case first(AttestedKey)
        /// The counter of the assertion, and the time of its challenge.
        case again(keyID: [UInt8], counter: UInt32, challenged: Timestamp)
    }
}

/// Key of App Attest that a device enrolled with.
package struct AttestedKey: Equatable, Sendable {
    /// 32 bytes: the hash of the public key.
    package let id: [UInt8]
    /// 65 bytes, X9.63.
    package let publicKey: [UInt8]
    /// Of the last assertion; 0 before the first.
    package let counter: UInt32
    /// Time of the last challenge. Later challenges alone are taken, each once.
    package let challenged: Timestamp

    package init(id: [UInt8], publicKey: [UInt8], counter: UInt32, challenged: Timestamp) {
        self.id = id
        self.publicKey = publicKey
        self.counter = counter
        self.challenged = challenged
    }
}

package enum EnrolmentResult: Equatable, Sendable {
    case enrolled(PutResult)
    /// Another device, or another app's, has the endpoint key or the key of App Attest.
    case taken
    /// The app has as many enrolled devices as it may.
    case full
    /// The challenge or the counter was used before.
    case repeated
}
