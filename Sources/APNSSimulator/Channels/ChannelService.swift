import APNS
import DeviceLink
import HTTP

/// Connects the channel directory with requests and devices, on the loop.
final class ChannelService {
    private unowned let core: SimulatorCore
    private(set) var directory: ChannelDirectory
    private var injected: [BroadcastReason] = []
    private var connections: [ChannelDirectory.SubscriberID: DeviceDirectory.ConnectionID] = [:]
    private var subscribers: [DeviceDirectory.ConnectionID: ChannelDirectory.SubscriberID] = [:]

    init(_ core: SimulatorCore) {
        self.core = core
        directory = ChannelDirectory(core.configuration.channels)
    }

    func adopt(_ settings: ChannelSettings) { directory.settings = settings }

    private var validator: ChannelRequestValidator {
        ChannelRequestValidator(settings: core.configuration.channels, profile: core.configuration.profile)
    }

    static func takes(_ path: ArraySlice<UInt8>) -> Bool { path.starts(with: ChannelPath.broadcastPrefix) }

    func handle(
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder,
        _ connection: inout RequestValidator,
        isManagement: Bool
    ) -> Bool {
        let fields = ChannelRequestFields(request.headers)
        let now = core.now
        let answer: ChannelAnswer
        do throws(ChannelError) {
            let path = try isManagement ? ChannelPath(management: fields) : ChannelPath(broadcast: fields)
            let asked = try validator.validate(
                path,
                fields,
                body: request.body,
                bodyByteCount: request.bodyByteCount,
                authenticate: { connection.authenticate($0, now: now, ledger: &core.ledger) },
                directory: directory
            )
            if !injected.isEmpty { throw ChannelError(injected.removeFirst()) }
            answer = try perform(asked, now: now)
        } catch {
            core.report(.channel(.refused(error.reason)))
            answer = .rejected(error)
        }
        let known = fields.requestID.flatMap { validator.id($0) == nil ? nil : $0 }
        let headers = answer.headers(requestID: known ?? core.freshID().upperCaseText)
        responder.respond(status: answer.status, headers: headers, body: answer.body)
        return answer.status < 300
    }

    private func perform(_ request: ChannelRequest, now: Int64) throws(ChannelError) -> ChannelAnswer {
        switch request {
        case .create(let app, let policy):
            let (id, effects) = try directory.create(of: app, policy: policy) {
                ChannelID(appleBytes: core.randomBytes(count: ChannelID.appleByteCount))
            }
            perform(effects)
            return .created(id)
        case .read(let app, let channel): return .channel(try directory.policy(of: channel, of: app))
        case .delete(let app, let channel):
            perform(try directory.delete(channel, of: app))
            return .deleted
        case .list(let app): return .channels(try directory.list(of: app))
        case .send(let app, let channel, let broadcast):
            guard directory.admit(channel, of: app, now: now) else { throw ChannelError(.tooManyRequests) }
            let id = core.freshID()
            let topic: Topic
            do throws(APNSError) { topic = try app.appendingSuffix(of: .liveactivity) } catch {
                // So long a bundle id has no Live Activities.
                throw ChannelError(.topicDisallowed)
            }
            perform(directory.publish(broadcast.push(id, topic: topic), on: channel, of: app, now: now))
            return .sent(id)
        }
    }

    func refuseNext(_ reason: BroadcastReason) { injected.append(reason) }

    func setCapability(of app: Topic, isOn: Bool) { perform(directory.setCapability(of: app, isOn: isOn)) }

    func deviceDidConnect(_ device: Int, on connection: DeviceDirectory.ConnectionID) {
        if let older = connections.updateValue(connection, forKey: device) { subscribers[older] = nil }
        subscribers[connection] = device
        perform(directory.connect(device, now: core.now))
    }

    /// Ignores other connections.
    func deviceDidDisconnect(_ connection: DeviceDirectory.ConnectionID) {
        guard let device = subscribers.removeValue(forKey: connection) else { return }
        connections[device] = nil
        directory.disconnect(device)
    }

    func appDidLeave(_ device: Int, app: Topic) { perform(directory.unsubscribe(device, fromAllOf: app)) }

    func subscribe(_ connection: DeviceDirectory.ConnectionID, _ topic: Topic, _ channel: ChannelID) {
        guard let device = subscribers[connection] else { return core.send(.subscription(.none), to: connection) }
        let (answer, effects) = directory.subscribe(device, to: channel, of: topic, now: core.now)
        core.send(.subscription(answer), to: connection)
        perform(effects)
    }

    func unsubscribe(_ connection: DeviceDirectory.ConnectionID, _ topic: Topic, _ channel: ChannelID) {
        let effects = subscribers[connection].map { directory.unsubscribe($0, from: channel, of: topic) }
        core.send(.subscription(.none), to: connection)
        perform(effects ?? [])
    }

    func didReceiveAcknowledgement(_ id: APNSID, from connection: DeviceDirectory.ConnectionID) {
        guard let device = subscribers[connection] else { return }
        perform(directory.acknowledge(id, from: device, now: core.now))
    }

    private func perform(_ effects: [ChannelDirectory.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let push, let device):
                if let connection = connections[device] { core.send(.push(push), to: connection) }
            case .happened(let event): core.report(.channel(event))
            }
        }
    }
}
