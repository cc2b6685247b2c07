package import APNS
package import DeviceLink

extension DeviceDirectory {
    /// Registers a connected device's app for another kind of push. The token lives as long as its base.
    ///
    /// - Parameter salt: four random bytes, for a new token.
    /// - Returns: `nil` for an unknown connection.
    /// - Throws: `.tooManyDevices`.
    package mutating func register(
        _ registration: TokenRegistration,
        on connection: ConnectionID,
        salt: UInt32,
        at now: Int64
    ) throws(DeviceError) -> (token: DeviceToken, effects: [Effect])? {
        guard let base = connected[connection] else { return nil }
        return try register(registration, beside: base, salt: salt, at: now)
    }

    /// Form for a device that may be offline; `nil` for an unknown one.
    package mutating func register(
        _ registration: TokenRegistration,
        ofDevice number: Int,
        salt: UInt32,
        at now: Int64
    ) throws(DeviceError) -> (token: DeviceToken, effects: [Effect])? {
        guard let base = installation(ofDevice: number) else { return nil }
        return try register(registration, beside: base, salt: salt, at: now)
    }

    private mutating func register(
        _ registration: TokenRegistration,
        beside base: UInt32,
        salt: UInt32,
        at now: Int64
    ) throws(DeviceError) -> (token: DeviceToken, effects: [Effect]) {
        // The hello already registered this kind.
        if registration.kind == installations[base].kind, registration.instance.isEmpty { return (token(of: base), []) }
        let number: UInt32
        if let known = siblings.number(of: registration, beside: base) {
            number = known
            installations[number].unregisteredAtMilliseconds = nil
        } else {
            guard installations.count < deviceCountMax, siblings.hasRoom(beside: base) else {
                throw DeviceError(refusal: .tooManyDevices)
            }
            number = installations.add(registration.kind, beside: base, salt: salt)
            siblings.add(registration, number, beside: base)
        }
        guard let connection = connections[base], connections[number] == nil else { return (token(of: number), []) }
        return (token(of: number), settle(connectSibling(number, connection, at: now)))
    }

    /// Ends a registration, such as a Live Activity's; its token gets 410.
    package mutating func unregister(
        _ registration: TokenRegistration,
        on connection: ConnectionID,
        at now: Int64
    ) -> [Effect] {
        guard let base = connected[connection], let number = siblings.number(of: registration, beside: base) else {
            return []
        }
        installations[number].unregisteredAtMilliseconds = now
        return settle(engine.drop(address(number), at: now))
    }

    /// Connects a sibling; the base's event alone reports the device.
    mutating func connectSibling(_ number: UInt32, _ connection: ConnectionID, at now: Int64) -> [Effect] {
        connections[number] = connection
        let effects = engine.connect(address(number), connection, states[connection] ?? [], at: now)
        return effects.filter { $0 != .happened(.connected(device: Int(installations[number].device))) }
    }

    /// Installations on the connection, the base first.
    func numbers(on connection: ConnectionID) -> [UInt32] {
        connected[connection].map { [$0] + siblings.numbers(beside: $0) } ?? []
    }
}
