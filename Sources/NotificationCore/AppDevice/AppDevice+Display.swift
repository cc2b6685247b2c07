public import Keys

// What the extension needs to know of the app to show a message well.
extension AppDevice {
    /// The number on the app's icon, as the extension goes on from it; nil before `setBadge` was called, and where its
    /// file is damaged.
    ///
    /// - Throws: `.locked`, `.system`.
    public func badge() throws(AppDeviceError) -> Int? {
        try translated { () throws(ContainerError) in try container.badge.count() }
    }

    /// Says what the number on the icon is, when the person has read something; the app tells iOS too. From the first
    /// call on, each message that is shown raises it, unless `DisplayPolicy.countsMessages` is off, and a service's
    /// badge sets it.
    ///
    /// - Parameter count: 0 to 9,999; beyond, the nearest of the two.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setBadge(_ count: Int) throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.badge.set(count, ifMissing: .create) }
    }

    /// The most that a picture may take.
    public static let avatarByteCountMax = AvatarFolder.byteCountMax

    /// The picture that a communication notification shows beside a sender's name.
    ///
    /// - Parameters:
    ///   - picture: a PNG or JPEG of 1 to `avatarByteCountMax` bytes; nil for none.
    ///   - key: the sender's.
    ///   - name: for whom a service speaks; nil for the sender itself.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setAvatar(
        _ picture: [UInt8]?,
        of key: SenderKey,
        speakingFor name: String? = nil
    ) throws(AppDeviceError) {
        precondition(picture.map { (1...AvatarFolder.byteCountMax).contains($0.count) } ?? true)
        let handle = NotificationContent.Sender.handle(of: key, speakingFor: name)
        try translated { () throws(FileError) in try container.avatars.set(picture, for: handle) }
    }
}
