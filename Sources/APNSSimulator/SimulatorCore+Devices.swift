import APNS
import DeviceLink
import Primitives

extension SimulatorCore {
    func didReceiveHello(_ session: DeviceSession, _ hello: DeviceHello) {
        do throws(DeviceError) {
            let owner = session.owner
            guard owner != nil || configuration.devices.certificates == .optional else {
                throw DeviceError(refusal: .certificateRequired)
            }
            let (token, effects) = try directory.connect(
                session.id,
                hello,
                owner: owner,
                salt: salt(),
                at: nowInMilliseconds
            )
            keepTokens()
            session.send(.welcome(token))
            perform(effects)
            channels.deviceDidConnect(number(of: token), on: session.id)
        } catch {
            refuse(session, error)
        }
    }

    func didReceiveAcknowledgement(_ session: DeviceSession, _ id: APNSID) {
        let effects = directory.acknowledge(id, from: session.id, at: nowInMilliseconds)
        guard effects.isEmpty else { return perform(effects) }
        // An id unknown to the directory may belong to a broadcast.
        channels.didReceiveAcknowledgement(id, from: session.id)
    }

    func didReceiveState(_ session: DeviceSession, _ state: DeviceState) {
        perform(directory.change(session.id, to: state, at: nowInMilliseconds))
    }

    func didReceiveRegistration(_ session: DeviceSession, _ registration: TokenRegistration) {
        do throws(DeviceError) {
            let salt = salt()
            let known = try directory.register(registration, on: session.id, salt: salt, at: nowInMilliseconds)
            guard let (token, effects) = known else { return }
            keepTokens()
            session.send(.token(token))
            perform(effects)
        } catch {
            refuse(session, error)
        }
    }

    func didReceiveUnregistration(_ session: DeviceSession, _ registration: TokenRegistration) {
        perform(directory.unregister(registration, on: session.id, at: nowInMilliseconds))
    }

    private func refuse(_ session: DeviceSession, _ refused: DeviceError) {
        session.send(.refused(refused.refusal))
        session.close()
        notify(.deviceFailed(.refused(refused.refusal)))
    }

    func didClose(_ session: DeviceSession, _ error: DeviceLinkError?) {
        forget(session)
        if let error { notify(.deviceFailed(error)) }
        perform(directory.disconnect(session.id, at: nowInMilliseconds))
        channels.deviceDidDisconnect(session.id)
    }

    func send(_ frame: DeviceFrame, to connection: DeviceDirectory.ConnectionID) { sessions[connection]?.send(frame) }

    func salt() -> UInt32 { random.bytes(count: 4).reduce(0) { $0 << 8 | UInt32($1) } }

    func unregister(_ token: DeviceToken, isExpired: Bool) {
        if let app = directory.registration(of: token)?.bundleID { channels.appDidLeave(number(of: token), app: app) }
        perform(directory.unregister(token, atMilliseconds: nowInMilliseconds, isExpired: isExpired))
    }

    func registration(of token: DeviceToken) -> RequestValidator.Registration? {
        var registration = directory.registration(of: token)
        if configuration.validation.tokenOfAnotherKind == .accept { registration?.kind = nil }
        return registration
    }

    func number(of token: DeviceToken) -> Int { directory.number(of: token) ?? 0 }

    func report(onToken token: DeviceToken) -> TokenReport? { directory.report(on: token) }

    func enrol(_ topic: Topic) throws(DeviceError) -> DeviceToken {
        defer { keepTokens() }
        return try directory.enrol(topic, salt: salt())
    }

    func deliveries(_ query: DeliveryLog.Query, countMax: Int) -> [DeliveryLog.Entry] {
        directory.log.entries(query, countMax: countMax, atMilliseconds: nowInMilliseconds)
    }
}
