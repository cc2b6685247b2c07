import APNS
import Envelope
import HTTP
import Networking
import Primitives
import PushStore
import ServiceParts

/// Devices that register themselves, by their app's rule. The endpoint key names the device: no other can register in its
/// place.
final class EnrolmentHandler: Sendable {
    /// Of one address: many phones may share one.
    private static let addressRate = RateLimiter<[UInt8]>.Rate(perSecond: 1, burst: 60)
    /// Of one device.
    private static let deviceRate = RateLimiter<[UInt8]>.Rate(perSecond: 1.0 / 60, burst: 10)

    private struct App: Hashable {
        let bundleID: BundleID
        let environment: APNSEnvironment
        let tenant: TenantID
    }

    private final class Rates {
        var addresses = RateLimiter<[UInt8]>(keyCountMax: 20_000)
        var devices = RateLimiter<[UInt8]>(keyCountMax: 20_000)
        var apps = RateLimiter<App>(keyCountMax: 4_096)
    }

    private let context: ServiceContext
    private let rates: LoopBound<Rates>

    init(_ context: ServiceContext) {
        self.context = context
        rates = LoopBound(Rates(), to: context.loop)
    }

    /// `POST /v1/enrolments`.
    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let keyHash = try keyHash(call)
        let request = try EnrolmentRequest(call.json())
        let upload = request.upload
        guard let app = call.settings.enrolling(upload.bundleID, upload.environment), let gateway = app.app.gateway,
            let rule = gateway.enrolment
        else { throw Problem(.forbidden, "This app's devices are registered by its publisher's back end.") }
        let key = try DeviceHandler.key(Self.deviceID(keyHash), app.tenant)
        let attestation = try await attestation(request, rule, app, key, keyHash, call)
        try take(
            \.apps,
            App(bundleID: upload.bundleID, environment: upload.environment, tenant: app.tenant.id),
            Self.rate(rule)
        )
        let enrolment = Enrolment(
            try upload.registration(as: key),
            keyHash: keyHash,
            attestation: attestation,
            deviceCountMax: rule.deviceCountMax
        )
        let now = context.clock.now()
        let result = try await context.asking { () throws(StoreError) in
            try await context.store.enrol(enrolment, now: now)
        }
        switch result {
        case .enrolled(let result):
            return .json(result == .created ? 201 : 200) { writer in
                writer.member("id", Self.deviceID(keyHash))
                writer.member("epoch", upload.bundleEpoch)
            }
        case .taken: throw Problem(.keyTaken, "Make another endpoint key and, with App Attest, another key there.")
        case .full:
            throw Self.tooMany("The app has as many enrolled devices as its publisher allows", .seconds(3_600))
        case .repeated:
            throw Problem(.notProven, "Ask for another challenge, and prove this registration with it.")
        }
    }

    /// `POST /v1/enrolments/challenge`.
    func challenge(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let keyHash = try keyHash(call)
        var random = SystemRandom()
        let challenge = context.challengeKey.make(for: keyHash, now: context.clock.now(), random: &random)
        return .json(200) { $0.member("challenge", Base64URL.string(challenge.bytes)) }
    }

    /// A device's id, from its endpoint key.
    static func deviceID(_ keyHash: [UInt8]) -> String { "e-" + EndpointID(keyHash).text }

    /// - Throws: `.unauthorized`, `.tooManyRequests`.
    private func keyHash(_ call: APICall) throws(Problem) -> [UInt8] {
        guard let keyHash = call.endpointKeyHash else { throw EndpointHandler.unauthorized }
        if case .keyless(let network) = call.share { try take(\.addresses, network, Self.addressRate) }
        try take(\.devices, keyHash, Self.deviceRate)
        return keyHash
    }

    private func take<Key>(
        _ limiter: ReferenceWritableKeyPath<Rates, RateLimiter<Key>>,
        _ key: Key,
        _ rate: RateLimiter<Key>.Rate
    ) throws(Problem) {
        guard let wait = rates.value[keyPath: limiter].take(of: key, rate: rate, now: context.clock.uptime()) else {
            return
        }
        throw Self.tooMany("Too many enrolments came", wait)
    }

    private static func rate(_ rule: EnrolmentRule) -> RateLimiter<App>.Rate {
        RateLimiter<App>.Rate(perSecond: Double(rule.perMinute) / 60, burst: rule.perMinute)
    }

    private static func tooMany(_ what: String, _ wait: Duration) -> Problem {
        var problem = Problem(.tooManyRequests, what + ". Wait for the time in 'Retry-After'.")
        problem.retryAfterSeconds = max(1, wait.components.seconds + 1)
        return problem
    }

    // MARK: Proof

    private var unixSeconds: Int64 { Int64(clamping: context.clock.now().milliseconds / 1_000) }

    /// Reads the challenge, and makes the hash and the rule that an object of App Attest must fit.
    ///
    /// - Throws: `.notProven` for a challenge that is not this device's, or is too old.
    private func attested(
        _ request: EnrolmentRequest,
        _ proof: EnrolmentRequest.AttestProof,
        _ app: ServiceSettings.App,
        _ keyHash: [UInt8],
        _ call: APICall
    ) throws(Problem) -> (challenge: EnrolmentChallenge, clientDataHash: [UInt8], rule: AppAttestRule) {
        let challenge = context.challengeKey.read(proof.challenge, for: keyHash, now: context.clock.now())
        guard let challenge, let rule = call.settings.attestRule(of: app) else {
            throw Problem(.notProven, "Ask for another challenge; this one is not this device's, or too old.")
        }
        return (challenge, challenge.clientDataHash(keyHash: keyHash, registration: request.registration), rule)
    }

    /// Verifies beside the loop: a chain takes milliseconds.
    private static func beside<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AppAttestError) -> Value
    ) async throws(Problem) -> Value {
        // It touches no state, and ends.
        let result = await Task.detached { Result { () throws(AppAttestError) in try work() } }.value
        do throws(AppAttestError) { return try result.get() } catch {
            throw Problem(.notProven, "Attest this registration again, with another challenge: \(error).")
        }
    }

    /// - Returns: nil unless App Attest is the rule.
    /// - Throws: `.notProven`.
    private func attestation(
        _ request: EnrolmentRequest,
        _ rule: EnrolmentRule,
        _ app: ServiceSettings.App,
        _ key: DeviceKey,
        _ keyHash: [UInt8],
        _ call: APICall
    ) async throws(Problem) -> Enrolment.Attestation? {
        switch (rule.kind, request.proof) {
        case (.open, .none): return nil
        case (.ticket(let keys), .ticket(let text)):
            do throws(EnrolmentTicketError) {
                try EnrolmentTicket(text, keys: keys).check(
                    origin: app.app.gateway?.origin ?? "",
                    app: request.upload.bundleID,
                    keyHash: keyHash,
                    deviceToken: request.upload.token.bytes,
                    now: unixSeconds
                )
                return nil
            } catch {
                throw Problem(.notProven, "Ask the app's back end for another ticket: \(error).")
            }
        case (.open, _): throw Problem(.notProven, "Send the registration alone; this app's rule is 'open'.")
        case (.ticket, _):
            throw Problem(.notProven, "Send a ticket of the app's back end; this app's rule is 'ticket'.")
        case (.appAttest, .attestation(let proof)):
            let (challenge, hash, rule) = try attested(request, proof, app, keyHash, call)
            let now = unixSeconds
            let publicKey = try await Self.beside { () throws(AppAttestError) in
                try AppAttestation.verify(proof.object, keyID: proof.keyID, clientDataHash: hash, rule, now: now)
            }
            return .first(AttestedKey(id: proof.keyID, publicKey: publicKey, counter: 0, challenged: challenge.time))
        case (.appAttest, .assertion(let proof)):
            let (challenge, hash, rule) = try attested(request, proof, app, keyHash, call)
            let known = try await context.asking { () throws(StoreError) in try await context.store.attestedKey(of: key)
            }
            guard let known, known.id == proof.keyID else {
                throw Problem(.notProven, "Send an attestation of this key first; the relay does not know it.")
            }
            let counter = try await Self.beside { () throws(AppAttestError) in
                try AppAssertion.verify(proof.object, publicKey: known.publicKey, clientDataHash: hash, rule)
            }
            return .again(keyID: proof.keyID, counter: counter, challenged: challenge.time)
        case (.appAttest, _):
            throw Problem(.notProven, "Send 'challenge', 'key-id' and 'attestation' or 'assertion' of App Attest.")
        }
    }
}
