// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

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

    public convenience init(named name: UNNotificationSoundName) {
        self.init(Description(name: name))
    }

    open class var `default`: UNNotificationSound { UNNotificationSound(Description()) }

    open class var defaultRingtone: UNNotificationSound { UNNotificationSound(Description(isRingtone: true)) }

    open class var defaultCritical: UNNotificationSound { UNNotificationSound(Description(isCritical: true)) }

    open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        UNNotificationSound(Description(isCritical: true, volume: volume))
    }

    open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isRingtone: true))
    }

    open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isCritical: true))
    }

    open class func criticalSoundNamed(
        _ name: UNNotificationSoundName,
        withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(Description(name: name, isCritical: true, volume: volume))
    }

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
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }
}
