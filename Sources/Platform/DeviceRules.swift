/// What the device lets code do now. On Apple's platforms the system says so itself, in its own calls' errors.
package enum DeviceRules {
    /// A purpose: a full disk stops only what needs room, and a locked device only what needs a file's key.
    package enum Access: Sendable {
        /// Opens a file, or lists a folder.
        case read
        /// Opens a file and changes bytes that have their room.
        case overwrite
        /// Makes a file or a folder of this class; nil for that of the folder it is made in.
        case create(FileProtection?)
        /// Removes a name, which needs no key.
        case remove
    }

    /// - Parameters:
    ///   - access: what is about to be done.
    ///   - path: of the file or folder.
    /// - Returns: the error code with which the system would refuse; nil where it would not.
    package static func refusal(of access: Access, at path: String) -> Int32? {
        #if canImport(Darwin)
        nil
        #else
        guard let conditions = SimulatedDevice.current?.conditions else { return nil }
        return conditions.storage.refusal(of: access) ?? ProtectionRules(conditions).refusal(of: access, at: path)
        #endif
    }

    /// The date that the device shows, in milliseconds since 1970; nil for the system's.
    package static var simulatedMillisecondsSince1970: UInt64? {
        #if canImport(Darwin)
        nil
        #else
        SimulatedDevice.current?.millisecondsSince1970
        #endif
    }

    /// Measures how long something takes.
    package static var clock: any Clock<Duration> {
        #if canImport(Darwin)
        ContinuousClock()
        #else
        SimulatedDevice.current?.clock ?? ContinuousClock()
        #endif
    }
}

#if !canImport(Darwin)
extension SimulatedDevice.Storage {
    fileprivate func refusal(of access: DeviceRules.Access) -> Int32? {
        switch (self, access) {
        case (.readOnly, .overwrite), (.readOnly, .create), (.readOnly, .remove): EROFS
        case (.full, .create): ENOSPC
        case (.writable, _), (.full, _), (.readOnly, .read): nil
        }
    }
}
#endif
