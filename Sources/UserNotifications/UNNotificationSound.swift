/// Sound played when a notification is delivered.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsound
open class UNNotificationSound: NSObject, NSCopying {
    /// Sound as a value.
    package struct Description: Hashable, Sendable {
        /// `nil` is the system's own sound of this kind.
        package var name: UNNotificationSoundName?
        package var isCritical = false
        package var isRingtone = false
        /// Volume of a critical sound, 0 to 1; `nil` uses the person's setting.
        package var volume: Float?

        package init(
            name: UNNotificationSoundName? = nil,
            isCritical: Bool = false,
            isRingtone: Bool = false,
            volume: Float? = nil
        ) {
            self.name = name
            self.isCritical = isCritical
            self.isRingtone = isRingtone
            self.volume = volume
        }
    }

    package final let sound: Description

    package init(_ sound: Description) {
        self.sound = sound
    }

    /// Sound file in the app's bundle or in `Library/Sounds` of a container.
    public convenience init(named name: UNNotificationSoundName) {
        self.init(Description(name: name))
    }

    /// System's sound for notifications.
    open class var `default`: UNNotificationSound { UNNotificationSound(Description()) }

    /// System's ringtone for incoming calls.
    open class var defaultRingtone: UNNotificationSound { UNNotificationSound(Description(isRingtone: true)) }

    /// System's sound for critical alerts, which passes the mute switch.
    open class var defaultCritical: UNNotificationSound { UNNotificationSound(Description(isCritical: true)) }

    /// System's sound for critical alerts at a volume of 0 to 1.
    open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        UNNotificationSound(Description(isCritical: true, volume: volume))
    }

    /// Sound file for a call.
    open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isRingtone: true))
    }

    /// Sound file for a critical alert.
    open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isCritical: true))
    }

    /// Sound file for a critical alert at a volume of 0 to 1.
    open class func criticalSoundNamed(
        _ name: UNNotificationSoundName,
        withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isCritical: true, volume: volume))
    }

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationSound)?.sound == sound
    }

    open override var hash: Int { sound.hashValue }
}

/// Name of a sound file.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationsoundname
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// File's name with its extension.
    public let rawValue: String

    /// Creates a name.
    ///
    /// - Parameter rawValue: File's name with its extension.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a name.
    ///
    /// - Parameter rawValue: File's name with its extension.
    public init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }
}
