package import Envelope
package import PushStore

extension Device {
    package convenience init(
        registration: Registration,
        registered: Timestamp = StorePattern.start,
        seen: Timestamp = StorePattern.start,
        quarantine: Quarantine? = nil,
        voIPQuarantine: Quarantine? = nil
    ) {
        self.init(
            key: registration.key,
            topic: registration.topic,
            environment: registration.environment,
            token: registration.token,
            voIPToken: registration.voIPToken,
            language: registration.language,
            region: registration.region,
            appVersion: registration.appVersion,
            registered: registered,
            seen: seen,
            quarantine: quarantine,
            voIPQuarantine: voIPQuarantine,
            extraTokens: registration.extraTokens
        )
    }

    /// True if it holds all of the registration but the bundle, which is elsewhere.
    package func holds(_ registration: Registration) -> Bool {
        self
            == Device(
                registration: registration,
                registered: registered,
                seen: seen,
                quarantine: quarantine,
                voIPQuarantine: voIPQuarantine
            )
    }
}
