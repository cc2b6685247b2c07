import APNS
import APNSProvider

/// A chat back end's code that sends sealed previews through Apple: one sender for the life of its process.
public final class PreviewSender: Sendable {
    private let client: APNSClient
    private let topic: Topic

    /// The `.p8` file's bytes, and Apple's ids of the key, its team and the app.
    public init(
        endpoint: APNSEndpoint,
        authorities: [UInt8]?,
        p8: [UInt8],
        keyID: String,
        teamID: String,
        app: String,
        settings: APNSClientConfiguration = APNSClientConfiguration(),
        observer: (any APNSClientObserver)? = nil
    ) throws {
        let key = try ProviderTokenSource(p8: p8.span.bytes, keyID: try KeyID(keyID), teamID: try TeamID(teamID))
        var configuration = settings
        configuration.observer = observer
        if let authorities { configuration.trust = .pem(authorities) }
        client = try APNSClient(endpoint: endpoint, credential: .token(key), configuration: configuration)
        topic = try Topic(app)
    }

    /// The device database's action after a push.
    public enum Verdict: Sendable, Equatable {
        case accepted
        case forget(deviceToken: String)
        /// Keep the device, and do not send to it until the app registers it again.
        case setAside(deviceToken: String)
        case sendLater
        case giveUp(String)
    }

    /// Sends one sealed message to one device, whose app handed over its token at that time, in milliseconds since
    /// 1970.
    public func send(
        _ sealed: String,
        to deviceToken: String,
        registeredAtMilliseconds: Int64,
        conversation: String
    ) async throws -> Verdict {
        let push = try notification(sealed, deviceToken, conversation)
        do {
            let response = try await client.send(push)
            switch response.disposition.deviceToken {
            case .deletePair: return .forget(deviceToken: deviceToken)
            case .deleteUnlessRegisteredSince:
                if case .rejected(let body?) = response.outcome,
                    body.provesGone(registeredAtMilliseconds: registeredAtMilliseconds)
                {
                    return .forget(deviceToken: deviceToken)
                }
            case .quarantine: return .setAside(deviceToken: deviceToken)
            default: break
            }
            switch response.disposition.notification {
            case .accepted: return .accepted
            case .retry, .park: return .sendLater
            case .undeliverable, .deadLetter: return .giveUp(response.reason?.rawValue ?? "\(response.status)")
            }
        } catch ProviderError.notSendable(let fault) {
            return .giveUp("\(fault)")
        } catch {
            return .sendLater
        }
    }

    /// Sends one sealed message to each of many devices, a thousand at a time, and counts those that Apple accepted.
    public func broadcast<Devices: AsyncSequence & Sendable>(_ sealed: String, to devices: Devices) async throws -> Int
    where Devices.Element == String {
        let pushes = devices.map { [topic] in
            try PushNotification(
                deviceToken: DeviceToken(hex: $0),
                topic: topic,
                payload: Self.payload(sealed).bytes(for: .alert)
            )
        }
        var acceptedCount = 0
        for try await answer in client.responses(to: pushes, inFlightMax: 1000) {
            if case .success(let response) = answer.result, response.outcome == .accepted { acceptedCount += 1 }
        }
        return acceptedCount
    }

    /// Sends on the client's own thread: for a service that does nothing but pushes.
    public func sendOnItsThread(_ sealed: String, to deviceTokens: [String]) async throws -> [Int] {
        let pushes = try deviceTokens.map { try notification(sealed, $0, "all") }
        return try await Task(executorPreference: client.taskExecutor) { [client] in
            var statuses: [Int] = []
            for push in pushes { statuses.append(try await client.send(push).status) }
            return statuses
        }.value
    }

    /// Ends the sender with the process.
    public func close() async {
        await client.close()
    }

    private func notification(_ sealed: String, _ deviceToken: String, _ conversation: String) throws
        -> PushNotification
    {
        PushNotification(
            deviceToken: try DeviceToken(hex: deviceToken),
            topic: topic,
            priority: .immediate,
            collapseID: try CollapseID(conversation),
            payload: try Self.payload(sealed).bytes(for: .alert)
        )
    }

    /// Apple's view: words that fit every message, and the sealed one beside them.
    private static func payload(_ sealed: String) -> PushPayload {
        var aps = APS(alert: Alert("You have a new message"))
        aps.mutableContent = true
        return PushPayload(aps, custom: ["sealed": PayloadValue(sealed)])
    }
}
